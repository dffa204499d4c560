import ImageCore
import ImagePipeline
import Platform

/// Describes small versions of pictures: the decoded files are scaled first, so that all operations process few pixels.
///
/// Parameters in pixels are scaled, too, by `DescribedOperation.arguments(_:scaledBy:)`. An operation that does not
/// support this is applied at full size, and its result is scaled.
struct ScaledPictures {
  private struct Key: Hashable {
    let picture: ObjectIdentifier
    let scale: Double
  }

  private let environment: Environment
  private let locale: TimeLocale
  private let definitions: [String: OperationDefinition]
  /// The scaled pictures. Their originals are kept alive, so that no other picture gets the same identity.
  private var made: [Key: (of: Picture, Picture)] = [:]
  /// The scaled pictures at the start of chains, by their identities. `made` keeps them alive.
  private var bases: Set<ObjectIdentifier> = []
  /// The maximum number of scaled pictures that are stored. Each size of the window adds some.
  private static let mostMade = 20_000

  init(_ environment: Environment, locale: TimeLocale = .english) {
    self.environment = environment
    self.locale = locale
    var definitions: [String: OperationDefinition] = [:]
    for definition in environment.operations { definitions[definition.descriptor.name] = definition }
    if let text = environment.textPicture { definitions[text.descriptor.name] = text }
    self.definitions = definitions
  }

  /// Returns whether a picture is the scaled start of a chain of operations. The pixels of such a start are worth
  /// keeping.
  func isBase(_ picture: Picture) -> Bool { bases.contains(ObjectIdentifier(picture)) }

  /// Removes the scaled pictures if there are too many. Must not be called while a picture is being scaled.
  mutating func forgetOld() {
    guard made.count > Self.mostMade else { return }
    (made, bases) = ([:], [])
  }

  /// Returns a version of a picture that fits into a width and a height, in sRGB, as browsers show it. Small pictures
  /// are not enlarged.
  mutating func shown(_ picture: Picture, width: Int, height: Int) throws(Picture.Problem) -> Picture {
    let layout = try picture.info().layout
    let scale = min(1, Double(width) / Double(layout.width), Double(height) / Double(layout.height))
    return environment.inSRGB(try self.picture(picture, at: scale))
  }

  /// Returns a version of a picture that is `scale` times as large; the picture itself if `scale` is 1 or more.
  mutating func picture(_ picture: Picture, at scale: Double) throws(Picture.Problem) -> Picture {
    guard scale < 1 else { return picture }
    let key = Key(picture: ObjectIdentifier(picture), scale: scale)
    if let known = made[key] { return known.1 }
    let result: Picture
    if let made = try scaledOperation(picture, scale) { result = made } else { result = try reduced(picture, scale) }
    made[key] = (picture, result)
    return result
  }

  /// Returns the picture that a picture's operation makes from scaled inputs; nil if the picture has no operation, if
  /// the operation cannot be scaled, or if the size of the result is wrong by more than two pixels.
  private mutating func scaledOperation(_ picture: Picture, _ scale: Double) throws(Picture.Problem) -> Picture? {
    guard case .operation(let name, _, let arguments) = picture.step,
      let definition = definitions[name] ?? environment.plugin(name),
      let scaled = definition.scaled(arguments, scale)
    else { return nil }
    guard let first = picture.inputs.first else { return nil }
    var inputs = [try self.picture(first, at: try Self.inputScale(of: picture, scale))]
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

  /// Returns the scale for the first input. It is smaller than `scale` if the operation reduces its input anyway, and
  /// larger if the operation enlarges a part of it.
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

  /// Returns a picture that is computed at full size and then scaled. A canvas is created at the small size.
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
