import ImageCore
import ImagePipeline

/// The outputs and measurements of a script, decoded into values. `StoredRecord` describes the format.
struct RecordContents: Sendable {
  /// The path of the script, absolute and with links followed; empty if it is not in a file. See
  /// `RecordFolder.scriptPlace` for the place.
  var script = "", place = ""
  var outputs: [RecordedOutput] = []
  var measurements: [RecordedMeasurement] = []

  init() {}

  /// Reads a whole record; nil if it is damaged or has another format.
  init?(_ bytes: [UInt8]) {
    guard let record = StoredRecord(.memory(bytes)) else { return nil }
    (script, place) = (record.script, record.place)
    outputs = record.outputs.compactMap(\.self)
    guard outputs.count == record.outputs.count, let measurements = record.measurements else { return nil }
    self.measurements = measurements
  }

  var bytes: [UInt8] {
    var recipes = Numbered<String>()
    var sources = Numbered<RecordedSource>()
    var outputSection = RecordSection.Writer()
    for output in outputs { outputSection.add { $0.append(output, &recipes, &sources) } }
    var measurementSection = RecordSection.Writer()
    for measurement in measurements {
      measurementSection.add { writer in
        writer.append(Optional(measurement.recipe))
        writer.append(list: measurement.sources) { $0.append(sources.number(of: $1)) }
        writer.append(measurement.value)
      }
    }
    var recipeSection = RecordSection.Writer()
    for text in recipes.all { recipeSection.add { $0.append(text) } }
    var sourceSection = RecordSection.Writer()
    for source in sources.all { sourceSection.add { $0.append(source) } }
    var bytes = StoredRecord.magic
    var footer = WireWriter()
    for section in [recipeSection, sourceSection, outputSection, measurementSection] {
      footer.append(UInt32(section.ends.count))
      for end in section.ends { footer.append(UInt32(clamping: bytes.count + Int(end))) }
      bytes += section.bytes
    }
    let hashes = outputs.enumerated().map { (hash: FNV.hash($1.key), number: UInt32($0)) }
      .sorted { ($0.hash, $0.number) < ($1.hash, $1.number) }
    for entry in hashes { footer.append(entry.hash) }
    for entry in hashes { footer.append(entry.number) }
    footer.append(script)
    footer.append(place)
    footer.append(UInt32(footer.bytes.count))
    bytes += footer.bytes
    return bytes + SHA256.digest(of: bytes).bytes
  }
}

/// A record in a file or in memory. Outputs are decoded on request, because decoded outputs take three times as much
/// memory as their bytes.
///
/// A record has four sections: recipes, sources, outputs and measurements. Entries refer to entries of earlier sections
/// by number. The footer contains the end of each entry, the hashes of the outputs' keys for finding outputs, and the
/// path and the place of the script. The SHA-256 of all preceding bytes is at the end.
struct StoredRecord: Sendable {
  static let magic = Array("IMGHREC5".utf8)

  /// The outputs in the stored order; nil for one that cannot be read.
  struct Outputs: RandomAccessCollection, Sendable {
    fileprivate let record: StoredRecord

    var startIndex: Int { 0 }
    var endIndex: Int { record.outputSection.count }
    subscript(number: Int) -> RecordedOutput? { record.output(number) }
  }

  /// The path and the place of the script; see `RecordContents.script`.
  let script, place: String
  /// The SHA-256 at the end.
  let checksum: SHA256Digest
  private let bytes: RecordBytes
  private let recipeSection: RecordSection
  private let sourceSection: RecordSection
  private let outputSection: RecordSection
  private let measurementSection: RecordSection
  /// The hashes of the outputs' keys, sorted, and the number of the output for each hash.
  private let hashes: [UInt32]
  private let numbers: [UInt32]

  /// Checks a record; nil if it is damaged or has another format.
  init?(_ bytes: RecordBytes) {
    self.bytes = bytes
    let end = bytes.count - 32
    guard end >= Self.magic.count + 4, let magic = bytes[0..<Self.magic.count], magic.elementsEqual(Self.magic),
      let last = bytes[end..<bytes.count], let checksum = SHA256Digest(bytes: last),
      checksum == bytes.digest(upTo: end),
      let length = bytes[end - 4..<end]
    else { return nil }
    self.checksum = checksum
    do throws(WireError) {
      var reader = WireReader(length)
      let start = end - 4 - Int(try reader.integer(UInt32.self))
      guard start >= Self.magic.count, let footer = bytes[start..<end - 4] else { return nil }
      reader = WireReader(footer)
      var sections: [RecordSection] = []
      for _ in 0..<4 {
        sections.append(
          RecordSection(
            start: sections.last?.end ?? Self.magic.count, ends: try reader.numbers(try reader.integer(UInt32.self))))
      }
      (recipeSection, sourceSection) = (sections[0], sections[1])
      (outputSection, measurementSection) = (sections[2], sections[3])
      let count = UInt32(outputSection.count)
      (hashes, numbers) = (try reader.numbers(count), try reader.numbers(count))
      script = String(decoding: try reader.text(), as: UTF8.self)
      place = String(decoding: try reader.text(), as: UTF8.self)
      guard sections.allSatisfy(\.isAscending), sections[3].end == start, numbers.allSatisfy({ $0 < count }) else {
        return nil
      }
      try reader.finish()
    } catch {
      return nil
    }
  }

  var outputs: Outputs { Outputs(record: self) }

  /// The measurements; nil if one cannot be read.
  var measurements: [RecordedMeasurement]? {
    let found = (0..<measurementSection.count).compactMap { number in
      entry(number, of: measurementSection) { (reader) throws(WireError) in
        guard let recipe = try reader.digest() else { throw WireError() }
        return RecordedMeasurement(recipe: recipe, sources: try sources(&reader), value: try reader.value())
      }
    }
    return found.count == measurementSection.count ? found : nil
  }

  /// Returns an output and its number; nil if it is not recorded.
  func find(_ key: String) -> (number: Int, output: RecordedOutput)? {
    let hash = FNV.hash(key)
    var (low, high) = (0, hashes.count)
    while low < high {
      let middle = (low + high) / 2
      if hashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    while low < hashes.count, hashes[low] == hash {
      let number = Int(numbers[low])
      if let output = output(number), output.key.utf8.elementsEqual(key.utf8) { return (number, output) }
      low += 1
    }
    return nil
  }

  private func entry<Value>(
    _ number: Int, of section: RecordSection, _ read: (inout WireReader) throws(WireError) -> Value
  ) -> Value? {
    guard let range = section[number], let bytes = bytes[range] else { return nil }
    var reader = WireReader(bytes)
    do throws(WireError) {
      let value = try read(&reader)
      try reader.finish()
      return value
    } catch {
      return nil
    }
  }

  private func output(_ number: Int) -> RecordedOutput? {
    entry(number, of: outputSection) { (reader) throws(WireError) in
      let (key, path) = (try reader.string(), try reader.string())
      guard let recipe = recipe(Int(try reader.integer(UInt32.self))) else { throw WireError() }
      let pixels = try reader.digest()
      let sources = try sources(&reader)
      let (stamp, digest) = (try reader.stamp(), try reader.digest())
      let (byteCount, pages) = (try reader.integer(UInt64.self), try reader.integer(UInt32.self))
      var output = RecordedOutput(
        key: key, path: path.isEmpty ? key : path, recipe: recipe, pixels: pixels, sources: sources, stamp: stamp,
        digest: digest, totalByteCount: Int(truncatingIfNeeded: byteCount), pages: Int(pages),
        verification: try reader.string())
      output.start = try reader.string()
      // Few outputs have a folder or pages that a later one can reuse.
      if try reader.integer(UInt8.self) == 0 { return output }
      output.folder = try reader.string()
      (output.tree, output.treeBytes) = (try reader.digest(), try reader.digest())
      output.treeFiles = try reader.list { (reader) throws(WireError) in try reader.integer(UInt64.self) }
      output.entries = try reader.list { (reader) throws(WireError) in
        let (index, recipe) = (Int(try reader.integer(UInt32.self)), try reader.digest())
        let places = try reader.list { (reader) throws(WireError) in Int(try reader.integer(UInt32.self)) }
        guard let recipe, places.allSatisfy({ $0 < sources.count }) else { throw WireError() }
        return RecordedPage(index: index, recipe: recipe, sources: places)
      }
      return output
    }
  }

  private func recipe(_ number: Int) -> String? {
    entry(number, of: recipeSection) { (reader) throws(WireError) in try reader.string() }
  }

  private func sources(_ reader: inout WireReader) throws(WireError) -> [RecordedSource] {
    try reader.list { (reader) throws(WireError) in
      let source = entry(Int(try reader.integer(UInt32.self)), of: sourceSection) { (reader) throws(WireError) in
        let path = try reader.string()
        let stamp = try reader.integer(UInt8.self) == 0 ? nil : try reader.stamp()
        return RecordedSource(path: path, stamp: stamp, digest: try reader.digest(), pixels: try reader.digest())
      }
      guard let source else { throw WireError() }
      return source
    }
  }
}

enum RecordBytes: Sendable {
  case memory([UInt8])
  case file(InputFile)

  var count: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .file(let file): file.byteCount
    }
  }

  /// The bytes in a range; nil if they cannot be read.
  subscript(range: Range<Int>) -> ArraySlice<UInt8>? {
    switch self {
    case .memory(let bytes): return bytes[range]
    case .file(let file):
      guard let bytes = try? file.bytes(at: range.lowerBound, count: range.count), bytes.count == range.count else {
        return nil
      }
      return bytes[...]
    }
  }

  func digest(upTo end: Int) -> SHA256Digest? {
    switch self {
    case .memory(let bytes): bytes.withUnsafeBytes { SHA256.digest(of: UnsafeRawBufferPointer(rebasing: $0[..<end])) }
    case .file(let file): try? SHA256.digest(of: file, count: end)
    }
  }
}

/// A section of a record: consecutive entries.
private struct RecordSection: Sendable {
  struct Writer {
    private(set) var bytes: [UInt8] = []
    /// The ends of the entries, from the start of the section.
    private(set) var ends: [UInt32] = []

    mutating func add(_ write: (inout WireWriter) -> Void) {
      var writer = WireWriter()
      write(&writer)
      bytes += writer.bytes
      ends.append(UInt32(clamping: bytes.count))
    }
  }

  let start: Int
  /// The ends of the entries, in bytes from the start of the record.
  let ends: [UInt32]

  var count: Int { ends.count }
  var end: Int { ends.last.map(Int.init) ?? start }
  var isAscending: Bool {
    zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 } && start <= ends.first.map(Int.init) ?? start
  }

  /// The range of an entry's bytes; nil if there is no entry with this number.
  subscript(number: Int) -> Range<Int>? {
    ends.indices.contains(number) ? (number == 0 ? start : Int(ends[number - 1]))..<Int(ends[number]) : nil
  }
}

/// Values that are stored once and referred to by numbers.
private struct Numbered<Value: Hashable> {
  private(set) var all: [Value] = []
  private var numbers: [Value: UInt32] = [:]

  mutating func number(of value: Value) -> UInt32 {
    if let known = numbers[value] { return known }
    let number = UInt32(all.count)
    all.append(value)
    numbers[value] = number
    return number
  }
}

extension WireWriter {
  fileprivate mutating func append(
    _ output: RecordedOutput, _ recipes: inout Numbered<String>, _ sources: inout Numbered<RecordedSource>
  ) {
    append(output.key)
    append(output.path.utf8.elementsEqual(output.key.utf8) ? "" : output.path)
    append(recipes.number(of: output.recipe))
    append(output.pixels)
    append(list: output.sources) { $0.append(sources.number(of: $1)) }
    append(output.stamp)
    append(output.digest)
    append(UInt64(output.totalByteCount))
    append(UInt32(output.pages))
    append(output.verification)
    append(output.start)
    let hasMore = !output.folder.isEmpty || output.tree != nil || !output.entries.isEmpty
    append(UInt8(hasMore ? 1 : 0))
    guard hasMore else { return }
    append(output.folder)
    append(output.tree)
    append(output.treeBytes)
    append(list: output.treeFiles) { $0.append($1) }
    append(list: output.entries) { writer, page in
      writer.append(UInt32(page.index))
      writer.append(Optional(page.recipe))
      writer.append(list: page.sources) { $0.append(UInt32($1)) }
    }
  }

  fileprivate mutating func append(_ source: RecordedSource) {
    append(source.path)
    append(UInt8(source.stamp == nil ? 0 : 1))
    if let stamp = source.stamp { append(stamp) }
    append(source.digest)
    append(source.pixels)
  }

  mutating func append(_ stamp: FileStamp) {
    for number in [stamp.device, stamp.inode, stamp.byteCount, stamp.modified, stamp.changed] { append(number) }
  }

  mutating func append(_ digest: SHA256Digest?) { append(text: digest?.bytes ?? []) }

  mutating func append<Element>(list elements: [Element], _ write: (inout WireWriter, Element) -> Void) {
    append(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }
}

extension WireReader {
  mutating func string() throws(WireError) -> String { String(decoding: try text(), as: UTF8.self) }

  mutating func list<Element>(_ read: (inout WireReader) throws(WireError) -> Element) throws(WireError)
    -> [Element]
  {
    let count = Int(try integer(UInt32.self))
    // Each element takes at least one byte, so a larger number is invalid. This also limits the memory that is
    // reserved.
    guard count <= rest.count else { throw WireError() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  fileprivate mutating func numbers(_ count: UInt32) throws(WireError) -> [UInt32] {
    guard Int(count) * 4 <= rest.count else { throw WireError() }
    var numbers: [UInt32] = []
    numbers.reserveCapacity(Int(count))
    for _ in 0..<count { numbers.append(try integer(UInt32.self)) }
    return numbers
  }

  mutating func stamp() throws(WireError) -> FileStamp {
    FileStamp(
      device: try integer(UInt64.self), inode: try integer(UInt64.self), byteCount: try integer(UInt64.self),
      modified: try integer(UInt64.self), changed: try integer(UInt64.self))
  }

  mutating func digest() throws(WireError) -> SHA256Digest? {
    let bytes = try text()
    if bytes.isEmpty { return nil }
    guard let digest = SHA256Digest(bytes: bytes) else { throw WireError() }
    return digest
  }
}
