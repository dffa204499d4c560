/// A colour with straight alpha, with each component from 0 to 1. Colours of scripts are sRGB until `matching` converts
/// them to the colour space of a picture.
public struct Colour: Sendable, Hashable {
  public var red: Double
  public var green: Double
  public var blue: Double
  public var alpha: Double

  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  public static let black = Colour(red: 0, green: 0, blue: 0)
  public static let white = Colour(red: 1, green: 1, blue: 1)
  public static let transparent = Colour(red: 0, green: 0, blue: 0, alpha: 0)

  /// The colour in the notation of scripts and web pages: `#rrggbb`, or `#rrggbbaa` if alpha is not full.
  public var hexadecimal: String {
    "#" + [red, green, blue].map(Self.digits).joined() + (alpha == 1 ? "" : Self.digits(alpha))
  }

  private static func digits(_ component: Double) -> String {
    let byte = Int((component * 255).rounded())
    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// The luma with the weights of ITU-R BT.709, 0 to 1.
  public var luma: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }

  /// Returns the colour as samples of gray or RGB, rounded to nearest: luma for gray, and alpha last if the format has
  /// it.
  public func samples(in format: PixelFormat) -> [Int] {
    precondition(format.model != .cmyk, "colours have no amounts of ink")
    let top = Double(format.sample.maximum)
    var components = format.model == .gray ? [luma] : [red, green, blue]
    if format.hasAlpha { components.append(alpha) }
    return components.map { Int(($0 * top).rounded()) }
  }
}
