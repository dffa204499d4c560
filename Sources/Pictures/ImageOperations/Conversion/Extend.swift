import ImageCore

/// Adds rows and columns around a picture.
///
/// It streams, except where rows below must be known before the first: repeating and mirroring above or
/// below read the whole frame.
public struct Extend: DescribedOperation {
  private let top: Int
  private let bottom: Int
  private let left: Int
  private let right: Int
  private let background: Colour
  private let mode: ExtendMode

  private static let border = ParameterKind.integer(0...PictureLayout.maximumSide)

  public static let descriptor = OperationDescriptor(
    name: "extend", family: "conversion", summary: "Add a border on any side",
    parameters: [
      .init("top", border, default: .integer(0), unit: "px", help: "rows to add above"),
      .init("bottom", border, default: .integer(0), unit: "px", help: "rows to add below"),
      .init("left", border, default: .integer(0), unit: "px", help: "columns to add on the left"),
      .init("right", border, default: .integer(0), unit: "px", help: "columns to add on the right"),
      .init(
        "background", .colour, default: .colour(.black),
        help: "colour of the border; one that is not opaque gives the picture an alpha band, "
          + "and one that is not gray makes a gray picture RGB"),
      .init(
        "extend_with", .choice(ExtendMode.allCases.map(\.rawValue)), default: .text("background"),
        help: "what fills the border: the background, or the picture's edge pixels (copy), "
          + "the picture again (repeat), or mirrored at its edges (mirror)"),
    ])

  public init(_ arguments: Arguments) {
    top = arguments.integer("top")
    bottom = arguments.integer("bottom")
    left = arguments.integer("left")
    right = arguments.integer("right")
    background = arguments.colour("background")
    mode = ExtendMode(rawValue: arguments.text("extend_with"))!
  }

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let input = inputs[0]
    return try PictureLayout.checked(
      width: left + input.width + right, height: top + input.height + bottom,
      format: format(of: input))
  }

  public func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let input = inputs[0].with(format: format(of: inputs[0]))
    return needsFrame ? PixelBuffer.byteCount(input) : input.rowByteCount * 128
  }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout
    let source = BandSelection(from: input.format, to: format(of: input)).open(inputs[0], context)
    let layout = source.layout.with(
      width: left + input.width + right, height: top + input.height + bottom)
    return ExtendSource(
      source, layout: layout, left: left, top: top, background: background, mode: mode,
      needsFrame: needsFrame, context)
  }

  private var needsFrame: Bool {
    (mode == .repeat || mode == .mirror) && (top > 0 || bottom > 0)
  }

  private func format(of input: PictureLayout) -> PixelFormat {
    guard mode == .background else { return input.format }
    return input.format.holding(background)
      .with(alpha: input.format.hasAlpha || background.alpha < 1)
  }
}

/// What lies outside a picture.
enum ExtendMode: String, CaseIterable, Sendable {
  case background
  case copy
  case `repeat`
  case mirror

  /// The row or column, 0 to `count - 1`, that stands at `index`, which may be any; nil for the
  /// background.
  func inside(_ index: Int, of count: Int) -> Int? {
    if (0..<count).contains(index) { return index }
    switch self {
    case .background: return nil
    case .copy: return max(0, min(count - 1, index))
    case .repeat: return Self.modulo(index, count)
    case .mirror:
      let place = Self.modulo(index, 2 * count)
      return place < count ? place : 2 * count - 1 - place
    }
  }

  private static func modulo(_ index: Int, _ count: Int) -> Int {
    let rest = index % count
    return rest < 0 ? rest + count : rest
  }
}
