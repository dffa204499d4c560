import ImageCodecs
@testable import ImageCore
@testable import ImageMetadata

/// Every use of a picture's metadata: the metadata that is copied into a file, for each choice of the option.
enum Copies {
  static let layout = PictureLayout(width: 40, height: 30, format: .rgb8)
  static let choices: [MetadataChoice] = [.all, .public, .none, .keep(Set(MetadataField.allCases))]

  static func make(of metadata: PictureMetadata) {
    for choice in choices {
      let (copy, losses) = choice.applied(to: metadata, layout)
      for loss in losses { precondition(!loss.description.isEmpty) }
      // What is written is read again.
      let block = EXIFBlock.forWriting(copy, layout)
      if !block.isEmpty { precondition(EXIFBlock(block) != nil) }
      if !copy.xmp.isEmpty { precondition((try? XMPPacket(copy.xmp)) != nil) }
      if !copy.iptc.isEmpty { precondition(IPTCRecord(copy.iptc) != nil) }
    }
  }
}

enum EXIFReading {
  /// Returns the metadata that a codec reads from a block; nothing if the block is invalid.
  static func metadata(_ block: [UInt8]) -> PictureMetadata {
    guard let exif = EXIFBlock(block) else { return PictureMetadata() }
    _ = ICCProfile.calibrated(exif.colour, Copies.layout.format)
    return PictureMetadata(orientation: Orientation(exif, []), exif: exif.fields, exifBlock: block)
  }

  static func read(_ bytes: [UInt8]) {
    let metadata = EXIFReading.metadata(bytes)
    precondition(metadata.exifBlock.isEmpty || EXIFBlock(bytes) != nil)
    for value in metadata.exif.values {
      if case .text(let text) = value { _ = MetadataDate(text) }
    }
    Copies.make(of: metadata)
  }
}

enum XMPReading {
  static func read(_ bytes: [UInt8]) {
    _ = XMPMeaning.digest(bytes)
    if let split = ExtendedXMP(splitting: bytes) {
      precondition(split.rest.isEmpty == (bytes.count <= ExtendedXMP.mainLimit))
    }
    _ = ExtendedXMP.wantedName(bytes)
    guard let packet = try? XMPPacket(bytes) else { return }
    let written = packet.bytes()
    guard !packet.isEmpty else { return precondition(written.isEmpty) }
    guard let again = try? XMPPacket(written) else { preconditionFailure("a written packet cannot be read") }
    precondition(again.bytes() == written, "a packet changes when it is written twice")
    Copies.make(of: PictureMetadata(xmp: bytes))
    if let metadata = try? Sidecar.applied(bytes, to: PictureMetadata()) { Copies.make(of: metadata) }
  }
}

enum IPTCReading {
  static func read(_ bytes: [UInt8]) {
    if let block = PhotoshopResources.iptcBlock(bytes) { Copies.make(of: PictureMetadata(iptc: block)) }
    guard let record = IPTCRecord(bytes) else { return }
    for number in UInt8.min...UInt8.max { _ = record.texts(number) }
    precondition(IPTCRecord(record.bytes) != nil)
    var packet = XMPPacket()
    packet.add(record)
    precondition(packet.isEmpty || (try? XMPPacket(packet.bytes())) != nil)
    Copies.make(of: PictureMetadata(iptc: bytes))
  }
}

enum ICCReading {
  static func read(_ bytes: [UInt8]) {
    for format in [PixelFormat.rgb8, PixelFormat.gray8] {
      let losses = ICCProfile.losses(of: bytes, format)
      precondition(losses.isEmpty == (ICCProfile.matching(bytes, format) == bytes && !bytes.isEmpty))
    }
    _ = StandardProfile.isOtherRGB(bytes)
  }
}

/// The outer structure of files, and TIFF's.
enum ContainerReading {
  static func read(_ bytes: [UInt8]) {
    guard let file = PictureReading.file(bytes) else { return }
    _ = FileContainer.hasManifest(file)
    precondition(FileContainer.peak(file) >= 0)
    if let found = FileContainer.tiffMetadata(file) {
      var metadata = EXIFReading.metadata(found.exifBlock)
      (metadata.xmp, metadata.iptc) = (found.xmp, found.iptc)
      Copies.make(of: metadata)
    }
  }
}
