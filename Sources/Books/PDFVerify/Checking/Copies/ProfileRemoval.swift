import ImageCore

/// Disables ICC profiles in a private copy of the file, so that poppler shows the stored values, which can be compared
/// exactly. Also disables the opacity inside JPEG 2000 data, see `OpacityRemoval`.
///
/// `[/ICCBased 12 0 R]` becomes the device space with the same number of components, padded with spaces so that every
/// offset stays valid. An array that several pictures share is overwritten several times with equal bytes. If the array
/// is in an object stream, `/ColorSpace 13 0 R` in the picture becomes `/CS/DeviceRGB`; poppler accepts the key `CS`
/// because inline images use it. If the array is inside another one in an object stream, such as that of an indexed
/// space, the profile is made unreadable, with the same effect. The colours that the profile defines are not checked.
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
    /// The range of the profile's data.
    let profile: Range<Int>?
    let hasProfile: Bool
    /// Whether `ColorSpace` in the picture's dictionary is a reference to the array.
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

/// Disables the opacity inside JPEG 2000 data in poppler's private copy of the file.
///
/// Poppler 22.12 passes the opacity to cairo as if it were a colour, which makes every pixel wrong. Without
/// `SMaskInData`, poppler shows only the colours, which must equal the stored ones.
private enum OpacityRemoval {
  /// Changes `/SMaskInData` in an image's dictionary from 1 or 2 to 0.
  static func overwrite(_ image: PDFFile.Object, _ file: PDFFile, _ mapping: FileMapping) {
    guard let offset = image.offset, let end = image.stream?.lowerBound else { return }
    let name = Array("/SMaskInData".utf8)
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    guard let start = ByteSearch.first(name, in: text, from: offset),
      let digit = (start + name.count..<end).first(where: { text[$0] > 32 }),
      text[digit] == UInt8(ascii: "1") || text[digit] == UInt8(ascii: "2")
    else { return }
    mapping.overwrite(at: digit, with: [UInt8(ascii: "0")])
  }
}

/// Disables default colour spaces (PDF 32000-1:2008, 8.6.5.6) in poppler's private copy of the file, as
/// `ProfileRemoval` does with profiles. Otherwise poppler would convert the colours of pictures in device spaces.
///
/// `/DefaultRGB` becomes `/DEFAULTRGB`, which has no meaning. If the entry is in an object stream, an object without
/// the entry replaces the one that contains it.
private struct DefaultSpaceRemoval {
  let file: PDFFile
  /// The offsets of the keys in pages' resources.
  private(set) var places: [Int] = []
  /// Replacements for objects in object streams.
  private(set) var update: ObjectUpdate
  private var visited: Set<Int> = []
  private static let keys = ["DefaultGray", "DefaultRGB", "DefaultCMYK"]
  private static let maximumDepth = 64

  init(_ file: PDFFile) {
    self.file = file
    update = ObjectUpdate(file)
  }

  var isEmpty: Bool { places.isEmpty && update.values.isEmpty }

  mutating func look(at page: PageRecord, _ resources: [String: PDFValue], _ entries: [String: PDFValue]) {
    let spaces = file.resolve(resources["ColorSpace"]).dictionary ?? [:]
    guard Self.keys.contains(where: { spaces[$0] != nil }) else { return }
    // The entries are in the ColorSpace dictionary. If neither it nor the Resources dictionary is an indirect object,
    // they are inside the page or, if the resources are inherited, inside one of its ancestors in the page tree.
    if let number = resources["ColorSpace"]?.reference { return search(number) }
    if let number = entries["Resources"]?.reference { return search(number) }
    var next: Int? = page.object
    for _ in 0..<Self.maximumDepth {
      guard let number = next else { return }
      search(number)
      next = file.object(number)?.dictionary["Parent"]?.reference
    }
  }

  private mutating func search(_ number: Int) {
    guard visited.insert(number).inserted, let object = file.object(number) else { return }
    guard let start = object.offset, let end = object.stream?.lowerBound ?? object.end else {
      let plain = Self.without(object.value)
      if plain != object.value { update.replace(number, by: plain) }
      return
    }
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    for key in Self.keys {
      var from = start
      while let place = ByteSearch.first(Array("/\(key)".utf8), in: text, from: from) {
        places.append(place)
        from = place + 1
      }
    }
  }

  /// Returns resources without default spaces, however deeply these are nested.
  private static func without(_ value: PDFValue) -> PDFValue {
    switch value {
    case .array(let items): .array(items.map(without))
    case .dictionary(let entries): .dictionary(entries.filter { !keys.contains($0.key) }.mapValues(without))
    default: value
    }
  }

  func overwrite(_ mapping: FileMapping) {
    for place in places { mapping.overwrite(at: place + 2, with: Array("EFAULT".utf8)) }
  }
}

/// New values for objects of a file, for an incremental update, which is appended to the file (PDF 32000-1:2008,
/// 7.5.6).
private struct ObjectUpdate {
  let file: PDFFile
  private(set) var values: [Int: PDFValue] = [:]

  init(_ file: PDFFile) { self.file = file }

  mutating func replace(_ number: Int, by value: PDFValue) { values[number] = value }

  /// The bytes to append to the file; empty if no object was replaced.
  var bytes: [UInt8] {
    guard !values.isEmpty else { return [] }
    let start = file.bytes.count
    var bytes: [UInt8] = [10]
    var table = "xref\n"
    for (number, value) in values.sorted(by: { $0.key < $1.key }) {
      let offset = String(start + bytes.count)
      table += "\(number) 1\n" + String(repeating: "0", count: max(0, 10 - offset.count)) + offset
      table += " 00000 n \n"
      bytes += Array("\(number) 0 obj\n\(text(value))\nendobj\n".utf8)
    }
    let place = start + bytes.count
    // The trailer must not have the entries of a cross-reference stream.
    var trailer = file.trailer.filter { !Self.streamKeys.contains($0.key) }
    trailer["Prev"] = .integer(file.referencePlace)
    table += "trailer\n" + text(.dictionary(trailer)) + "\nstartxref\n\(place)\n%%EOF\n"
    return bytes + Array(table.utf8)
  }
  private static let streamKeys: Set = ["Type", "W", "Index", "Filter", "DecodeParms", "Length", "XRefStm"]

  private func text(_ value: PDFValue) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .real(let value): return FaultText.number(max(-1e9, min(1e9, value)), decimals: 8)
    case .string(let bytes): return "<" + Hexadecimal.text(bytes) + ">"
    case .name(let name): return Self.name(name)
    case .array(let items): return "[" + items.map(text).joined(separator: " ") + "]"
    case .dictionary(let entries):
      let sorted = entries.sorted { $0.key < $1.key }
      return "<<" + sorted.map { Self.name($0.key) + " " + text($0.value) }.joined(separator: " ") + ">>"
    case .reference(let number): return "\(number) \(file.generation(number)) R"
    }
  }

  /// Returns a name in PDF syntax. Any byte of a name may be written as a number sign and two hexadecimal digits
  /// (7.3.5).
  private static func name(_ name: String) -> String {
    var result = "/"
    for byte in name.utf8 {
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      result += isPlain ? String(UnicodeScalar(byte)) : "#" + Hexadecimal.text([byte])
    }
    return result
  }
}
