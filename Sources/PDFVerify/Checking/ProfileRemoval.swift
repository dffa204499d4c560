import ImageCore

/// Sets ICC profiles aside in a private view of the file, so that poppler shows stored values as they are
/// and can be held to equality.
///
/// `[/ICCBased 12 0 R]` becomes the device space of as many components, padded with spaces: every offset
/// stays right. The profile's colours themselves are not checked.
enum ProfileRemoval {
  /// The view of the file for poppler: the reader's own where no picture has a profile.
  static func view(of file: PDFFile, pages: [PageRecord], input: InputFile) throws(FileError)
    -> FileMapping
  {
    let holders = holders(pages, file)
    guard !holders.isEmpty else { return file.mapping }
    let mapping = try FileMapping(input)
    for (object, name) in holders { overwrite(object, with: name, file, mapping) }
    return mapping
  }

  /// The objects that name a profile, and the device space to name instead.
  private static func holders(_ pages: [PageRecord], _ file: PDFFile)
    -> [(object: PDFFile.Object, name: String)]
  {
    var holders: [(object: PDFFile.Object, name: String)] = []
    var seen: Set<Int> = []
    for page in pages {
      let resources = file.resolve(page.entries["Resources"]).dictionary ?? [:]
      for entry in (file.resolve(resources["XObject"]).dictionary ?? [:]).values {
        guard let number = entry.reference, seen.insert(number).inserted,
          let object = file.object(number),
          let facts = PictureFacts(number, object.dictionary, file), facts.hasProfile
        else { continue }
        let space = object.dictionary["ColorSpace"]?.reference.flatMap(file.object)
        holders.append((space ?? object, facts.colourSpace.deviceName))
      }
    }
    return holders
  }

  private static func overwrite(
    _ object: PDFFile.Object, with name: String, _ file: PDFFile, _ mapping: FileMapping
  ) {
    let end = object.stream?.lowerBound ?? min(file.bytes.count, object.offset + 4_096)
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    guard let marker = ByteSearch.first(Array("/ICCBased".utf8), in: text, from: object.offset),
      let close = ByteSearch.first([UInt8(ascii: "]")], in: text, from: marker),
      let open = (object.offset..<marker).last(where: { text[$0] == UInt8(ascii: "[") })
    else { return }
    let replacement = Array("/\(name)".utf8)
    let room = close - open + 1
    guard replacement.count <= room else { return }
    let padding = [UInt8](repeating: UInt8(ascii: " "), count: room - replacement.count)
    mapping.overwrite(at: open, with: replacement + padding)
  }
}
