import ImageCore
import Synchronization

/// A PDF file, read by imghost's own reader. The reader is strict about features that imghost uses, and reports
/// features that it cannot judge.
///
/// `@unchecked Sendable`: after initialisation, only `objectStreams` changes, which has its own lock, and the mapped
/// memory is only read.
final class PDFFile: @unchecked Sendable {
  /// An indirect object: its value, and the range of its stream's bytes.
  struct Object {
    let value: PDFValue
    /// The offset of the value in the file; nil for an object in an object stream.
    let offset: Int?
    let stream: Range<Int>?
    /// The fault of a stream whose declared length is wrong or missing; else nil.
    let streamFault: Fault?
    /// The offset where `endobj` is required; nil for an object in an object stream, or if `endstream` is missing.
    let end: Int?
    /// Faults that readers repair silently.
    var mended: [StructureFault] = []

    var dictionary: [String: PDFValue] { value.dictionary ?? [:] }
  }

  let mapping: FileMapping
  let trailer: [String: PDFValue]
  /// The places of objects by number: the offset, the negative number of the object stream that contains the object, or
  /// 0 if there is no such object.
  private let places: [Int]
  /// Generations other than 0, by object number.
  private let generations: [Int: Int]
  private let objectStreams = ObjectStreams()
  /// The offset of the newest section of the cross-reference.
  let referencePlace: Int
  /// Whether the file has cross-reference streams, and whether readers without support for them cannot open it.
  let hasReferenceStreams: Bool
  let needsReferenceStreams: Bool
  /// Faults of the cross-reference and of the file's outer structure.
  private(set) var faults: [Fault]

  var bytes: UnsafeRawBufferPointer { mapping.bytes }

  init(_ mapping: FileMapping) throws(Fault) {
    self.mapping = mapping
    var table = CrossReferenceReader(mapping)
    try table.read()
    trailer = table.trailer
    (places, referencePlace) = (table.places, table.place)
    generations = table.generations
    (hasReferenceStreams, needsReferenceStreams) = (table.hasStreams, table.needsStreams)
    faults = table.faults
    checkObjectStreams()
    checkRedefined(table.redefined)
  }

  /// The highest object number.
  var objectCount: Int { max(0, places.count - 1) }

  /// Whether any object is in an object stream.
  var hasObjectStreams: Bool { places.contains { $0 < 0 } }

  /// Returns whether an object is in the file itself, not in an object stream.
  func isInFile(_ number: Int) -> Bool { number > 0 && number < places.count && places[number] > 0 }

  /// Returns whether the cross-reference lists an object.
  func exists(_ number: Int) -> Bool { number > 0 && number < places.count && places[number] != 0 }

  func generation(_ number: Int) -> Int { generations[number] ?? 0 }

  /// Returns an object by its number; nil if it does not exist or is malformed.
  func object(_ number: Int) -> Object? { object(number, followsLength: true) }

  /// - Parameter followsLength: whether a stream's length may be read from an object stream. False while an object
  ///   stream itself is read, to avoid endless recursion.
  private func object(_ number: Int, followsLength: Bool) -> Object? {
    guard number > 0, number < places.count, places[number] != 0 else { return nil }
    return object(number, at: places[number], followsLength)
  }

  /// - Parameter place: an element of `places`.
  private func object(_ number: Int, at place: Int, _ followsLength: Bool) -> Object? {
    if place < 0 {
      return contents(of: -place)?.read(number, generations).map {
        let doubled = $0.doubledKey.map { [StructureFault.doubledKey(number, $0)] } ?? []
        return Object(value: $0.value, offset: nil, stream: nil, streamFault: nil, end: nil, mended: doubled)
      }
    }
    var lexer = PDFLexer(bytes, at: place, generations: generations)
    guard lexer.integer() == number, lexer.integer() != nil, lexer.accept("obj") else { return nil }
    lexer.skipSpace()
    let offset = lexer.position
    guard let value = lexer.value() else { return nil }
    let doubled = lexer.doubledKey.map { [StructureFault.doubledKey(number, $0)] } ?? []
    guard value.dictionary != nil, lexer.accept("stream") else {
      return Object(value: value, offset: offset, stream: nil, streamFault: nil, end: lexer.position, mended: doubled)
    }
    var object = stream(number, value, offset, lexer.position, followsLength)
    object.mended += doubled
    return object
  }

  /// Returns a value after following references; null for a missing object, or after 16 references.
  func resolve(_ value: PDFValue?) -> PDFValue {
    var value = value ?? .null
    for _ in 0..<16 {
      guard case .reference(let number) = value else { return value }
      value = object(number)?.value ?? .null
    }
    return .null
  }

  /// Returns the characters of a text string (7.9.2.2); nil for any other value.
  func text(_ value: PDFValue?) -> String? {
    if case .string(let bytes) = resolve(value) { TextString.text(bytes) } else { nil }
  }

  /// Returns the uncompressed bytes of a stream without a filter or with only FlateDecode; nil if the data is damaged,
  /// longer than `limit`, or has another filter or a predictor that is not PNG's.
  func decoded(_ object: Object, limit: Int) -> [UInt8]? {
    guard let stream = object.stream else { return nil }
    var entries = object.dictionary
    for key in ["Filter", "DecodeParms"] where entries[key] != nil { entries[key] = resolve(entries[key]) }
    return StreamDecoder.decode(UnsafeRawBufferPointer(rebasing: bytes[stream]), entries, limit: limit)
  }

  /// Returns whether a stream has more than `limit` uncompressed bytes, and is valid up to there. Supports the same
  /// streams as `decoded`.
  func exceeds(_ object: Object, limit: Int) -> Bool {
    guard let stream = object.stream else { return false }
    let data = UnsafeRawBufferPointer(rebasing: bytes[stream])
    let isPacked = ![.null, .array([])].contains(resolve(object.dictionary["Filter"]))
    return isPacked ? Inflater.exceeds(data, limit: limit) : data.count > limit
  }

  private func contents(of stream: Int) -> ObjectStreams.Contents? {
    objectStreams.contents(of: stream) {
      guard stream < places.count, places[stream] > 0,
        let object = object(stream, followsLength: false),
        object.dictionary["Type"]?.name == "ObjStm", let bytes = decoded(object, limit: Self.maximumObjectStream)
      else { return nil }
      return ObjectStreams.Contents(bytes, object.dictionary)
    }
  }

  private static let maximumObjectStream = 64 << 20

  /// Checks that every object is in the object stream that the cross-reference names for it.
  private func checkObjectStreams() {
    var members: [Int: [Int]] = [:]
    for number in places.indices where places[number] < 0 {
      members[-places[number], default: []].append(number)
    }
    for (stream, numbers) in members.sorted(by: { $0.key < $1.key }) {
      guard let contents = contents(of: stream) else {
        faults.append(.table(.objectStream(object: stream)))
        continue
      }
      for number in numbers where contents.places[number] == nil {
        faults.append(.table(.objectStreamMember(object: number, stream: stream)))
        if faults.count > 16 { return }
      }
    }
  }

  /// Reports objects for which one revision lists two places with different contents, because readers may use either.
  ///
  /// - Parameter others: the second places.
  private func checkRedefined(_ others: [(number: Int, place: Int)]) {
    for (number, place) in others where places[number] != place {
      guard let first = object(number) else { continue }
      let second = object(number, at: place, true)
      if first.value != second?.value || !isSameData(first.stream, second?.stream) {
        faults.append(.table(.redefined(number)))
      }
    }
  }

  private func isSameData(_ first: Range<Int>?, _ second: Range<Int>?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return bytes[first].elementsEqual(bytes[second])
  }

  /// Reads a stream object (7.3.8). Its data starts after a line end, and is followed by `endstream`.
  private func stream(_ number: Int, _ value: PDFValue, _ offset: Int, _ keywordEnd: Int, _ followsLength: Bool)
    -> Object
  {
    let start = ByteSearch.endOfLine(in: bytes, at: keywordEnd)
    let isMarked = start > keywordEnd && bytes[start - 1] == 10
    let mended: [StructureFault] = isMarked ? [] : [.streamKeyword(number)]
    let stated = statedLength(value, followsLength)
    if let length = stated, length >= 0, length <= bytes.count - start {
      var end = PDFLexer(bytes, at: start + length)
      if end.accept("endstream") {
        let more = end.position - "endstream".utf8.count - ByteSearch.endOfLine(in: bytes, at: start + length)
        return Object(
          value: value, offset: offset, stream: start..<start + length, streamFault: nil,
          end: end.position, mended: mended + (more > 0 ? [.streamEnd(number, more: more)] : []))
      }
    }
    let actual = search("endstream", from: start)
    return Object(
      value: value, offset: offset, stream: actual.map { start..<$0 },
      streamFault: .table(
        .streamLength(
          object: number, stated: stated, actual: actual.map { $0 - start })),
      end: actual.map { ByteSearch.endOfLine(in: bytes, at: $0) + "endstream".utf8.count }, mended: mended)
  }

  private func statedLength(_ value: PDFValue, _ followsLength: Bool) -> Int? {
    let entry = value.dictionary?["Length"]
    guard case .reference(let number)? = entry else { return entry?.integer }
    // Calling `object` here would recurse endlessly if a stream's length referred to the stream itself.
    guard number > 0, number < places.count, places[number] != 0 else { return nil }
    if places[number] < 0 {
      return followsLength ? contents(of: -places[number])?.value(number, generations)?.integer : nil
    }
    var lexer = PDFLexer(bytes, at: places[number])
    guard lexer.integer() == number, lexer.integer() != nil, lexer.accept("obj") else { return nil }
    return lexer.value()?.integer
  }

  /// Returns the offset of the next occurrence of a word, or of the line end directly before the word.
  private func search(_ word: String, from start: Int) -> Int? {
    guard var found = ByteSearch.first(Array(word.utf8), in: bytes, from: start) else { return nil }
    if found > start, bytes[found - 1] == 10 { found -= 1 }
    if found > start, bytes[found - 1] == 13 { found -= 1 }
    return found
  }
}

/// A version of PDF.
struct StatedVersion: Equatable, Comparable, CustomStringConvertible {
  let major: Int
  let minor: Int

  /// Parses a version; nil unless it is `1.0` to `1.7` or `2.0`.
  init?(_ text: some StringProtocol) {
    let digits = text.utf8.map { Int($0) - 0x30 }
    guard digits.count == 3, text.utf8.dropFirst().first == UInt8(ascii: "."),
      digits[0] == 1 && (0...7).contains(digits[2]) || digits[0] == 2 && digits[2] == 0
    else { return nil }
    (major, minor) = (digits[0], digits[2])
  }

  static func < (left: StatedVersion, right: StatedVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  var description: String { "\(major).\(minor)" }
}

/// The first two lines of a file (PDF 32000-1:2008, 7.5.2).
struct FileHeader {
  /// The printable characters where the version should be.
  let text: String
  let version: StatedVersion?
  /// Whether a comment of four bytes above 127 follows, which marks the file as binary.
  let isMarkedBinary: Bool

  /// - Parameter bytes: the file's bytes, which begin with `%PDF-`.
  init(_ bytes: UnsafeRawBufferPointer) {
    let start = 5
    let shown = bytes.dropFirst(start).prefix(8).prefix { (0x21...0x7e).contains($0) }
    text = String(decoding: Array(shown), as: UTF8.self)
    // The version may be followed directly by another comment.
    let isOver = bytes.count > start + 3 && [9, 10, 13, 32, 0x25].contains(bytes[start + 3])
    version = isOver ? StatedVersion(text.prefix(3)) : nil
    let end = ByteSearch.endOfLine(in: bytes, at: start + 3)
    isMarkedBinary =
      end > start + 3 && bytes.count >= end + 5 && bytes[end] == UInt8(ascii: "%")
      && bytes[(end + 1)..<(end + 5)].allSatisfy { $0 > 127 }
  }
}

/// The objects inside object streams (PDF 32000-1:2008, 7.5.7). The streams that were loaded most recently stay
/// uncompressed in memory.
private final class ObjectStreams: Sendable {
  /// One uncompressed stream.
  final class Contents: Sendable {
    private let bytes: [UInt8]
    /// The approximate memory of the stream, in bytes.
    var size: Int { bytes.count + places.count * 40 }
    /// Offsets of objects, by their numbers.
    let places: [Int: Int]

    /// Reads the table at the start of the stream; nil if its numbers are invalid.
    init?(_ bytes: [UInt8], _ entries: [String: PDFValue]) {
      guard let count = entries["N"]?.integer, let first = entries["First"]?.integer,
        count >= 0, first >= 0, first <= bytes.count, count <= bytes.count
      else { return nil }
      var places: [Int: Int] = [:]
      let isWhole = bytes.withUnsafeBytes { bytes in
        var lexer = PDFLexer(UnsafeRawBufferPointer(rebasing: bytes[..<first]))
        for _ in 0..<count {
          guard let number = lexer.integer(), let offset = lexer.integer(), offset >= 0, offset < bytes.count - first
          else { return false }
          places[number] = first + offset
        }
        return true
      }
      guard isWhole else { return nil }
      self.bytes = bytes
      self.places = places
    }

    func value(_ number: Int, _ generations: [Int: Int]) -> PDFValue? { read(number, generations)?.value }

    /// Returns an object's value, and the key of an entry that occurs twice, with different values, in one of its
    /// dictionaries.
    func read(_ number: Int, _ generations: [Int: Int]) -> (value: PDFValue, doubledKey: String?)? {
      guard let place = places[number] else { return nil }
      return bytes.withUnsafeBytes { bytes in
        var lexer = PDFLexer(bytes, at: place, generations: generations)
        return lexer.value().map { ($0, lexer.doubledKey) }
      }
    }
  }

  private struct Kept {
    var contents: [Int: Contents] = [:]
    var order: [Int] = []
    var bytes = 0
  }
  private let kept = Mutex(Kept())
  /// The maximum number of streams that are kept. Streams written by imghost contain a few hundred small objects each.
  private static let maximumKept = 8
  /// The maximum number of bytes of all kept streams.
  private static let maximumBytes = 64 << 20

  /// Returns the contents of a stream. `load` reads the stream if it is not in memory.
  func contents(of stream: Int, load: () -> Contents?) -> Contents? {
    if let known = kept.withLock({ $0.contents[stream] }) { return known }
    guard let contents = load() else { return nil }
    kept.withLock { kept in
      guard kept.contents[stream] == nil else { return }
      kept.bytes += contents.size
      while !kept.order.isEmpty, kept.order.count == Self.maximumKept || kept.bytes > Self.maximumBytes {
        let oldest = kept.contents.removeValue(forKey: kept.order.removeFirst())
        kept.bytes -= oldest?.size ?? 0
      }
      kept.contents[stream] = contents
      kept.order.append(stream)
    }
    return contents
  }
}
