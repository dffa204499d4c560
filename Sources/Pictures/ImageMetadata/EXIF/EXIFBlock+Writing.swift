import ImageCore

extension EXIFBlock {
  /// Returns the block to write with a picture: the carried fields of its own block, updated for the new pixels, or a
  /// minimal block if only the orientation is needed.
  package static func forWriting(_ metadata: PictureMetadata, _ layout: PictureLayout) -> [UInt8] {
    let block = rewritten(
      metadata.exifBlock, orientation: metadata.orientation, layout, profile: metadata.iccProfile)
    guard block.isEmpty, metadata.orientation != .upright else { return block }
    return minimal(metadata.orientation)
  }

  /// Returns the block with new facts about the pixels, and with only the fields that `EXIFTags` carries.
  ///
  /// The maker note and the thumbnail are left out: they would show the original picture, including cropped parts.
  /// Empty if `block` is not an EXIF block or no field is left.
  static func rewritten(_ block: [UInt8], orientation: Orientation, _ layout: PictureLayout, profile: [UInt8])
    -> [UInt8]
  {
    written(block) { fields in
      if orientation != .upright || fields[EXIFTags.orientation] != nil {
        fields[EXIFTags.orientation] = .short(orientation.rawValue)
      }
      change(&fields, EXIFTags.exifDirectory) { exif in
        if exif[EXIFTags.pixelWidth] != nil { exif[EXIFTags.pixelWidth] = .long(layout.width) }
        if exif[EXIFTags.pixelHeight] != nil { exif[EXIFTags.pixelHeight] = .long(layout.height) }
      }
      ColourTags.update(&fields, profile, layout.format.model)
    }
  }

  /// Returns the block without its GPS directory and without `EXIFTags.personal`.
  static func withoutPersonalFields(_ block: [UInt8]) -> [UInt8] {
    written(block) { fields in
      fields[EXIFTags.gpsDirectory] = nil
      fields = fields.filter { !EXIFTags.personal.contains($0.key) }
      change(&fields, EXIFTags.exifDirectory) { exif in
        exif = exif.filter { !EXIFTags.personal.contains($0.key) }
      }
    }
  }

  /// Returns the block, or a new one, with fields that a closure changes.
  static func edited(_ block: [UInt8], _ edit: (inout TIFFFields) -> Void) -> [UInt8] {
    if TIFFReader(block)?.firstDirectory != nil { return written(block, edit) }
    var fields: TIFFFields = [:]
    edit(&fields)
    return fields.isEmpty ? [] : TIFFWriter(fields, isLittleEndian: false).bytes
  }

  /// Returns the block with these fields of the main and the EXIF directory alone. The GPS directory is one field.
  static func keeping(_ block: [UInt8], _ tags: Set<Int>) -> [UInt8] {
    written(block) { fields in
      fields = fields.filter { tags.contains($0.key) || $0.key == EXIFTags.exifDirectory }
      change(&fields, EXIFTags.exifDirectory) { exif in exif = exif.filter { tags.contains($0.key) } }
    }
  }

  /// Returns a block with the orientation only: a big-endian header and a directory of one entry.
  static func minimal(_ orientation: Orientation) -> [UInt8] {
    TIFFWriter([EXIFTags.orientation: .short(orientation.rawValue)], isLittleEndian: false).bytes
  }

  /// The most bytes of a value; larger ones are left out. A JPEG holds no larger block, and a block whose entries all
  /// share the same megabytes must not grow a hundredfold.
  private static let largestValue = 65_535

  private static func written(_ block: [UInt8], _ edit: (inout TIFFFields) -> Void) -> [UInt8] {
    guard let reader = TIFFReader(block), let main = reader.firstDirectory else { return [] }
    var fields = carried(main, EXIFTags.carriedMain, reader)
    carry(EXIFTags.exifDirectory, of: main, EXIFTags.carriedExif, reader, into: &fields)
    carry(EXIFTags.gpsDirectory, of: main, EXIFTags.carriedGPS, reader, into: &fields)
    if let exif = subdirectory(EXIFTags.exifDirectory, of: main, reader) {
      change(&fields, EXIFTags.exifDirectory) { fields in
        carry(EXIFTags.interoperability, of: exif, EXIFTags.carriedInteroperability, reader, into: &fields)
      }
    }
    edit(&fields)
    return fields.isEmpty
      ? [] : TIFFWriter(fields, isLittleEndian: reader.isLittleEndian).bytes
  }

  /// Returns the carried fields. The first of a repeated field counts, as in reading.
  private static func carried(_ directory: TIFFReader.Directory, _ tags: Set<Int>, _ reader: TIFFReader) -> TIFFFields {
    var fields: TIFFFields = [:]
    for entry in directory.entries
    where tags.contains(entry.tag) && fields[entry.tag] == nil && entry.byteCount <= largestValue {
      let range = entry.offset..<entry.offset + entry.byteCount
      fields[entry.tag] = .value(type: entry.type, bytes: Array(reader.bytes[range]))
    }
    return fields
  }

  /// Adds a directory that another points to, unless it is empty.
  private static func carry(
    _ tag: Int, of directory: TIFFReader.Directory, _ tags: Set<Int>, _ reader: TIFFReader,
    into fields: inout TIFFFields
  ) {
    guard let below = subdirectory(tag, of: directory, reader) else { return }
    let carried = carried(below, tags, reader)
    if !carried.isEmpty { fields[tag] = .directory(carried) }
  }

  /// Changes a nested directory, if there is one, and removes it if it becomes empty.
  private static func change(_ fields: inout TIFFFields, _ tag: Int, _ body: (inout TIFFFields) -> Void) {
    guard case .directory(var below)? = fields[tag] else { return }
    body(&below)
    fields[tag] = below.isEmpty ? nil : .directory(below)
  }
}
