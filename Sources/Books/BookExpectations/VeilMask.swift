/// The soft mask of a veil that fades out below and above: an axial shading of opacities
/// (PDF 32000-1:2008, 8.7.4.5.3 and 11.6.5.2).
///
/// A veil is 1,000 units wide and high in the coordinates of its mask. Its opacity, and the heights between which it is
/// whole, are in its name: so content streams state them, and the verifier knows the mask that belongs to a name. The mask
/// alone has the opacity, because MuPDF 1.21 counts that of the graphics state (`ca`) twice beside a mask.
public struct VeilMask: Hashable, Sendable {
  /// Thousandths.
  private let opacity: Int
  /// The heights between which the opacity is whole: even numbers from 0 to 1,000.
  private let low: Int
  private let high: Int

  public static let side = 1_000

  /// - Parameters:
  ///   - opacity: from 0 to 1, of the part that does not fade.
  ///   - below: the share of the height, from the lower edge, over which the opacity rises.
  ///   - above: the share, up to the upper edge, over which it falls.
  public init(opacity: Double, below: Double, above: Double) {
    func even(_ share: Double) -> Int { Int((min(1, max(0, share)) * Double(Self.side / 2)).rounded()) * 2 }
    // A thousandth of a thousandth allows for rounding.
    self.opacity = Int((min(1, max(0, opacity)) * 1_000 - 0.001).rounded(.up))
    low = even(below)
    high = max(low, even(1 - above))
  }

  /// The mask of a name; nil for another name.
  public init?(name: String) {
    let numbers = name.dropFirst().split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard numbers.count == 3, 0...1_000 ~= numbers[0], 0 <= numbers[1], numbers[1] <= numbers[2],
      numbers[2] <= Self.side
    else { return nil }
    (opacity, low, high) = (numbers[0], numbers[1], numbers[2])
    guard self.name == name else { return nil }
  }

  /// The name of its graphics state.
  public var name: String { "V\(opacity)-\(low)-\(high)" }

  /// The content of its form.
  public static let contentBytes = Array("/S sh\n".utf8)

  /// The dictionary of its form, without the entry for its length.
  public var dictionary: String {
    let side = Self.side
    return "<</Type/XObject/Subtype/Form/BBox[-1 -1 \(side + 1) \(side + 1)]/Group<</S/Transparency/CS/DeviceGray>>"
      + "/Resources<</Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 0 \(side)]/Domain[0 \(side)]"
      + "/Extend[true true]/Function\(function)>>>>>>>>"
  }

  /// Parabolas that meet halfway, so that the opacity neither jumps nor bends.
  private var function: String {
    var pieces: [(end: Int, from: Double, to: Double, isReversed: Bool)] = []
    if low > 0 { pieces += [(low / 2, 0, 0.5, false), (low, 1, 0.5, true)] }
    if high > low { pieces.append((high, 1, 1, false)) }
    if high < Self.side { pieces += [((high + Self.side) / 2, 1, 0.5, false), (Self.side, 0, 0.5, true)] }
    func text(_ share: Double) -> String { LengthText.text(share * Double(opacity) / 1_000) }
    let functions = pieces.map { "<</FunctionType 2/Domain[0 1]/C0[\(text($0.from))]/C1[\(text($0.to))]/N 2>>" }
    return "<</FunctionType 3/Domain[0 \(Self.side)]/Functions[\(functions.joined())]"
      + "/Bounds[\(pieces.dropLast().map { "\($0.end)" }.joined(separator: " "))]"
      + "/Encode[\(pieces.map { $0.isReversed ? "1 0" : "0 1" }.joined(separator: " "))]>>"
  }
}
