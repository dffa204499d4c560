import BookComposing
import ImageCore
import ImagePipeline
import Platform

/// The description of a picture or a page at a size for a screen, ready to be rendered.
struct ScreenTarget: Sendable {
  /// A picture with its key.
  struct Step: Sendable {
    let picture: Picture
    let key: String
  }

  /// The steps to one picture: those whose pixels are worth keeping, in the order in which they can be rendered, and
  /// the picture itself.
  struct Chain: Sendable {
    let kept: [Step]
    let end: Step
    /// The keys of all steps.
    let keys: [String]
  }

  enum Content: Sendable {
    case picture(Chain)
    /// A page, with its pictures in their order; nil for a picture that cannot be rendered.
    case page(BookDrawing, index: Int, pictures: [Chain?], dotsPerInch: Double)
  }

  let content: Content
  /// The key of the image, which differs for each size.
  let key: String
}

/// Describes the images of pictures and pages for a screen. Each evaluation of a script has its own instance, which one
/// thread uses at a time.
struct ScreenTargets {
  private let environment: Environment
  private var scaled: ScaledPictures
  private var keys: PictureKeys

  /// - Parameter locale: the language of dates in texts on pictures.
  init(_ environment: Environment, locale: TimeLocale = .english) {
    self.environment = environment
    scaled = ScaledPictures(environment, locale: locale)
    keys = PictureKeys(environment)
  }

  /// Returns the key of a picture at its full size.
  mutating func key(of picture: Picture) -> String { keys.key(of: picture) }

  /// Returns the key of a page.
  mutating func key(of page: DrawnPage) -> String {
    keys.key(page.identity, of: page.pictures.map(\.picture))
  }

  /// Returns a picture that fits into a width and a height.
  ///
  /// - Parameter seen: returns whether the step with a key was rendered before. The last such step is worth keeping.
  mutating func picture(_ picture: Picture, width: Int, height: Int, seen: (String) -> Bool)
    throws(Picture.Problem) -> ScreenTarget
  {
    scaled.forgetOld()
    let chain = try chain(try scaled.shown(picture, width: width, height: height), seen)
    return ScreenTarget(content: .picture(chain), key: chain.end.key)
  }

  /// Returns a page that fits into a width and a height.
  ///
  /// - Parameter page: the page at the index of the document, perhaps with other pictures of the same sizes.
  mutating func page(
    _ page: DrawnPage, at index: Int, of document: BookDrawing, width: Int, height: Int, seen: (String) -> Bool
  ) -> ScreenTarget {
    scaled.forgetOld()
    // The number of pixels per point, at most that of 600 dpi.
    let density = min(Double(width) / page.width, Double(height) / page.height, 600 / 72)
    var pictures: [ScreenTarget.Chain?] = []
    for cell in page.pictures {
      do throws(Picture.Problem) {
        let scale = min(1, density / cell.density * Self.oversampling(cell, density))
        pictures.append(try chain(environment.inSRGB(try scaled.picture(cell.picture, at: scale)), seen))
      } catch {
        pictures.append(nil)
      }
    }
    // Pictures that cannot be shown leave a gap.
    let gaps = pictures.map { $0 == nil ? "0" : "1" }.joined()
    let key = keys.key("\(page.identity)\0\(density)\0\(gaps)", of: pictures.compactMap { $0?.end.picture })
    return ScreenTarget(
      content: .page(document, index: index, pictures: pictures, dotsPerInch: density * 72), key: key)
  }

  /// Returns the ratio, from 1 to 1.3, of a picture's sides to those of its place on the page. A picture with exactly
  /// the pixels of its place would look blurred, because PDF readers resample it. The ratio is smaller for large
  /// places.
  private static func oversampling(_ cell: DrawnPage.Cell, _ density: Double) -> Double {
    guard let layout = try? cell.picture.info().layout else { return 1 }
    let shown = Double(max(layout.width, layout.height)) * density / cell.density
    return min(1.3, max(1, 1_600 / shown))
  }

  /// Returns the steps to a picture, and selects those whose pixels are worth keeping: the scaled files at the start,
  /// and, in each branch, the last step that was already rendered. The script or a setting has changed right after that
  /// step, and is likely to change there again.
  private mutating func chain(_ end: Picture, _ seen: (String) -> Bool) throws(Picture.Problem) -> ScreenTarget.Chain {
    _ = try end.info()
    let order = end.stepsInOrder
    let all = order.map { ScreenTarget.Step(picture: $0, key: keys.key(of: $0)) }
    var frontier: Set<ObjectIdentifier> = []
    for step in all where !seen(step.key) {
      for input in step.picture.inputs { frontier.insert(ObjectIdentifier(input)) }
    }
    let kept = all.dropLast().filter { step in
      if scaled.isBase(step.picture) { return true }
      guard case .operation = step.picture.step else { return false }
      return frontier.contains(ObjectIdentifier(step.picture)) && seen(step.key)
    }
    return ScreenTarget.Chain(kept: kept, end: all[all.count - 1], keys: all.map(\.key))
  }
}
