import ImageCore

/// The properties of a picture that a design looks at, found on a small version of it.
///
/// Nothing here is learned from examples: all are measurements of light, edges and colours.
package struct PictureTraits: Sendable, Hashable {
  /// The sharpness of the sharpest parts, from 0 for a blurred picture to 1.
  package var sharpness: Double
  /// The exposure, from 0 for a nearly black or white picture to 1 for one that uses the whole range.
  package var exposure: Double
  /// The contrast between dark and light parts, from 0 to 1.
  package var contrast: Double
  /// The parts that draw the eye.
  package var attention: AttentionMap
  /// Up to five colours in sRGB that cover most of the picture, the most frequent first.
  package var colours: [Colour]
  /// The height of a straight horizon as a share of the picture's height from the top; nil if there is none.
  package var horizon: Double?
  /// 64 bits that differ in few places between similar pictures.
  package var fingerprint: UInt64

  package init(
    sharpness: Double, exposure: Double, contrast: Double, attention: AttentionMap, colours: [Colour] = [],
    horizon: Double? = nil, fingerprint: UInt64 = 0
  ) {
    self.sharpness = sharpness
    self.exposure = exposure
    self.contrast = contrast
    self.attention = attention
    self.colours = colours
    self.horizon = horizon
    self.fingerprint = fingerprint
  }
}
