/// Scans the values of a PDF, and throws if one is not in the plain form, which allows only spellings that all readers
/// interpret alike (PDF 32000-1:2008, 7.2 and 7.3).
///
/// The scanner builds no values; `PDFLexer` reads those that are needed.
struct PlainScanner {
  let bytes: UnsafeRawBufferPointer
  var position: Int
  /// The position to report for faults; nil for the scanner's own position. Values in an object stream have no position
  /// in the file.
  private let origin: Int?
  /// The numbers of the objects that values refer to, in order.
  private var references: [Int32] = []

  /// - Parameter origin: the position to report for every fault; nil for the actual one.
  init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0, reporting origin: Int? = nil) {
    self.bytes = bytes
    self.position = position
    self.origin = origin
  }

  /// The entries of a dictionary that determine how the following bytes are read.
  struct Entries {
    /// The offset of the dictionary's first byte.
    let start: Int
    var length: Int?
    var type: Kind = .other
    var isLinearization = false
    /// Whether the stream's data is in another file.
    var isExternal = false

    enum Kind { case objectStream, crossReference, other }
  }

  static let maximumDepth = 64
  static let maximumObject = 8_388_607

  private var place: Int { origin ?? position }
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }
  var isAtEnd: Bool { position >= bytes.count }

  /// Moves the references that were read so far to the end of a list, and returns their range in the list.
  mutating func moveReferences(to list: inout [Int32]) -> Range<Int> {
    let start = list.count
    list += references
    references.removeAll(keepingCapacity: true)
    return start..<list.count
  }

  /// Skips spaces and line feeds.
  mutating func skipSpace() throws(FormFault) {
    while let byte {
      switch byte {
      case 32, 10: position += 1
      case UInt8(ascii: "%"): throw .comment(at: place)
      case 0, 9, 12, 13: throw .whiteSpace(at: place)
      default: return
      }
    }
  }

  /// Skips a text if it comes next, and returns whether it did.
  mutating func accept(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }

  /// Skips a keyword if it comes next as a whole word, and returns whether it did.
  mutating func acceptWord(_ text: StaticString) -> Bool {
    let start = position
    if accept(text), isAtBoundary { return true }
    position = start
    return false
  }

  private var isAtBoundary: Bool { byte.map { !Self.isRegular($0) } ?? true }

  private static func isRegular(_ byte: UInt8) -> Bool {
    switch byte {
    case 0, 9, 10, 12, 13, 32: false
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "/"), UInt8(ascii: "%"):
      false
    default: true
    }
  }

  /// Reads a number of at most ten digits without leading zeros. For anything else, returns nil and does not advance.
  mutating func natural() -> Int? {
    let start = position
    var value = 0
    while let byte, (0x30...0x39).contains(byte), position - start < 11 {
      value = value * 10 + Int(byte - 0x30)
      position += 1
    }
    let count = position - start
    guard count > 0, count < 11, count == 1 || bytes[start] != 0x30, isAtBoundary else {
      position = start
      return nil
    }
    return value
  }

  /// Checks and skips a value.
  mutating func value(depth: Int = 0) throws(FormFault) {
    guard depth < Self.maximumDepth else { throw .tooDeep(at: place) }
    guard let byte else { throw .stray(at: place) }
    switch byte {
    case UInt8(ascii: "<"):
      if position + 1 < bytes.count, bytes[position + 1] == byte {
        _ = try dictionary(depth: depth)
      } else {
        try hexadecimal()
      }
    case UInt8(ascii: "["):
      position += 1
      try skipSpace()
      while !accept("]") {
        try value(depth: depth + 1)
        try skipSpace()
      }
    case UInt8(ascii: "("): try literal()
    case UInt8(ascii: "/"): _ = try name()
    case 0x30...0x39: if try !reference() { try number() }
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "+"): try number()
    default:
      guard Self.isRegular(byte) else { throw .stray(at: place) }
      let first = place
      guard acceptWord("true") || acceptWord("false") || acceptWord("null") else {
        throw .spelling("keyword", at: first)
      }
    }
  }

  /// Checks and skips a dictionary.
  mutating func dictionary(depth: Int = 0) throws(FormFault) -> Entries {
    var entries = Entries(start: position)
    guard accept("<<") else { throw .stray(at: place) }
    var keys = PlainKeys()
    try skipSpace()
    while !accept(">>") {
      let start = place
      let key = try name()
      let text = UnsafeRawBufferPointer(rebasing: bytes[key])
      guard keys.insert(text) else { throw .doubledKey(String(decoding: text, as: UTF8.self), at: start) }
      try skipSpace()
      if depth == 0 { note(text, &entries) }
      if Self.mayBeLarge(text), byte.map({ (0x30...0x39).contains($0) }) ?? false {
        if try !reference() { try length(of: text, depth, &entries) }
      } else if acceptWord("null") {
        throw .nullEntry(String(decoding: text, as: UTF8.self), at: start)
      } else {
        try value(depth: depth + 1)
      }
      try skipSpace()
    }
    return entries
  }

  /// Records an entry that determines how the bytes after its dictionary are read. The scanner must be at the entry's
  /// value.
  private func note(_ key: UnsafeRawBufferPointer, _ entries: inout Entries) {
    if key.elementsEqual("Type".utf8) {
      var next = self
      if next.acceptWord("/ObjStm") { entries.type = .objectStream }
      if next.acceptWord("/XRef") { entries.type = .crossReference }
    } else if key.elementsEqual("Linearized".utf8) {
      entries.isLinearization = true
    } else if key.elementsEqual("F".utf8) || key.elementsEqual("FFilter".utf8)
      || key.elementsEqual("FDecodeParms".utf8)
    {
      entries.isExternal = true
    }
  }

  /// Returns whether an entry with this key may be an offset or length in a file, which may exceed two gigabytes.
  private static func mayBeLarge(_ key: UnsafeRawBufferPointer) -> Bool {
    switch key.count {
    case 1: [UInt8(ascii: "L"), UInt8(ascii: "E"), UInt8(ascii: "T")].contains(key[0])
    case 4: key.elementsEqual("Prev".utf8)
    case 6: key.elementsEqual("Length".utf8)
    default: false
    }
  }

  /// Skips an offset or length in a file, and records the length of a stream.
  private mutating func length(of key: UnsafeRawBufferPointer, _ depth: Int, _ entries: inout Entries)
    throws(FormFault)
  {
    guard let value = natural() else { throw .spelling("number", at: place) }
    if depth == 0, key.elementsEqual("Length".utf8) { entries.length = value }
  }

  /// Skips a reference such as `12 0 R`. For a plain number, returns false and does not advance.
  private mutating func reference() throws(FormFault) -> Bool {
    let (start, first) = (position, place)
    if let number = natural(), accept(" "), let generation = natural(), accept(" "), acceptWord("R") {
      guard generation == 0, (1...Self.maximumObject).contains(number) else { throw .reference(at: first) }
      references.append(Int32(number))
      return true
    }
    position = start
    return false
  }

  /// Skips an integer of 32 bits, or a decimal fraction of at most 17 digits.
  private mutating func number() throws(FormFault) {
    let (start, first) = (position, place)
    _ = accept("-")
    let whole = digits()
    let hasPoint = accept(".")
    let fraction = hasPoint ? digits() : 0..<0
    let isShort = hasPoint ? whole.count + fraction.count <= 17 : isSmall(whole, isNegative: bytes[start] == 0x2d)
    let hasZero = whole.count > 1 && bytes[whole.lowerBound] == 0x30
    guard hasPoint ? !fraction.isEmpty : !whole.isEmpty, isShort, !hasZero, isAtBoundary else {
      throw .spelling("number", at: first)
    }
  }

  private func isSmall(_ digits: Range<Int>, isNegative: Bool) -> Bool {
    guard digits.count <= 10 else { return false }
    return bytes[digits].reduce(0) { $0 * 10 + Int($1 - 0x30) } <= Int(Int32.max) + (isNegative ? 1 : 0)
  }

  private mutating func digits() -> Range<Int> {
    let start = position
    while let byte, (0x30...0x39).contains(byte) { position += 1 }
    return start..<position
  }

  /// Skips a name, and returns its range without the slash. A character may be written as `#xx` only where the standard
  /// requires it (7.3.5).
  private mutating func name() throws(FormFault) -> Range<Int> {
    let first = place
    guard accept("/") else { throw .stray(at: place) }
    let start = position
    while let byte, Self.isRegular(byte) {
      position += 1
      guard (0x21...0x7e).contains(byte) else { throw .spelling("name", at: first) }
      guard byte == UInt8(ascii: "#") else { continue }
      guard bytes.count - position >= 2, let high = Self.digit(bytes[position]),
        let low = Self.digit(bytes[position + 1])
      else { throw .spelling("name", at: first) }
      let value = high << 4 | low
      let isNeeded = !(0x21...0x7e).contains(value) || !Self.isRegular(value) || value == UInt8(ascii: "#")
      guard isNeeded, value != 0 else { throw .spelling("name", at: first) }
      position += 2
    }
    guard position > start else { throw .spelling("name", at: first) }
    return start..<position
  }

  /// Returns the value of a hexadecimal digit in qpdf's spelling; nil for any other byte, including capital letters.
  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private mutating func hexadecimal() throws(FormFault) {
    let (start, first) = (position, place)
    position += 1
    while let byte, Self.digit(byte) != nil || (0x41...0x46).contains(byte) { position += 1 }
    guard accept(">"), (position - start).isMultiple(of: 2) else { throw .spelling("string", at: first) }
  }

  private mutating func literal() throws(FormFault) {
    let first = place
    var depth = 0
    while let byte {
      position += 1
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return }
      case UInt8(ascii: "\\"): guard acceptEscape() else { throw .spelling("string", at: first) }
      // Some readers treat a CR as a line feed (7.3.4.2).
      case 13: throw .spelling("string", at: first)
      default: break
      }
    }
    throw .spelling("string", at: first)
  }

  private mutating func acceptEscape() -> Bool {
    guard let byte else { return false }
    position += 1
    switch byte {
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\\"):
      return true
    case 0x30...0x33:
      for _ in 0..<2 {
        guard let next = self.byte, (0x30...0x37).contains(next) else { return false }
        position += 1
      }
      return true
    default: return false
    }
  }
}

/// The keys found so far in one dictionary, compared by their bytes.
private struct PlainKeys {
  private var few: [UnsafeRawBufferPointer] = []
  private var many: Set<String> = []
  private static let fewCount = 16

  /// Adds a key. Returns whether it is new.
  mutating func insert(_ key: UnsafeRawBufferPointer) -> Bool {
    if few.count < Self.fewCount {
      if few.contains(where: { $0.elementsEqual(key) }) { return false }
      few.append(key)
      return true
    }
    if many.isEmpty { many = Set(few.map { String(decoding: $0, as: UTF8.self) }) }
    return many.insert(String(decoding: key, as: UTF8.self)).inserted
  }
}
