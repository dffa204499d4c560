import BookExpectations
import ImageCore

/// Facts from a font dictionary (PDF 32000-1:2008, 9.6 to 9.9).
struct FontFacts: Sendable, Equatable {
  /// The state of the embedded font program.
  enum Program: Sendable, Equatable {
    case embedded
    /// One of the 14 standard fonts that every reader has.
    case standard
    case missing
    /// The font program is embedded but cannot be used, for the given reason.
    case damaged(String)
  }

  /// The font's name without the subset tag of six letters.
  let name: String
  let program: Program
  /// Whether the font's glyphs map to characters, so that text in the font can be searched and copied.
  let isSearchable: Bool
  /// The name and digest of an embedded composite font; nil for any other font, or if a part of it cannot be read.
  let expectation: FontExpectation?
  /// Whether the dictionary has Windows encoding and no unusual entries, as in the Helvetica that imghost writes.
  let isPlain: Bool
  /// A fault for each of the font's dictionaries with a wrong Type entry.
  let typeFaults: [StructureFault]

  /// Reads the facts; nil if the dictionary is not a font.
  init?(_ entries: [String: PDFValue], _ file: PDFFile) {
    guard let subtype = file.resolve(entries["Subtype"]).name else { return nil }
    name = Self.plainName(file.resolve(entries["BaseFont"]).name ?? subtype)
    let hasUnicode = file.resolve(entries["ToUnicode"]) != .null
    expectation = Self.expectation(entries, file)
    typeFaults = Self.typeFaults(entries, name, file)
    isPlain =
      file.resolve(entries["Encoding"]) == .name("WinAnsiEncoding")
      && Set(entries.keys).isSubset(of: ["Type", "Subtype", "BaseFont", "Encoding", "Name"])
    switch subtype {
    case "Type3":
      program = .embedded
      isSearchable = hasUnicode
    case "Type0":
      let descendants = file.resolve(entries["DescendantFonts"]).array ?? []
      let descendant = file.resolve(descendants.first).dictionary ?? [:]
      program = Self.program(descendant, name: nil, file)
      isSearchable = hasUnicode
    case "Type1", "MMType1", "TrueType":
      program = Self.program(entries, name: name, file)
      // A named encoding defines the characters (9.10.2).
      isSearchable = hasUnicode || file.resolve(entries["Encoding"]) != .null || Self.standardFonts.contains(name)
    default: return nil
    }
  }

  /// Returns faults of Type entries according to tables 111, 117, 121 and 122.
  private static func typeFaults(_ entries: [String: PDFValue], _ name: String, _ file: PDFFile) -> [StructureFault] {
    var faults: [StructureFault] = []
    func check(_ dictionary: [String: PDFValue], _ what: String, _ expected: String) {
      let found = file.resolve(dictionary["Type"]).name
      if found != expected { faults.append(.type("\(what) \(name)", expected: expected, found: found)) }
    }
    check(entries, "the font", "Font")
    let descendants = file.resolve(entries["DescendantFonts"]).array ?? []
    let descendant = file.resolve(descendants.first).dictionary
    if let descendant { check(descendant, "the descendant of the font", "Font") }
    let descriptor = file.resolve((descendant ?? entries)["FontDescriptor"]).dictionary
    if let descriptor { check(descriptor, "the descriptor of the font", "FontDescriptor") }
    return faults
  }

  private static func expectation(_ entries: [String: PDFValue], _ file: PDFFile) -> FontExpectation? {
    guard file.resolve(entries["Encoding"]) == .name("Identity-H"),
      let fonts = file.resolve(entries["DescendantFonts"]).array, fonts.count == 1,
      let font = file.resolve(fonts[0]).dictionary,
      let descriptor = file.resolve(font["FontDescriptor"]).dictionary,
      let program = unpacked(descriptor["FontFile2"] ?? descriptor["FontFile3"], file),
      let toUnicode = unpacked(entries["ToUnicode"], file)
    else { return nil }
    var glyphMap: [UInt8] = []
    if let entry = font["CIDToGIDMap"] {
      // imghost writes a stream. With any other value, such as the name `Identity`, the font has no expectation.
      guard let map = unpacked(entry, file) else { return nil }
      glyphMap = map
    }
    let usual = file.resolve(font["DW"]).number ?? 1_000
    let widths = [FontExpectation.width(usual)] + (font["W"].map { words($0, file) } ?? [])
    let codeSet = unpacked(descriptor["CIDSet"], file) ?? []
    let stream = descriptor["FontFile2"] ?? descriptor["FontFile3"]
    let own = stream?.reference.flatMap(file.object)?.dictionary ?? [:]
    let others = [entries, font, descriptor, own].map { dictionary in
      var left = maximumValues
      return PDFValue.dictionary(dictionary.filter { !parts.contains($0.key) }).digestText(file, &left)
    }
    return FontExpectation(
      plainName(file.resolve(font["BaseFont"]).name ?? ""), program: program, glyphMap: glyphMap, widths: widths,
      toUnicode: toUnicode, entries: others.joined(), codeSet: codeSet)
  }

  /// Entries that an expectation covers individually, that only refer to such entries, or that depend on compression.
  private static let parts: Set = [
    "DescendantFonts", "ToUnicode", "FontDescriptor", "W", "DW", "CIDToGIDMap", "FontFile2",
    "FontFile3", "CIDSet", "Filter", "DecodeParms", "Length",
  ]
  private static let maximumValues = 1_000

  private static func unpacked(_ value: PDFValue?, _ file: PDFFile) -> [UInt8]? {
    value?.reference.flatMap(file.object).flatMap { file.decoded($0, limit: 256 << 20) }
  }

  private static func words(_ value: PDFValue, _ file: PDFFile, depth: Int = 0) -> [String] {
    switch file.resolve(value) {
    case .array(let items) where depth < 2:
      ["["] + items.flatMap { words($0, file, depth: depth + 1) } + ["]"]
    case let value: [value.number.map(FontExpectation.width) ?? "?"]
    }
  }

  private static func program(_ font: [String: PDFValue], name: String?, _ file: PDFFile) -> Program {
    let descriptor = file.resolve(font["FontDescriptor"]).dictionary ?? [:]
    for key in ["FontFile", "FontFile2", "FontFile3"] {
      guard let number = descriptor[key]?.reference else { continue }
      guard let object = file.object(number), object.stream != nil else {
        return .damaged("the file lacks its program")
      }
      return FontProgram.problem(with: object, key: key, file).map { .damaged($0) } ?? .embedded
    }
    return name.map(standardFonts.contains) == true ? .standard : .missing
  }

  /// Returns a name without its subset tag, as in `ABCDEF+Name` (9.6.4).
  private static func plainName(_ name: String) -> String {
    let parts = name.split(separator: "+", maxSplits: 1)
    let isTagged =
      parts.count == 2 && parts[0].utf8.count == 6
      && parts[0].utf8.allSatisfy { (0x41...0x5a).contains($0) }
    return isTagged ? String(parts[1]) : name
  }

  /// The 14 standard fonts (PDF 32000-1:2008, 9.6.2.2).
  static let standardFonts: Set<String> = [
    "Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic", "Helvetica", "Helvetica-Bold",
    "Helvetica-Oblique", "Helvetica-BoldOblique", "Courier", "Courier-Bold", "Courier-Oblique",
    "Courier-BoldOblique", "Symbol", "ZapfDingbats",
  ]
}

/// Checks that an embedded font program is complete, as far as its headers and tables show.
enum FontProgram {
  private static let maximumBytes = 256 << 20

  /// Returns why the font program cannot be used; nil if it can.
  static func problem(with object: PDFFile.Object, key: String, _ file: PDFFile) -> String? {
    let filter = file.resolve(object.dictionary["Filter"])
    guard let bytes = file.decoded(object, limit: maximumBytes) else {
      // Font programs with other filters are allowed but unusual, so they are not checked.
      let isFlate = [.null, .name("FlateDecode"), .array([.name("FlateDecode")])].contains(filter)
      return isFlate ? "its compressed program is damaged" : nil
    }
    return bytes.withUnsafeBytes { bytes in
      switch key {
      case "FontFile": type1(bytes, object, file)
      case "FontFile2": sfnt(bytes, outlines: [0x0001_0000, 0x7472_7565])
      default:
        file.resolve(object.dictionary["Subtype"]).name == "OpenType"
          ? sfnt(bytes, outlines: [0x0001_0000, 0x4f54_544f]) : compact(bytes)
      }
    }
  }

  /// Checks that a Type 1 font begins with `%!` (Adobe Type 1 Font Format), and is not shorter than Length1.
  private static func type1(_ bytes: UnsafeRawBufferPointer, _ object: PDFFile.Object, _ file: PDFFile) -> String? {
    guard bytes.starts(with: Array("%!".utf8)) else { return "it is not a Type 1 font" }
    let clear = file.resolve(object.dictionary["Length1"]).integer ?? 0
    return clear > bytes.count ? "its program is cut off" : nil
  }

  /// Checks the table directory (OpenType specification 1.9, "Organization of an OpenType font").
  private static func sfnt(_ bytes: UnsafeRawBufferPointer, outlines: [UInt32]) -> String? {
    guard bytes.count >= 12, outlines.contains(word(bytes, 0)) else {
      return "it is not a TrueType or OpenType font"
    }
    let count = Int(word(bytes, 4) >> 16)
    guard count > 0, bytes.count >= 12 + count * 16 else { return "its program is cut off" }
    for table in 0..<count {
      let entry = 12 + table * 16
      let end = UInt64(word(bytes, entry + 8)) + UInt64(word(bytes, entry + 12))
      if end > UInt64(bytes.count) { return "its program is cut off" }
    }
    return nil
  }

  /// Checks for a header of major version 1 with data after it (Adobe Technical Note 5176, section 6).
  private static func compact(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count > 4, bytes[0] == 1, Int(bytes[2]) < bytes.count else { return "it is not a CFF font" }
    return nil
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
