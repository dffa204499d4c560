import ImageCore

/// Disables ICC profiles in a private copy of the file, so that poppler shows the stored values, which can be compared
/// exactly. Also disables the opacity inside JPEG 2000 data, see `OpacityRemoval`.
///
/// `[/ICCBased 12 0 R]` becomes the device space with the same number of components, padded with spaces so that every
/// offset stays valid. Pictures may share the array, which is then changed once. If the array is in an object stream,
/// `/ColorSpace 13 0 R` in the picture becomes `/CS/DeviceRGB`, a name that poppler accepts because inline images use
/// it. If the array itself is in a picture's dictionary in an object stream, the profile is made unreadable, with the
/// same effect. The colours that the profile defines are not checked.
enum ProfileRemoval {
  /// Returns the bytes for poppler: the reader's own mapping of the file if there is nothing to disable.
  static func view(of file: PDFFile, pages: [PageRecord], input: InputFile) throws(FileError) -> FileMapping {
    var defaults = DefaultSpaceRemoval(file)
    let holders = holders(pages, file, &defaults)
    guard !holders.isEmpty || !defaults.isEmpty else { return file.mapping }
    let mapping = try FileMapping(input, adding: defaults.update.bytes)
    defaults.overwrite(mapping)
    for holder in holders {
      if holder.hasProfile { overwrite(holder, file, mapping) }
      if holder.hasOpacity { OpacityRemoval.overwrite(holder.image, file, mapping) }
    }
    return mapping
  }

  /// Returns the pictures with a profile or with opacity inside JPEG 2000 data. Also adds default colour spaces to
  /// `defaults`.
  private static func holders(
    _ pages: [PageRecord], _ file: PDFFile, _ defaults: inout DefaultSpaceRemoval
  ) -> [Holder] {
    var holders: [Holder] = []
    var seen: Set<Int> = []
    for (index, page) in pages.enumerated() {
      if index % 64 == 63 { file.mapping.release() }
      let entries = page.entries(file)
      let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
      defaults.look(at: page, resources, entries)
      for entry in (file.resolve(resources["XObject"]).dictionary ?? [:]).values {
        guard let number = entry.reference, seen.insert(number).inserted,
          let object = file.object(number),
          let facts = PictureFacts(number, object.dictionary, file), facts.hasProfile || facts.hasOpacityInData
        else { continue }
        let space = object.dictionary["ColorSpace"]?.reference.flatMap(file.object)
        holders.append(
          Holder(
            image: object, object: space ?? object, name: facts.deviceName, profile: Self.profile(object, file),
            hasProfile: facts.hasProfile,
            isNamed: space != nil && file.resolve(object.dictionary["ColorSpace"]).array?.first == .name("ICCBased"),
            hasOpacity: facts.hasOpacityInData))
      }
    }
    return holders
  }

  private struct Holder {
    let image: PDFFile.Object
    /// The object that contains the array.
    let object: PDFFile.Object
    /// The device space that replaces the array.
    let name: String
    /// The bytes of the profile's data.
    let profile: Range<Int>?
    let hasProfile: Bool
    /// Whether the picture's dictionary only refers to the array.
    let isNamed: Bool
    let hasOpacity: Bool
  }

  private static func profile(_ image: PDFFile.Object, _ file: PDFFile) -> Range<Int>? {
    let items = file.resolve(image.dictionary["ColorSpace"]).array ?? []
    let inner = items.first == .name("Indexed") ? file.resolve(items.dropFirst().first).array : nil
    return (inner ?? items).dropFirst().first?.reference.flatMap(file.object)?.stream
  }

  private static func overwrite(_ holder: Holder, _ file: PDFFile, _ mapping: FileMapping) {
    if holder.isNamed, holder.object.offset == nil { return overwriteReference(holder, file, mapping) }
    guard let offset = holder.object.offset else {
      guard let profile = holder.profile else { return }
      let zeros = [UInt8](repeating: 0, count: min(profile.count, 4_096))
      return mapping.overwrite(at: profile.lowerBound, with: zeros)
    }
    let (object, name) = (holder.object, holder.name)
    let end = object.stream?.lowerBound ?? min(file.bytes.count, offset + 4_096)
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    guard let marker = ByteSearch.first(Array("/ICCBased".utf8), in: text, from: offset),
      let close = ByteSearch.first([UInt8(ascii: "]")], in: text, from: marker),
      let open = (offset..<marker).last(where: { text[$0] == UInt8(ascii: "[") })
    else { return }
    replace(open..<close + 1, by: "/\(name)", mapping)
  }

  private static func overwriteReference(_ holder: Holder, _ file: PDFFile, _ mapping: FileMapping) {
    guard let offset = holder.image.offset, let end = holder.image.stream?.lowerBound else { return }
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    guard let key = ByteSearch.first(Array("/ColorSpace".utf8), in: text, from: offset),
      let last = ByteSearch.first([UInt8(ascii: "R")], in: text, from: key)
    else { return }
    replace(key..<last + 1, by: "/CS/\(holder.name)", mapping)
  }

  /// Overwrites a range with a text, padded with spaces, if the text fits.
  private static func replace(_ place: Range<Int>, by text: String, _ mapping: FileMapping) {
    guard text.utf8.count <= place.count else { return }
    let padding = [UInt8](repeating: UInt8(ascii: " "), count: place.count - text.utf8.count)
    mapping.overwrite(at: place.lowerBound, with: Array(text.utf8) + padding)
  }
}
