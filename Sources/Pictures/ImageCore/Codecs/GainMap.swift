/// The gain map of an Ultra HDR picture: a small picture of how much brighter each place can be shown.
public struct GainMap: Sendable {
  /// The map as a JPEG file.
  public var jpeg: [UInt8]
  /// Its description in XMP, and in ISO 21496-1; each is empty if missing.
  public let xmp: [UInt8]
  public let iso: [UInt8]

  public init(jpeg: [UInt8], xmp: [UInt8], iso: [UInt8]) {
    self.jpeg = jpeg
    self.xmp = xmp
    self.iso = iso
  }
}
