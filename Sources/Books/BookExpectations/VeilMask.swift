/// The soft mask of a veil that fades out at its lower and upper edge: an axial shading of opacities (PDF 32000-1:2008,
/// 8.7.4.5.3 and 11.6.5.2).
///
/// A veil is a translucent area behind text on a picture, 1,000 units wide and high in the coordinates of its mask. The
/// mask's name contains the opacity and the heights between which the opacity is constant. Content streams contain the
/// name, and the verifier derives the mask from it. Only the mask has the opacity, because MuPDF 1.21 applies the
/// opacity of the graphics state (`ca`) twice if there is a mask.
public struct VeilMask: Hashable, Sendable {
  /// The opacity in thousandths.
  private let opacity: Int
  /// The heights between which the veil has its full opacity, from 0 to 1,000. imghost writes only even numbers.
  private let low: Int
  private let high: Int

  public static let side = 1_000

  /// - Parameters:
  ///   - opacity: the opacity of the middle part, where the veil does not fade, from 0 to 1.
  ///   - below: the share of the height, from the lower edge, over which the opacity rises.
  ///   - above: the share of the height, up to the upper edge, over which the opacity falls.
  public init(opacity: Double, below: Double, above: Double) {
    func even(_ share: Double) -> Int { Int((min(1, max(0, share)) * Double(Self.side / 2)).rounded()) * 2 }
    // 0.001 is subtracted so that rounding errors do not raise the result by one.
    self.opacity = Int((min(1, max(0, opacity)) * 1_000 - 0.001).rounded(.up))
    low = even(below)
    high = max(low, even(1 - above))
  }

  /// Creates the mask from its name; nil if the name has another form.
  public init?(name: String) {
    let numbers = name.dropFirst().split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard numbers.count == 3, 0...1_000 ~= numbers[0], 0 <= numbers[1], numbers[1] <= numbers[2],
      numbers[2] <= Self.side
    else { return nil }
    (opacity, low, high) = (numbers[0], numbers[1], numbers[2])
    guard self.name == name else { return nil }
  }

  /// The name of the graphics state with the mask.
  public var name: String { "V\(opacity)-\(low)-\(high)" }

  /// The content stream of the mask's form XObject.
  public static let contentBytes = Array("/S sh\n".utf8)

  /// The dictionary of the mask's form XObject, without the entry Length.
  public var dictionary: String {
    let side = Self.side
    return "<</Type/XObject/Subtype/Form/BBox[-1 -1 \(side + 1) \(side + 1)]/Group<</S/Transparency/CS/DeviceGray>>"
      + "/Resources<</Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 0 \(side)]/Domain[0 \(side)]"
      + "/Extend[true true]/Function\(function)>>>>>>>>"
  }

  /// The opacity by height, as a PDF function. Each fade consists of two parabolas that meet halfway, so that neither
  /// the opacity nor its slope jumps.
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
