/// Sets ICC profiles aside in a private view of the file, so that poppler shows stored values as they are
/// and can be held to equality.
///
/// `[/ICCBased 12 0 R]` becomes the device space of as many components, padded with spaces: every offset
/// stays right. The profile's colours themselves are not checked.
enum ProfileRemoval {
  static func apply(_ pages: [PageRecord], _ file: PDFFile, to mapping: FileMapping) {
    var done: Set<Int> = []
    for page in pages {
      let resources = file.resolve(page.entries["Resources"]).dictionary ?? [:]
      for entry in (file.resolve(resources["XObject"]).dictionary ?? [:]).values {
        guard let number = entry.reference, done.insert(number).inserted,
          let object = file.object(number),
          let facts = PictureFacts(number, object.dictionary, file), facts.hasProfile
        else { continue }
        let holder = object.dictionary["ColorSpace"]?.reference.flatMap(file.object) ?? object
        overwrite(holder, with: facts.colourSpace.deviceName, file, mapping)
      }
    }
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
