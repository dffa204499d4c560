import Platform

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
  /// suffices, because no colour is within 4.5 of both.
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
