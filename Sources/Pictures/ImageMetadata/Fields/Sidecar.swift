import ImageCore

/// An XMP file beside a picture, whose properties replace those of the picture.
package enum Sidecar {
  /// The paths at which a picture's sidecar may be, the usual ones first: `IMG_1.jpg.xmp` (darktable, digiKam),
  /// `IMG_1.xmp` (Adobe, which keeps one for all files of a name).
  package static func paths(of path: String) -> [String] {
    let folder = PathName.folder(path).map { $0 + "/" } ?? ""
    let starts = [path, folder + PathName.stem(String(PathName.name(path)))]
    return starts.flatMap { [$0 + ".xmp", $0 + ".XMP"] }.filter { $0 != path }
  }

  /// Returns metadata with the sidecar's properties, and with their twins in EXIF and IPTC. What describes pixels stays
  /// the picture's own.
  package static func applied(_ bytes: [UInt8], to metadata: PictureMetadata) throws(XMPFault) -> PictureMetadata {
    var sidecar = try XMPPacket(bytes)
    for name in ["Orientation", "ImageWidth", "ImageLength"] { sidecar[XMPName(XMPSpace.tiff, name)] = nil }
    for name in ["PixelXDimension", "PixelYDimension"] { sidecar[XMPName(XMPSpace.exif, name)] = nil }
    var result = MetadataEdit(sidecar).applied(to: metadata)
    var packet = (try? XMPPacket(result.xmp)) ?? XMPPacket()
    packet.merge(sidecar, replacing: true)
    result.xmp = packet.bytes()
    return result
  }
}
