import ImageCore
import TextShaping

/// The way in which a picture fills its area on the page.
package enum PageFit: String, Sendable, Hashable, CaseIterable {
  /// The whole picture is visible, in proportion and centred.
  case inside
  /// The picture covers the whole area, in proportion. Parts outside the area are clipped; they remain in the file if
  /// the picture is stored unchanged.
  case cover
  /// A synonym of `inside`, as in the operation `resize`.
  case contain
  /// The picture is stretched to the area, out of proportion.
  case fill
}

/// Distances from a page's edges, in points.
package struct PageMargins: Sendable, Hashable {
  package var top, right, bottom, left: Double

  package init(top: Double = 0, right: Double = 0, bottom: Double = 0, left: Double = 0) {
    (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
  }
}

/// The paper and margins of pages, and how pictures lie on them.
package struct PageSetup: Sendable, Hashable {
  /// The size of the paper in points. Nil, in the layout `single`, for pages as large as the picture with its margins,
  /// border and caption; in other layouts, for `LayoutOptions.defaultPaper`.
  package var paper: PageSize?
  /// The orientation of the paper; ignored for pages as large as their picture.
  package var orientation: PageOrientation
  package var margins: PageMargins
  package var fit: PageFit
  /// Whether a picture may be shown larger than its resolution implies.
  package var enlarge = true
  /// Whether a picture may be shown smaller than its resolution implies.
  package var reduce = true
  /// The resolution in pixels per inch, which determines the size of pictures in points and the unit px. If it is nil,
  /// pictures have the resolution declared in their file, or 96 as in img2pdf, and a px is 1/96 inch.
  package var dpi: Double?
  package var background: Colour?
  package var captions = CaptionOptions()

  package init(
    paper: PageSize? = nil, orientation: PageOrientation = .auto, margins: PageMargins = PageMargins(),
    fit: PageFit = .inside, dpi: Double? = nil, background: Colour? = nil
  ) {
    self.paper = paper
    self.orientation = orientation
    self.margins = margins
    self.fit = fit
    self.dpi = dpi
    self.background = background
  }

  /// The resolution if neither the options nor the file declare one.
  package static let defaultDPI = 96.0

  /// Creates a page setup from arguments that `BookParameters.all` has checked.
  ///
  /// - Throws: all mistakes that the parameter descriptors cannot detect.
  package init(_ arguments: Arguments) throws(PageSetupErrors) {
    self.init(
      orientation: PageOrientation(rawValue: arguments.text("orientation"))!,
      fit: PageFit(rawValue: arguments.text("fit"))!, dpi: arguments.optionalNumber("dpi"),
      background: arguments.optionalColour("background")?.onPaper)
    captions = CaptionOptions(arguments)
    enlarge = arguments.boolean("enlarge")
    reduce = arguments.boolean("reduce")
    var errors: [PageSetupError] = []
    do { try setPaper(arguments.text("paper")) } catch { errors.append(error) }
    do { try setMargins(arguments.text("margin")) } catch { errors.append(error) }
    guard errors.isEmpty else { throw PageSetupErrors(errors: errors) }
  }

  /// Parses the option `paper`.
  package mutating func setPaper(_ text: String) throws(PageSetupError) {
    guard text.lowercased() != "picture" else {
      paper = nil
      return
    }
    let (size, word, direction) = try PaperSize.parse(text, dpi: dpi ?? Self.defaultDPI)
    if let word, word != .auto, orientation != .auto, orientation != word {
      throw .twoOrientations(paper: text, orientation: orientation.rawValue)
    }
    paper = size
    if orientation == .auto { orientation = word ?? direction }
  }

  /// Parses one length for all sides, two (top and bottom, left and right) or four (top, right, bottom, left).
  package mutating func setMargins(_ text: String) throws(PageSetupError) {
    let lengths = try Length.list(text, option: "margin", dpi: dpi ?? Self.defaultDPI)
    switch lengths.count {
    case 1:
      margins = PageMargins(top: lengths[0], right: lengths[0], bottom: lengths[0], left: lengths[0])
    case 2:
      margins = PageMargins(top: lengths[0], right: lengths[1], bottom: lengths[0], left: lengths[1])
    case 4:
      margins = PageMargins(top: lengths[0], right: lengths[1], bottom: lengths[2], left: lengths[3])
    default: throw .marginCount(lengths.count)
    }
  }
}

// MARK: - Layout

extension PageSetup {
  /// Returns the rectangle of a picture in a frame. The picture is centred; if it is larger than the frame, the side
  /// named by the gravity stays visible.
  func rectangle(of natural: PageSize, in frame: PageRectangle, fit: PageFit, gravity: Gravity = .centre)
    -> PageRectangle
  {
    let across = frame.width / natural.width
    let down = frame.height / natural.height
    var scale: Double
    switch fit {
    case .fill: return frame
    case .inside, .contain: scale = min(across, down)
    case .cover: scale = max(across, down)
    }
    if !enlarge { scale = min(scale, 1) }
    if !reduce { scale = max(scale, 1) }
    let (width, height) = (natural.width * scale, natural.height * scale)
    let focus = gravity.focus
    let (x, y) = (width > frame.width ? focus.x : 0.5, height > frame.height ? focus.y : 0.5)
    return PageRectangle(
      left: frame.left + (frame.width - width) * x,
      bottom: frame.bottom + (frame.height - height) * (1 - y), width: width, height: height)
  }

  /// Returns the font size at which a caption fits into a width: at most the requested size. Throws if it is too small.
  func fittingSize(of caption: String, in room: Double) throws(PDFError) -> Double {
    let width = Helvetica.width(try WinAnsi.bytes(caption), size: captions.size)
    let size = width <= room ? captions.size : captions.size * room / width
    guard size >= min(captions.size, Caption.smallestSize) else { throw .captionTooLong(caption, room: room) }
    return size
  }

  /// Returns the size of an upright picture in points, at the resolution that `dpi` determines.
  func naturalSize(_ width: Int, _ height: Int, _ resolution: Resolution?) -> PageSize {
    var across = dpi ?? Self.defaultDPI
    var down = across
    if dpi == nil, let resolution, Self.isCredible(resolution) {
      (across, down) = (resolution.horizontal, resolution.vertical)
    }
    let size = PageSize(width: Double(width) * 72 / across, height: Double(height) * 72 / down)
    return paper == nil ? size.rounded : size
  }

  /// Returns whether a resolution is plausible. Programs that do not know the resolution write 0 or 1 pixel per inch.
  private static func isCredible(_ resolution: Resolution) -> Bool {
    [resolution.horizontal, resolution.vertical].allSatisfy { $0 > 1 && $0 <= 100_000 }
  }

  /// Returns the size of the page for a picture that has the given size in points.
  func pageSize(for natural: PageSize, captionHeight: Double) -> PageSize {
    guard let paper else {
      return PageSize(
        width: natural.width + margins.left + margins.right,
        height: natural.height + margins.top + margins.bottom + captionHeight)
    }
    let isWide =
      switch orientation {
      case .auto: natural.width > natural.height
      case .portrait: false
      case .landscape: true
      }
    let (short, long) = (min(paper.width, paper.height), max(paper.width, paper.height))
    return isWide
      ? PageSize(width: long, height: short) : PageSize(width: short, height: long)
  }
}

/// A mistake in one option of a page setup.
package enum PageSetupError: Error, Sendable, Equatable {
  case paper(String, suggestion: String?)
  /// A word that is not a number with a unit.
  case length(option: String, String)
  /// A number of margins other than one, two or four.
  case marginCount(Int)
  /// A length outside its limits, which are in points.
  case tooShort(option: String, String, least: Double)
  case tooLong(option: String, String, most: Double)
  case lengthCount(option: String, most: Int, found: Int)
  /// An impossible paper size, in points. Sides are from 3 points to `PageSize.maximumSide`.
  case paperSize(width: Double, height: Double)
  /// A word that is not a valid range of page labels.
  case pageLabel(String)
  /// An orientation in `paper` that contradicts the option `orientation`.
  case twoOrientations(paper: String, orientation: String)
}

/// All mistakes in one page setup.
package struct PageSetupErrors: Error, Sendable, Equatable {
  package let errors: [PageSetupError]
}

extension PageSetupError: CustomStringConvertible {
  package var description: String { problem.text }

  package var problem: OptionProblem {
    switch self {
    case .paper(let text, let suggestion):
      OptionProblem(
        "paper",
        "cannot be '\(text)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? "")
          + "; use 'picture', a name such as 'a4', 'b5', 'letter' or '10x15', or a size such as '210mm x 297mm'")
    case .length(let option, let text): OptionProblem(option, Self.clause(text))
    case .tooShort(let option, let text, let least):
      OptionProblem(
        option, "is '\(text)'; it must be at least \(PDFNumber.text(least)) point\(least == 1 ? "" : "s")")
    case .marginCount(let count):
      OptionProblem(
        "margin",
        "takes one length, two (top and bottom, left and right) or four (top, right, bottom, left), not \(count)")
    case .tooLong(let option, let text, let most):
      OptionProblem(option, "is '\(TextError.excerpt(of: text))'; it must be at most \(Length.text(most)) mm")
    case .lengthCount(let option, let most, let found):
      OptionProblem(option, "takes \(most == 1 ? "one length" : "one or two lengths"), not \(found)")
    case .paperSize(let width, let height):
      OptionProblem(PDFError.pageSize(width: width, height: height).description)
    case .pageLabel(let text):
      OptionProblem(
        "page_labels",
        "contains '\(text)'; write ranges as 'FIRST:STYLE/START/PREFIX' from page 1, such as '1:r 5:D', with the style "
          + "D, r, R, a, A or none")
    case .twoOrientations(let paper, let orientation):
      OptionProblem("paper", "is '\(paper)' but 'orientation' is '\(orientation)'; give one of them")
    }
  }

  /// Returns the clause about a word that should be a length.
  private static func clause(_ word: String) -> String {
    let shown = TextError.excerpt(of: word)
    if Double(word).map({ $0 >= 0 && $0.isFinite }) ?? false {
      return
        "contains '\(shown)', a number without a unit; write '\(shown)mm' or '\(shown)pt', or the number without "
        + "quotation marks for points"
    }
    if word.hasPrefix("-") { return "contains '\(shown)'; a length cannot be negative" }
    return "contains '\(shown)', which is not a length; write a number with mm, cm, in, pt or px, such as '10mm'"
  }
}
