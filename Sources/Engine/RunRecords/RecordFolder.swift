import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The files in which runs of a script keep what they have written: a record, which appears whole, and a journal of the
/// outputs since. They lie in the hidden folder of the script: see `ShardFolder`.
///
/// The journal is locked while a run uses it, so that runs of one script into one folder come one after another.
struct RecordFolder {
  let folder: ShardFolder
  /// Tells scripts of one file name apart.
  private let suffix: String

  /// - Parameter script: the path of the script, or a name if it is not in a file.
  init(outputFolder: String, script: String, isFile: Bool) {
    folder = ShardFolder(outputFolder: outputFolder, script: script)
    let place = isFile ? Self.relative(InternedPath(realPathOf: script).text, to: outputFolder) : script
    suffix = String(SHA256.digest(of: Array(place.utf8)).description.prefix(8))
  }

  /// Returns a path as seen from a folder, so that a record stays valid when both are moved together.
  private static func relative(_ path: String, to folder: String) -> String {
    let (place, base) = (PathName.parts(path), PathName.parts(InternedPath(realPathOf: folder + "/.").text))
    let common = zip(place, base.filter { $0 != "." }).prefix { $0 == $1 }.count
    return (base.filter { $0 != "." }.dropFirst(common).map { _ in ".." } + place.dropFirst(common).map(String.init))
      .joined(separator: "/")
  }

  private var recordName: String { "record-\(suffix)" }
  private var journalName: String { "journal-\(suffix)" }
  var journalPath: String { folder.path + "/" + journalName }

  /// Whether an earlier run has left a record or a journal.
  var exists: Bool {
    FileStamp(path: folder.path + "/" + recordName) != nil || FileStamp(path: journalPath) != nil
  }

  /// Whether no run was killed since the record was written.
  var isJournalEmpty: Bool { FileStamp(path: journalPath)?.byteCount ?? 0 == 0 }

  /// The largest file that is read.
  private static let mostBytes = 1 << 30

  /// Returns the recorded outputs; empty if there are none, and for a damaged record.
  ///
  /// - Throws: the reason why the folder or its files are not trusted.
  func read() throws(ShardFileProblem) -> [RecordedOutput] {
    var outputs = try bytes(recordName).flatMap { RecordContents($0) }?.outputs ?? []
    guard let journal = try bytes(journalName), !journal.isEmpty else { return outputs }
    var places = Dictionary(outputs.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { $1 })
    for output in RunJournal.outputs(in: journal).outputs {
      if let place = places[output.key] {
        // The run was killed after it had written the record.
        if outputs[place].digest != nil, output.stamp.isRenamed(from: outputs[place].stamp) { continue }
        var output = output
        output.replaced = outputs[place].replaced + [outputs[place].stamp]
        outputs[place] = output
      } else {
        places[output.key] = outputs.count
        outputs.append(output)
      }
    }
    return outputs
  }

  private func bytes(_ name: String) throws(ShardFileProblem) -> [UInt8]? {
    // A pipe of this name would be waited for.
    guard FileStamp(path: folder.path + "/" + name) != nil else { return nil }
    let file: InputFile
    do throws(ShardFileProblem) {
      file = try folder.open(name)
    } catch {
      if case .missing = error.reason { return nil }
      throw error
    }
    guard file.byteCount <= Self.mostBytes else { return nil }
    return try? file.bytes(at: 0, count: file.byteCount)
  }

  /// Replaces the record.
  func write(_ outputs: [RecordedOutput]) throws(PictureError) {
    var contents = RecordContents()
    contents.outputs = outputs
    let file = try OutputFile(path: folder.path + "/" + recordName)
    file.removeWorldWrite()
    try file.write(contents.bytes)
    try file.commit()
  }

  /// Removes the record, the journal, and the folders if nothing else is in them.
  func remove() { folder.remove([recordName, journalName]) }

  /// Returns the path of the index of a document's pages.
  func indexPath(of key: String) -> String { folder.path + "/" + indexName(of: key) }

  private func indexName(of key: String) -> String {
    "pages-\(suffix)-\(SHA256.digest(of: Array(key.utf8)).description.prefix(12))"
  }

  /// Removes the indices of documents.
  func removeIndices(of keys: [String]) {
    folder.remove(keys.map(indexName).filter { FileStamp(path: folder.path + "/" + $0) != nil })
  }

  /// Opens the journal, which is made if there is none.
  func openJournal() throws(FileError) -> RunJournal {
    try folder.make()
    let journal = RunJournal(try folder.openForAppending(journalName))
    try DurableWrites.waitForName(journalPath)
    return journal
  }
}

/// The outputs of a run that has not ended: one frame for each, written before the output gets its name. A frame that
/// was cut off by the end of the process is ignored.
///
/// Used from any thread: each frame is one call of `write(2)` on a file that is opened for appending.
final class RunJournal: Sendable {
  let descriptor: Int32

  /// Takes ownership of the descriptor.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Locks the journal; false if another run holds the lock. Wraps `flock(2)`.
  func lock(waiting: Bool) -> Bool {
    while true {
      if flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return true }
      // A file system without locks cannot keep runs apart.
      if errno != EINTR { return errno != EWOULDBLOCK }
    }
  }

  /// Cuts off a frame that a killed run has begun, because further frames could not be found behind it.
  func trim() {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count else { return }
    let end = Self.outputs(in: bytes).byteCount
    if end < bytes.count { ftruncate(descriptor, off_t(end)) }
  }

  /// Adds an output; false if it cannot be written.
  func add(_ output: RecordedOutput) -> Bool {
    var contents = RecordContents()
    var output = output
    output.start = RunRecords.start
    contents.outputs = [output]
    let bytes = contents.bytes
    var writer = WireWriter()
    writer.append(UInt32(bytes.count))
    return (writer.bytes + bytes).withUnsafeBytes { writeAll($0, to: descriptor) } == 0
  }

  /// Forgets all outputs.
  func clear() { ftruncate(descriptor, 0) }

  /// Returns the outputs in whole frames, up to the first that is not whole, and the number of bytes of these frames.
  static func outputs(in bytes: [UInt8]) -> (outputs: [RecordedOutput], byteCount: Int) {
    var reader = WireReader(bytes)
    var outputs: [RecordedOutput] = []
    var end = 0
    while let frame = try? reader.text(), let contents = RecordContents(Array(frame)) {
      outputs += contents.outputs
      end += 4 + frame.count
    }
    return (outputs, end)
  }
}
