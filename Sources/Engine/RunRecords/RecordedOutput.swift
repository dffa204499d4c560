import ImageCore
import ImagePipeline

/// A source file of an output.
struct RecordedSource: Hashable, Sendable {
  let path: String
  /// Nil if the file did not exist.
  var stamp: FileStamp?
  /// The digest of all bytes; nil if it is unknown. See `PictureDigest`.
  var digest: SHA256Digest?
  /// The digest of everything that pixels depend on; nil if it is unknown.
  var pixels: SHA256Digest?

  init(path: String, stamp: FileStamp?, _ digest: PictureDigest?) {
    self.init(path: path, stamp: stamp, digest: digest?.whole, pixels: digest?.pixels)
  }

  init(path: String, stamp: FileStamp?, digest: SHA256Digest?, pixels: SHA256Digest?) {
    (self.path, self.stamp, self.digest, self.pixels) = (path, stamp, digest, pixels)
  }

  /// The digests of the source; nil if they are unknown.
  var known: PictureDigest? {
    if stamp == nil { return .missing }
    return digest.map { PictureDigest(whole: $0, pixels: pixels) }
  }
}

/// An output that a run has written.
struct RecordedOutput: Sendable {
  /// Identifies the output; see `PlannedOutput.key`.
  var key: String
  /// The path, relative to the folder of outputs if it lies inside.
  var path: String
  /// How it was made.
  ///
  /// Empty for an output that a run was about to complete when it ended: it has to be made again.
  var recipe: String
  /// The digest of the part of the recipe that pixels depend on; see `OutputRecipe.pixels`.
  var pixels: SHA256Digest?
  var sources: [RecordedSource]
  var stamp: FileStamp
  /// The SHA-256 of the file's bytes; nil if it is unknown.
  var digest: SHA256Digest?
  /// The path of a folder with further files of the output, relative like `path`; empty if there is none.
  var folder = ""
  /// The digests of that folder's files: one of sizes and times, and one of bytes; nil if there is no folder.
  var tree: SHA256Digest?
  var treeBytes: SHA256Digest?
  /// Short digests of the bytes of each file in the folder. They tell whether files are only missing, or were changed.
  var treeFiles: [UInt64] = []
  /// The total size of all files of the output.
  let totalByteCount: Int
  /// The number of pages of a document.
  let pages: Int
  /// The verifier's summary of a document; empty if it was not verified.
  let verification: String
  /// The recipes and sources of a document's pages; empty if a later document cannot reuse pages.
  var entries: [RecordedPage] = []
  /// Identifies the boot of the machine during which the file was written; empty if its bytes are known to have reached
  /// the disk, so that a power cut cannot lose them. See `TemporaryFiles.machine`.
  var start = ""
  /// The stamps of files of earlier runs that may still be at the path, because a run was killed before it replaced
  /// them. Not stored.
  var replaced: [FileStamp] = []
  /// Whether the stamp is too recent to be trusted. Not stored.
  var isRecent = false
}

/// A page of a document.
struct RecordedPage: Sendable {
  let index: Int
  let recipe: SHA256Digest
  /// The indices of its sources in the document's list.
  let sources: [Int]
}

/// The stored outputs and measurements of a script. Texts and sources are stored once; outputs refer to them by number.
struct RecordContents: Sendable {
  var outputs: [RecordedOutput] = []
  var measurements: [RecordedMeasurement] = []

  private static let magic = Array("IMGHREC3".utf8)

  /// The record as bytes, with a digest at the end.
  var bytes: [UInt8] {
    var recipes = Numbered<String>()
    var sources = Numbered<RecordedSource>()
    var body = WireWriter()
    body.append(UInt32(outputs.count))
    for output in outputs {
      body.append(output.key)
      body.append(output.path)
      body.append(recipes.number(of: output.recipe))
      body.append(output.pixels)
      body.append(UInt32(output.sources.count))
      for source in output.sources { body.append(sources.number(of: source)) }
      body.append(output.stamp)
      body.append(output.digest)
      body.append(output.folder)
      body.append(output.tree)
      body.append(output.treeBytes)
      body.append(UInt32(output.treeFiles.count))
      for mark in output.treeFiles { body.append(mark) }
      body.append(UInt64(output.totalByteCount))
      body.append(UInt32(output.pages))
      body.append(output.verification)
      body.append(output.start)
      body.append(UInt32(output.entries.count))
      for page in output.entries {
        body.append(UInt32(page.index))
        body.append(Optional(page.recipe))
        body.append(UInt32(page.sources.count))
        for source in page.sources { body.append(UInt32(source)) }
      }
    }
    body.append(UInt32(measurements.count))
    for measurement in measurements {
      body.append(Optional(measurement.recipe))
      body.append(UInt32(measurement.sources.count))
      for source in measurement.sources { body.append(sources.number(of: source)) }
      body.append(measurement.value)
    }
    var head = WireWriter()
    head.append(UInt32(recipes.all.count))
    for text in recipes.all { head.append(text) }
    head.append(UInt32(sources.all.count))
    for source in sources.all {
      head.append(source.path)
      head.append(UInt8(source.stamp == nil ? 0 : 1))
      if let stamp = source.stamp { head.append(stamp) }
      head.append(source.digest)
      head.append(source.pixels)
    }
    let content = Self.magic + head.bytes + body.bytes
    return content + SHA256.digest(of: content).bytes
  }

  init() {}

  /// Reads a record; nil if it is damaged or has another format.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.magic.count + 32, bytes.starts(with: Self.magic) else { return nil }
    let content = Array(bytes.dropLast(32))
    guard SHA256.digest(of: content).bytes.elementsEqual(bytes.suffix(32)) else { return nil }
    var reader = WireReader(content.dropFirst(Self.magic.count))
    do throws(WireError) {
      let recipes = try reader.list { (reader) throws(WireError) in try reader.string() }
      let sources = try reader.list { (reader) throws(WireError) in
        let path = try reader.string()
        let stamp = try reader.integer(UInt8.self) == 0 ? nil : try reader.stamp()
        return RecordedSource(path: path, stamp: stamp, digest: try reader.digest(), pixels: try reader.digest())
      }
      outputs = try reader.list { (reader) throws(WireError) in
        let (key, path) = (try reader.string(), try reader.string())
        let recipe = Int(try reader.integer(UInt32.self))
        let pixels = try reader.digest()
        let numbers = try reader.list { (reader) throws(WireError) in Int(try reader.integer(UInt32.self)) }
        guard recipe < recipes.count, numbers.allSatisfy({ $0 < sources.count }) else { throw WireError() }
        let (stamp, digest) = (try reader.stamp(), try reader.digest())
        let folder = try reader.string()
        let (tree, treeBytes) = (try reader.digest(), try reader.digest())
        let treeFiles = try reader.list { (reader) throws(WireError) in try reader.integer(UInt64.self) }
        var output = RecordedOutput(
          key: key, path: path, recipe: recipes[recipe], pixels: pixels, sources: numbers.map { sources[$0] },
          stamp: stamp,
          digest: digest, folder: folder, tree: tree, treeBytes: treeBytes,
          totalByteCount: Int(truncatingIfNeeded: try reader.integer(UInt64.self)),
          pages: Int(try reader.integer(UInt32.self)), verification: try reader.string())
        output.start = try reader.string()
        output.treeFiles = treeFiles
        output.entries = try reader.list { (reader) throws(WireError) in
          let (index, recipe) = (Int(try reader.integer(UInt32.self)), try reader.digest())
          let places = try reader.list { (reader) throws(WireError) in Int(try reader.integer(UInt32.self)) }
          guard let recipe, places.allSatisfy({ $0 < numbers.count }) else { throw WireError() }
          return RecordedPage(index: index, recipe: recipe, sources: places)
        }
        return output
      }
      measurements = try reader.list { (reader) throws(WireError) in
        let recipe = try reader.digest()
        let numbers = try reader.list { (reader) throws(WireError) in Int(try reader.integer(UInt32.self)) }
        guard let recipe, numbers.allSatisfy({ $0 < sources.count }) else { throw WireError() }
        return RecordedMeasurement(recipe: recipe, sources: numbers.map { sources[$0] }, value: try reader.value())
      }
      try reader.finish()
    } catch {
      return nil
    }
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
  fileprivate mutating func append(_ stamp: FileStamp) {
    for number in [stamp.device, stamp.inode, stamp.byteCount, stamp.modified, stamp.changed] { append(number) }
  }

  fileprivate mutating func append(_ digest: SHA256Digest?) { append(text: digest?.bytes ?? []) }
}

extension WireReader {
  mutating func string() throws(WireError) -> String { String(decoding: try text(), as: UTF8.self) }

  mutating func list<Element>(_ read: (inout WireReader) throws(WireError) -> Element) throws(WireError)
    -> [Element]
  {
    let count = Int(try integer(UInt32.self))
    // Each element takes four bytes at least, so no number makes this reserve more than the record's size.
    guard count <= rest.count else { throw WireError() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  fileprivate mutating func stamp() throws(WireError) -> FileStamp {
    FileStamp(
      device: try integer(UInt64.self), inode: try integer(UInt64.self), byteCount: try integer(UInt64.self),
      modified: try integer(UInt64.self), changed: try integer(UInt64.self))
  }

  fileprivate mutating func digest() throws(WireError) -> SHA256Digest? {
    let bytes = try text()
    if bytes.isEmpty { return nil }
    guard let digest = SHA256Digest(bytes: bytes) else { throw WireError() }
    return digest
  }
}
