import Platform

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

/// Contrast as defined by the Web Content Accessibility Guidelines 2.1
/// (https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio).
extension Colour {
  /// The minimum contrast of small text (success criterion 1.4.3).
  public static let readableContrast = 4.5

  /// The relative luminance of an opaque colour in sRGB, from 0 for black to 1 for white.
  public var luminance: Double {
    func linear(_ value: Double) -> Double {
      value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Returns the contrast of two opaque colours, from 1 for equal ones to 21 for black on white.
  public func contrast(to other: Colour) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// Whether text of this colour has more contrast to black than to white.
  public var isLight: Bool { contrast(to: .black) > contrast(to: .white) }

  /// Returns the weakest veil of black or white that makes opaque text of this colour readable on any picture.
  ///
  /// The worst picture behind light text is white. A black veil of opacity A turns it into the gray 1 - A, as colours
  /// are mixed in sRGB; behind dark text, a white veil turns black into the gray A. Either black or white always
  /// suffices, because no colour has a contrast below 4.5 to both.
  ///
  /// - Parameter contrast: the required contrast, at most 4.58; slightly more than 4.5 allows for rounding.
  public func veil(contrast: Double = Colour.readableContrast) -> Colour {
    let (isLight, own) = (isLight, luminance)
    let limit = isLight ? (own + 0.05) / contrast - 0.05 : (own + 0.05) * contrast - 0.05
    let linear = min(1, max(0, limit))
    let gray = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
    var veil = isLight ? Colour.black : .white
    veil.alpha = min(1, max(0, isLight ? 1 - gray : gray))
    return veil
  }
}

extension Colour {
  /// Whether the colour is black or white, which are the same in all profiles.
  public var isBlackOrWhite: Bool { red == green && green == blue && (red == 0 || red == 1) }

  /// Returns a script's colour, which is sRGB, in the colour space of the picture on which it is used. Alpha is
  /// unchanged.
  ///
  /// - Parameter profile: the picture's ICC profile, empty for none. Colours are unchanged for gray and CMYK pictures,
  ///   and, after a note, if the profile cannot be used.
  /// - Throws: the reason why no conversion is possible.
  public func matching(_ profile: @autoclosure () -> [UInt8], _ context: OperationContext) throws(PictureError)
    -> Colour
  {
    // Reading the profile from a file is avoided if possible.
    isBlackOrWhite ? self : try [self].matching(profile(), context)[0]
  }
}

extension [Colour] {
  /// Returns these sRGB colours in the colour space of a picture, as `Colour.matching` does.
  public func matching(_ profile: [UInt8], _ context: OperationContext) throws(PictureError) -> [Colour] {
    guard StandardProfile.isOtherRGB(profile) else { return self }
    let transform = try PictureError.ofOperation { () throws(OperationError) in
      try context.colours.transform(to: profile, context)
    }
    guard let transform, transform.sourceBands == 3, transform.targetBands == 3 else { return self }
    return map { colour in
      guard let matched = transform.value(at: [colour.red, colour.green, colour.blue]) else { return colour }
      return Colour(red: matched[0], green: matched[1], blue: matched[2], alpha: colour.alpha)
    }
  }
}

extension ColourConverter {
  /// Returns the conversion from sRGB to a picture's profile; nil, after a note, for a profile that cannot be a target,
  /// because it is damaged or describes a scanner.
  ///
  /// - Throws: the reason why no conversion is possible.
  public func transform(to profile: [UInt8], _ context: OperationContext) throws(OperationError) -> ColourTransform? {
    let srgb = StandardProfile.srgb.bytes
    do throws(OperationError) { return try transform(from: srgb, to: profile, .relative, blackPoint: true) } catch {
      let isDamaged = try transform(from: profile, to: srgb, .relative, blackPoint: true) == nil
      context.note(
        isDamaged
          ? "the colour profile is damaged and ignored"
          : "colours of the script keep their numbers, because the picture's colour profile takes no others")
      return nil
    }
  }
}

extension FormatConversion {
  /// Creates a conversion of rows whose background is a colour of the script. If RGB loses its alpha, the background is
  /// first converted to the picture's profile.
  ///
  /// - Parameters:
  ///   - background: the colour behind removed alpha, in sRGB.
  ///   - profile: the picture's ICC profile, empty for none.
  public init(
    from source: PixelFormat, to target: PixelFormat, showing background: Colour,
    on profile: @autoclosure () -> [UInt8],
    _ context: OperationContext
  ) throws(PictureError) {
    let isSeen = source.hasAlpha && !target.hasAlpha && source.model == .rgb
    self.init(
      from: source, to: target, background: isSeen ? try background.matching(profile(), context) : background)
  }
}

extension Colour {
  /// Reads `"#rgb"`, `"#rgba"`, `"#rrggbb"`, `"#rrggbbaa"`, a CSS Color Level 4 name, or a list of 3 or 4 numbers from
  /// 0 to 255; nil for any other value.
  public init?(_ value: ParameterValue) {
    switch value {
    case .colour(let colour): self = colour
    case .text(let text):
      guard let colour = Colour(text: text) else { return nil }
      self = colour
    case .list(let items):
      let components = items.compactMap { item -> Double? in
        switch item {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
      }
      guard components.count == items.count, (3...4).contains(items.count),
        components.allSatisfy({ (0...255).contains($0) })
      else { return nil }
      self.init(
        red: components[0] / 255, green: components[1] / 255, blue: components[2] / 255,
        alpha: components.count == 4 ? components[3] / 255 : 1)
    default: return nil
    }
  }

  private init?(text: String) {
    let text = text.lowercased()
    if text == "transparent" {
      self = .transparent
      return
    }
    if let value = Self.names[text] {
      self.init(hexadecimal: value << 8 | 0xff)
      return
    }
    guard text.first == "#" else { return nil }
    var digits = text.dropFirst()
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
      return nil
    }
    if digits.count == 3 || digits.count == 4 { digits = Substring(digits.map { "\($0)\($0)" }.joined()) }
    if digits.count == 6 { digits += "ff" }
    guard digits.count == 8, let value = UInt32(digits, radix: 16) else { return nil }
    self.init(hexadecimal: value)
  }

  private init(hexadecimal value: UInt32) {
    func component(_ shift: UInt32) -> Double { Double(value >> shift & 0xff) / 255 }
    self.init(
      red: component(24), green: component(16), blue: component(8), alpha: component(0))
  }

  /// The 148 names of CSS Color Level 4, section 6.1.
  private static let names: [String: UInt32] = [
    "aliceblue": 0xf0f8ff, "antiquewhite": 0xfaebd7, "aqua": 0x00ffff, "aquamarine": 0x7fffd4,
    "azure": 0xf0ffff, "beige": 0xf5f5dc, "bisque": 0xffe4c4, "black": 0x000000,
    "blanchedalmond": 0xffebcd, "blue": 0x0000ff, "blueviolet": 0x8a2be2, "brown": 0xa52a2a,
    "burlywood": 0xdeb887, "cadetblue": 0x5f9ea0, "chartreuse": 0x7fff00, "chocolate": 0xd2691e,
    "coral": 0xff7f50, "cornflowerblue": 0x6495ed, "cornsilk": 0xfff8dc, "crimson": 0xdc143c,
    "cyan": 0x00ffff, "darkblue": 0x00008b, "darkcyan": 0x008b8b, "darkgoldenrod": 0xb8860b,
    "darkgray": 0xa9a9a9, "darkgreen": 0x006400, "darkgrey": 0xa9a9a9, "darkkhaki": 0xbdb76b,
    "darkmagenta": 0x8b008b, "darkolivegreen": 0x556b2f, "darkorange": 0xff8c00,
    "darkorchid": 0x9932cc, "darkred": 0x8b0000, "darksalmon": 0xe9967a, "darkseagreen": 0x8fbc8f,
    "darkslateblue": 0x483d8b, "darkslategray": 0x2f4f4f, "darkslategrey": 0x2f4f4f,
    "darkturquoise": 0x00ced1, "darkviolet": 0x9400d3, "deeppink": 0xff1493,
    "deepskyblue": 0x00bfff, "dimgray": 0x696969, "dimgrey": 0x696969, "dodgerblue": 0x1e90ff,
    "firebrick": 0xb22222, "floralwhite": 0xfffaf0, "forestgreen": 0x228b22, "fuchsia": 0xff00ff,
    "gainsboro": 0xdcdcdc, "ghostwhite": 0xf8f8ff, "gold": 0xffd700, "goldenrod": 0xdaa520,
    "gray": 0x808080, "green": 0x008000, "greenyellow": 0xadff2f, "grey": 0x808080,
    "honeydew": 0xf0fff0, "hotpink": 0xff69b4, "indianred": 0xcd5c5c, "indigo": 0x4b0082,
    "ivory": 0xfffff0, "khaki": 0xf0e68c, "lavender": 0xe6e6fa, "lavenderblush": 0xfff0f5,
    "lawngreen": 0x7cfc00, "lemonchiffon": 0xfffacd, "lightblue": 0xadd8e6, "lightcoral": 0xf08080,
    "lightcyan": 0xe0ffff, "lightgoldenrodyellow": 0xfafad2, "lightgray": 0xd3d3d3,
    "lightgreen": 0x90ee90, "lightgrey": 0xd3d3d3, "lightpink": 0xffb6c1, "lightsalmon": 0xffa07a,
    "lightseagreen": 0x20b2aa, "lightskyblue": 0x87cefa, "lightslategray": 0x778899,
    "lightslategrey": 0x778899, "lightsteelblue": 0xb0c4de, "lightyellow": 0xffffe0,
    "lime": 0x00ff00, "limegreen": 0x32cd32, "linen": 0xfaf0e6, "magenta": 0xff00ff,
    "maroon": 0x800000, "mediumaquamarine": 0x66cdaa, "mediumblue": 0x0000cd,
    "mediumorchid": 0xba55d3, "mediumpurple": 0x9370db, "mediumseagreen": 0x3cb371,
    "mediumslateblue": 0x7b68ee, "mediumspringgreen": 0x00fa9a, "mediumturquoise": 0x48d1cc,
    "mediumvioletred": 0xc71585, "midnightblue": 0x191970, "mintcream": 0xf5fffa,
    "mistyrose": 0xffe4e1, "moccasin": 0xffe4b5, "navajowhite": 0xffdead, "navy": 0x000080,
    "oldlace": 0xfdf5e6, "olive": 0x808000, "olivedrab": 0x6b8e23, "orange": 0xffa500,
    "orangered": 0xff4500, "orchid": 0xda70d6, "palegoldenrod": 0xeee8aa, "palegreen": 0x98fb98,
    "paleturquoise": 0xafeeee, "palevioletred": 0xdb7093, "papayawhip": 0xffefd5,
    "peachpuff": 0xffdab9, "peru": 0xcd853f, "pink": 0xffc0cb, "plum": 0xdda0dd,
    "powderblue": 0xb0e0e6, "purple": 0x800080, "rebeccapurple": 0x663399, "red": 0xff0000,
    "rosybrown": 0xbc8f8f, "royalblue": 0x4169e1, "saddlebrown": 0x8b4513, "salmon": 0xfa8072,
    "sandybrown": 0xf4a460, "seagreen": 0x2e8b57, "seashell": 0xfff5ee, "sienna": 0xa0522d,
    "silver": 0xc0c0c0, "skyblue": 0x87ceeb, "slateblue": 0x6a5acd, "slategray": 0x708090,
    "slategrey": 0x708090, "snow": 0xfffafa, "springgreen": 0x00ff7f, "steelblue": 0x4682b4,
    "tan": 0xd2b48c, "teal": 0x008080, "thistle": 0xd8bfd8, "tomato": 0xff6347,
    "turquoise": 0x40e0d0, "violet": 0xee82ee, "wheat": 0xf5deb3, "white": 0xffffff,
    "whitesmoke": 0xf5f5f5, "yellow": 0xffff00, "yellowgreen": 0x9acd32,
  ]
}
