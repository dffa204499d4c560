import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The files that record the outputs of a script's runs: a record, which is replaced as a whole, and a journal of the
/// outputs since then. They are in the hidden folder of the script; see `ShardFolder`.
///
/// A run locks the journal, so that two runs of a script cannot write into the same folder at a time.
struct RecordFolder {
  let folder: ShardFolder
  /// Distinguishes scripts with the same file name.
  let suffix: String

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

  /// Whether no run has been killed since the record was written.
  var isJournalEmpty: Bool { FileStamp(path: journalPath)?.byteCount ?? 0 == 0 }

  /// The maximum size of a file that is read.
  private static let mostBytes = 1 << 30

  /// Returns the contents of the record and the journal; empty if there is no record, or if it is damaged.
  ///
  /// - Throws: the reason why the folder or its files are not trusted.
  func read() throws(ShardFileProblem) -> RecordContents {
    var contents = try bytes(recordName).flatMap { RecordContents($0) } ?? RecordContents()
    if let journal = try bytes(journalName), !journal.isEmpty { Self.add(journal, to: &contents.outputs) }
    return contents
  }

  /// Adds the outputs of a journal to those of the record.
  private static func add(_ journal: [UInt8], to outputs: inout [RecordedOutput]) {
    var places = Dictionary(outputs.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { $1 })
    for output in RunJournal.outputs(in: journal).outputs {
      if let place = places[output.key] {
        // The run was killed after it had written the record, but before it cleared the journal.
        if outputs[place].digest != nil, output.stamp.isRenamed(from: outputs[place].stamp) { continue }
        var output = output
        if output.path == outputs[place].path {
          output.replaced = outputs[place].replaced + [outputs[place].stamp]
        } else {
          // If the name contains a digest, a changed output has another path, and the earlier file becomes an output
          // that the script no longer makes.
          var earlier = outputs[place]
          earlier.key = earlier.path
          places[earlier.key] = outputs.count
          outputs.append(earlier)
        }
        outputs[place] = output
      } else {
        places[output.key] = outputs.count
        outputs.append(output)
      }
    }
  }

  private func bytes(_ name: String) throws(ShardFileProblem) -> [UInt8]? {
    // Opening a pipe with this name would block.
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
  func write(_ contents: RecordContents) throws(PictureError) {
    let file = try OutputFile(path: folder.path + "/" + recordName)
    file.removeWorldWrite()
    try file.write(contents.bytes)
    try file.commit()
  }

  /// Removes the record and the journal, and then the folders if they are empty.
  func remove() { folder.remove([recordName, journalName]) }

  /// Opens the journal, and creates it if it does not exist.
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
      // On a file system without locks, runs cannot be kept apart.
      if errno != EINTR { return errno != EWOULDBLOCK }
    }
  }

  /// Removes an incomplete frame of a killed run from the end, because frames behind it could not be found.
  func trim() {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count else { return }
    let end = Self.outputs(in: bytes).byteCount
    if end < bytes.count { ftruncate(descriptor, off_t(end)) }
  }

  /// Appends an output. Returns false if writing fails.
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

  /// Removes all outputs from the journal.
  func clear() { ftruncate(descriptor, 0) }

  /// Returns the outputs up to the first incomplete frame, and the size of their frames in bytes.
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
