import CShims
import ImageCore
import ImageMetadata

/// Metadata that takes several segments.
extension JPEGReader {
  /// Adds XMP and IPTC, and what of them cannot be read.
  func addBlocks(to metadata: inout PictureMetadata) {
    metadata.losses = losses
    metadata.xmp = segment(SHIM_JPEG_XMP) ?? []
    if let first = segment(SHIM_JPEG_EXTENDED_XMP), first.count > 40,
      let name = ExtendedXMP.wantedName(metadata.xmp)
    {
      do throws(XMPFault) {
        guard let rest = try rest(named: Array(name.utf8)) else { throw .incomplete }
        metadata.xmp = try ExtendedXMP.joined(metadata.xmp, rest)
      } catch {
        metadata.losses.append(.unreadable(.extendedXMP, reason: error.description))
      }
    }
    guard let resources = photoshopResources else { return }
    if let block = PhotoshopResources.iptcBlock(resources) {
      metadata.iptc = block
    } else {
      metadata.losses.append(.unreadable(.iptc, reason: "the Photoshop resources around it are damaged"))
    }
  }

  /// The rest of an extended packet: parts with the packet's digest, its length, and their offset in it. Nil if a part is
  /// missing.
  private func rest(named name: [UInt8]) throws(XMPFault) -> [UInt8]? {
    var parts: [Int: ArraySlice<UInt8>] = [:]
    var total = 0
    var index = 0
    while let segment = segment(SHIM_JPEG_EXTENDED_XMP, index) {
      index += 1
      guard segment.count > 40, Array(segment[..<32]) == name else { continue }
      total = segment[32..<36].reduce(0) { $0 << 8 | Int($1) }
      parts[segment[36..<40].reduce(0) { $0 << 8 | Int($1) }] = segment[40...]
    }
    guard total <= XMPParser.maximumByteCount else { throw .tooLarge(total) }
    var rest: [UInt8] = []
    while rest.count < total {
      guard let part = parts[rest.count] else { return nil }
      rest += part
    }
    return rest
  }

  /// Photoshop's resources, which may take several segments; nil without any.
  private var photoshopResources: [UInt8]? {
    guard var resources = segment(SHIM_JPEG_PHOTOSHOP) else { return nil }
    var index = 1
    while let more = segment(SHIM_JPEG_PHOTOSHOP, index) {
      resources += more
      index += 1
    }
    return resources
  }

  /// The parts beside the picture, as far as they stand outside of XMP; and a profile that does not fit.
  private var losses: [MetadataLoss] {
    (info.has_jumbf != 0 ? [.credentials] : []) + (gainMap == nil ? [] : [.gainMap])
      + (info.has_icc == 0 ? [] : ICCProfile.losses(of: iccProfile, layout.format))
  }

  /// An estimate of the bytes that keeping a gain map takes: the map, and the file in front of it.
  var gainMapByteCount: Int { gainMap == nil ? 0 : layout.byteCount / 2 }

  /// The kind of gain map that a file has beside its picture, for `imghost info`; nil for none.
  ///
  /// Ultra HDR version 1.1 names it in the picture's XMP, by the namespace or by its item in the directory of the file's
  /// parts. ISO 21496-1 has a segment.
  var gainMap: String? {
    let isUltraHDR = segment(SHIM_JPEG_XMP).map { packet in
      ["http://ns.adobe.com/hdr-gain-map/1.0/", "=\"GainMap\"", "='GainMap'", ">GainMap<"].contains {
        packet.holds(Array($0.utf8))
      }
    }
    switch (isUltraHDR ?? false, info.has_gain_map != 0) {
    case (true, true): return "Ultra HDR, ISO 21496-1"
    case (true, false): return "Ultra HDR"
    case (false, true): return "ISO 21496-1"
    case (false, false): return nil
    }
  }
}

extension [UInt8] {
  /// Whether it has these bytes in a row.
  func holds(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, count >= bytes.count else { return false }
    return (0...count - bytes.count).contains { self[$0] == first && self[$0..<$0 + bytes.count].elementsEqual(bytes) }
  }
}
