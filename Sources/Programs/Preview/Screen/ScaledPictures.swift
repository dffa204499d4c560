import ImageCore
import ImagePipeline
import Platform

/// Describes small versions of pictures: their files are scaled first, and all that follows works on few pixels.
///
/// Parameters in pixels are scaled, too, as `DescribedOperation.arguments(_:scaledBy:)` tells. An operation that has
/// no such arguments works at full size, and its result is scaled.
struct ScaledPictures {
  private struct Key: Hashable {
    let picture: ObjectIdentifier
    let scale: Double
  }

  private let environment: Environment
  private let locale: TimeLocale
  private let definitions: [String: OperationDefinition]
  /// Scaled pictures, with the pictures that they are of, so that no other takes the place of one.
  private var made: [Key: (of: Picture, Picture)] = [:]
  /// Pictures at the start of chains that are scaled, held by `made`.
  private var bases: Set<ObjectIdentifier> = []
  /// The most scaled pictures that are remembered. Each size of the window adds some.
  private static let mostMade = 20_000

  init(_ environment: Environment, locale: TimeLocale = .english) {
    self.environment = environment
    self.locale = locale
    var definitions: [String: OperationDefinition] = [:]
    for definition in environment.operations { definitions[definition.descriptor.name] = definition }
    if let text = environment.textPicture { definitions[text.descriptor.name] = text }
    self.definitions = definitions
  }

  /// Whether a picture is at the start of a chain that is scaled, and so worth keeping.
  func isBase(_ picture: Picture) -> Bool { bases.contains(ObjectIdentifier(picture)) }

  /// Forgets what was scaled for other sizes, if that is much. Not between the steps of one picture.
  mutating func forgetOld() {
    guard made.count > Self.mostMade else { return }
    (made, bases) = ([:], [])
  }

  /// Returns a version of a picture that fits into a width and a height, in sRGB as browsers show it. Never enlarged.
  mutating func shown(_ picture: Picture, width: Int, height: Int) throws(Picture.Problem) -> Picture {
    let layout = try picture.info().layout
    let scale = min(1, Double(width) / Double(layout.width), Double(height) / Double(layout.height))
    return environment.inSRGB(try self.picture(picture, at: scale))
  }

  /// Returns a version of a picture that is `scale` times as large, at most 1.
  mutating func picture(_ picture: Picture, at scale: Double) throws(Picture.Problem) -> Picture {
    guard scale < 1 else { return picture }
    let key = Key(picture: ObjectIdentifier(picture), scale: scale)
    if let known = made[key] { return known.1 }
    let result: Picture
    if let made = try scaledOperation(picture, scale) { result = made } else { result = try reduced(picture, scale) }
    made[key] = (picture, result)
    return result
  }

  /// Returns the operation on scaled inputs; nil if there is none.
  private mutating func scaledOperation(_ picture: Picture, _ scale: Double) throws(Picture.Problem) -> Picture? {
    guard case .operation(let name, _, let arguments) = picture.step,
      let definition = definitions[name] ?? environment.plugin(name),
      let scaled = definition.scaled(arguments, scale)
    else { return nil }
    var inputs: [Picture] = []
    let first = picture.inputs[0]
    inputs.append(try self.picture(first, at: try Self.inputScale(of: picture, scale)))
    for input in picture.inputs.dropFirst() { inputs.append(try self.picture(input, at: scale)) }
    guard let made = try? definition.make(scaled), let operation = try? FieldText(made, locale: locale) ?? made else {
      return nil
    }
    let result = Picture(
      .operation(name: name, operation, scaled), inputs: inputs, position: picture.position, origin: picture.origin)
    let size = Self.size(try picture.info().layout, scale)
    guard let layout = try? result.info().layout, abs(layout.width - size.width) <= 2,
      abs(layout.height - size.height) <= 2
    else { return nil }
    return result
  }

  /// Returns the scale of the first input: less where the result is smaller than its input anyway, and more where it is
  /// larger.
  private static func inputScale(of picture: Picture, _ scale: Double) throws(Picture.Problem) -> Double {
    let input = try picture.inputs[0].info().layout
    let info = try picture.info()
    guard let operation = info.operation else { return scale }
    if let part = operation.shownPart(of: input), part.turns.isEmpty {
      let growth = Double(info.layout.width) / max(1, (part.right - part.left) * Double(input.width))
      if growth > 1 { return min(1, scale * growth) }
    }
    return scale / max(1, operation.shrinkTolerance(of: input))
  }

  /// Returns a picture that is made at full size and scaled.
  private mutating func reduced(_ picture: Picture, _ scale: Double) throws(Picture.Problem) -> Picture {
    let layout = try picture.info().layout
    let size = Self.size(layout, scale)
    if case .canvas(_, let colour) = picture.step {
      return Picture(
        .canvas(layout.with(width: size.width, height: size.height), colour), position: picture.position,
        origin: picture.origin)
    }
    let result = Picture(
      environment.scale(size.width, size.height), inputs: [picture], position: picture.position, origin: picture.origin)
    bases.insert(ObjectIdentifier(result))
    return result
  }

  private static func size(_ layout: PictureLayout, _ scale: Double) -> (width: Int, height: Int) {
    func side(_ pixels: Int) -> Int { max(1, Int((Double(pixels) * scale).rounded())) }
    return (side(layout.width), side(layout.height))
  }
}
