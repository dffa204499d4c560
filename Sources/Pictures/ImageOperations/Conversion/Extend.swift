import ImageCore

/// Adds rows and columns around a picture.
///
/// The operation streams unless it repeats or mirrors the picture above or below. In that case, it first reads the
/// whole frame, because the first rows of the result can depend on the last rows of the picture.
package struct Extend: DescribedOperation, ProfiledOperation {
  private let border: Border
  package var profiles: (@Sendable (Int) -> [UInt8])?

  private static let side = ParameterKind.integer(0...PictureLayout.maximumSide)

  package static let descriptor = OperationDescriptor(
    name: "extend", family: "conversion", summary: "Add a border on any side",
    parameters: [
      .init("top", side, default: .integer(0), unit: "px", help: "rows to add above"),
      .init("bottom", side, default: .integer(0), unit: "px", help: "rows to add below"),
      .init("left", side, default: .integer(0), unit: "px", help: "columns to add on the left"),
      .init("right", side, default: .integer(0), unit: "px", help: "columns to add on the right"),
      .init(
        "background", .colour, default: .colour(.black),
        help: "colour of the border; a translucent one adds an alpha band, "
          + "and one that is not gray makes a gray picture RGB"),
      .init(
        "extend_with", .choice(ExtendMode.allCases.map(\.rawValue)), default: .text("background"),
        help: "content of the border: the background colour, the picture's edge pixels (copy), "
          + "the picture again (repeat), or its mirror image (mirror)"),
    ])

  package init(_ arguments: Arguments) {
    border = Border(
      top: arguments.integer("top"), bottom: arguments.integer("bottom"),
      left: arguments.integer("left"), right: arguments.integer("right"),
      background: arguments.colour("background"),
      mode: ExtendMode(rawValue: arguments.text("extend_with"))!)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let size = border.size(around: inputs[0])
    return try PictureLayout.checked(width: size.width, height: size.height, format: format(of: inputs[0]))
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let input = inputs[0].with(format: format(of: inputs[0]))
    return border.needsFrame ? PixelBuffer.byteCount(input) : input.rowByteCount * 128
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout
    let source = try rows(inputs[0], in: format(of: input), context)
    var border = border
    if border.mode == .background { border.background = try matched(border.background, context) }
    return ExtendSource(source, border, context)
  }

  private func format(of input: PictureLayout) -> PixelFormat {
    guard border.mode == .background else { return input.format }
    return input.format.holding(border.background).with(alpha: input.format.hasAlpha || border.background.alpha < 1)
  }
}

/// The number of pixels to add on each side of a picture, and their contents.
struct Border: Sendable {
  let top: Int
  let bottom: Int
  let left: Int
  let right: Int
  var background: Colour
  let mode: ExtendMode

  /// Whether the whole picture must be read before the first row of the result.
  var needsFrame: Bool { (mode == .repeat || mode == .mirror) && (top > 0 || bottom > 0) }

  func size(around input: PictureLayout) -> (width: Int, height: Int) {
    (left + input.width + right, top + input.height + bottom)
  }
}

/// The contents of a border, with the names that sharp uses.
enum ExtendMode: String, CaseIterable, Sendable {
  case background
  case copy
  case `repeat`
  case mirror

  /// Returns the row or column of the picture, 0 to `count - 1`, that appears at `index`; nil for the background.
  ///
  /// - Parameter index: a row or column counted from the picture's first; may be outside the picture.
  func inside(_ index: Int, of count: Int) -> Int? {
    if (0..<count).contains(index) { return index }
    switch self {
    case .background: return nil
    case .copy: return max(0, min(count - 1, index))
    case .repeat: return index.modulo(count)
    case .mirror:
      let place = index.modulo(2 * count)
      return place < count ? place : 2 * count - 1 - place
    }
  }
}

extension Int {
  /// Returns the remainder of the division by `count`: 0 to `count - 1`, even for negative numbers.
  func modulo(_ count: Int) -> Int {
    let rest = self % count
    return rest < 0 ? rest + count : rest
  }
}
