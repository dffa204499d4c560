import ImageCore

/// An XMP file beside a picture, whose properties replace those in the picture.
package enum Sidecar {
  package static let maximumByteCount = XMPParser.maximumByteCount

  /// Returns the possible paths of a picture's sidecar, in order of precedence: `IMG_1.jpg.xmp` (darktable, digiKam),
  /// then `IMG_1.xmp` (Adobe; one sidecar for all files with the same base name), each also with `.XMP`.
  package static func paths(of path: String) -> [String] {
    let folder = PathName.folder(path).map { $0 + "/" } ?? ""
    let starts = [path, folder + PathName.stem(String(PathName.name(path)))]
    return starts.flatMap { [$0 + ".xmp", $0 + ".XMP"] }.filter { $0 != path }
  }

  /// Returns whether a file has the file extension and the beginning of a sidecar, which an XML declaration may precede.
  package static func isOne(_ file: InputFile) -> Bool {
    guard PathName.fileExtension(file.path) == "xmp", let bytes = try? file.bytes(at: 0, count: 1_024) else {
      return false
    }
    var start = Substring(String(decoding: bytes, as: UTF8.self)).drop { $0 == "\u{feff}" || $0.isWhitespace }
    if start.hasPrefix("<?xml "), let end = start.firstRange(of: "?>") {
      start = start[end.upperBound...].drop(while: \.isWhitespace)
    }
    return ["<?xpacket", "<x:xmpmeta", "<rdf:RDF"].contains(where: start.hasPrefix)
  }

  /// Returns metadata in which the sidecar's properties, and their equivalents in EXIF and IPTC, replace the picture's.
  /// Properties that describe pixels are not replaced.
  package static func applied(_ bytes: [UInt8], to metadata: PictureMetadata) throws(XMPFault) -> PictureMetadata {
    var sidecar = try XMPPacket(bytes)
    for name in ["Orientation", "ImageWidth", "ImageLength"] { sidecar[XMPName(XMPSpace.tiff, name)] = nil }
    for name in ["PixelXDimension", "PixelYDimension"] { sidecar[XMPName(XMPSpace.exif, name)] = nil }
    var result = MetadataEdit(sidecar).applied(to: metadata)
    result.exifBlock = EXIFBlock.edited(result.exifBlock) { edit(&$0, sidecar) }
    result.exif = EXIFBlock(result.exifBlock)?.fields ?? [:]
    if result.exif.isEmpty { result.exifBlock = [] }
    let texts = sidecar.iptcTexts
    if !texts.isEmpty, var record = result.iptc.isEmpty ? IPTCRecord() : IPTCRecord(result.iptc) {
      for (number, texts) in texts { record.set(number, to: texts) }
      result.iptc = record.bytes
    }
    var packet = (try? XMPPacket(result.xmp)) ?? XMPPacket()
    packet.merge(sidecar, replacing: true)
    result.xmp = packet.bytes()
    return result
  }

  /// Replaces the location and the rating in EXIF if the sidecar contains them.
  private static func edit(_ fields: inout TIFFFields, _ sidecar: XMPPacket) {
    if sidecar.hasPlace { fields[EXIFTags.gpsDirectory] = sidecar.gpsDirectory.map { .directory($0) } }
    if let rating = sidecar[XMPName(XMPSpace.xmp, "Rating")] {
      let stars = rating.texts.first.flatMap { Double($0) }.map { $0.isNaN ? 0 : Int(max(-1, min(5, $0))) } ?? 0
      fields[0x4746] = stars >= 0 ? .short(stars) : nil
      fields[0x4749] = nil
    }
  }
}
