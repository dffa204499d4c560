import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The files that record the outputs of a script's runs: a record, which is replaced as a whole, and a journal of the
/// outputs written since the record. They are in the hidden folder of the script; see `ShardFolder`.
///
/// The journal is locked while a run uses it, so that runs of one script into one folder take turns. Each shard has
/// files of its own, so that shards run side by side: see `RecordFolder+Shards`.
struct RecordFolder {
  let folder: ShardFolder
  /// The path of the script, absolute and with links followed; empty if it is not in a file.
  let script: String
  /// The path of the script relative to the folder of outputs, or its name if it is not in a file.
  let scriptPlace: String
  /// The beginning of the digest of `scriptPlace`, which distinguishes scripts that have the same file name.
  var scriptMark: String
  /// The shard that owns the files; nil for the files of whole runs.
  var shard: ShardIndex?
  /// The absolute paths of the folder of outputs: as the user gives it, and with links followed.
  private let bases: [String]

  /// - Parameter script: the path of the script, or a name if it is not in a file.
  init(outputFolder: String, script: String, isFile: Bool) {
    folder = ShardFolder(outputFolder: outputFolder, script: script)
    self.script = isFile ? InternedPath(realPathOf: script).text : ""
    scriptPlace = isFile ? Self.relative(self.script, to: outputFolder) : script
    let working = InternedPath(realPathOf: "./x").folderText
    let real = InternedPath(realPathOf: outputFolder + "/x").folderText
    // If a folder is a link, `..` after it does not lead to the folder that contains the link.
    let isPlain = !PathName.parts(outputFolder).contains("..")
    bases = ([real] + (isPlain ? [PathName.absolute(outputFolder, in: working)] : [])).map {
      $0.hasSuffix("/") ? $0 : $0 + "/"
    }
    scriptMark = String(SHA256.digest(of: Array(scriptPlace.utf8)).description.prefix(8))
  }

  /// Returns the key of an output in records. Unlike names, keys that compare as equal have equal bytes.
  func key(_ output: String) -> String { RecipeText.escaped(place(of: output)) }

  /// Returns the path of an output as in records: relative to the folder of outputs if it is inside that folder, and
  /// the same for all spellings of the path, such as `a.png`, `./a.png` and `b/../a.png`.
  func place(of output: String) -> String {
    let inner = folder.relative(output)
    let isClean = PathName.isPlain(inner.hasPrefix("/") ? inner : "/" + inner)
    if isClean, !inner.hasPrefix("/") { return inner }
    // The parent of a linked folder is not the folder that contains the link, so links have to be followed.
    let path = isClean ? inner : InternedPath(realPathOf: output).text
    if let base = bases.first(where: { path.utf8.starts(with: $0.utf8) }) {
      return String(decoding: path.utf8.dropFirst(base.utf8.count), as: UTF8.self)
    }
    // A relative path stays valid when the file and the folder are moved together.
    return inner.hasPrefix("/") ? path : Self.relative(path, to: folder.outputFolder)
  }

  /// The suffix of the files' names, which distinguishes scripts and their shards.
  var suffix: String { ShardFolder.suffix(scriptMark, of: shard) }

  /// Returns a path relative to a folder, so that a record stays valid when both are moved together.
  private static func relative(_ path: String, to folder: String) -> String {
    let (place, base) = (PathName.parts(path), PathName.parts(InternedPath(realPathOf: folder + "/.").text))
    let common = zip(place, base.filter { $0 != "." }).prefix { $0 == $1 }.count
    return (base.filter { $0 != "." }.dropFirst(common).map { _ in ".." } + place.dropFirst(common).map(String.init))
      .joined(separator: "/")
  }

  var recordName: String { "record-\(suffix)" }
  var journalName: String { "journal-\(suffix)" }
  private var inputsName: String { "inputs-\(suffix)" }
  var journalPath: String { folder.path + "/" + journalName }

  /// Whether an earlier run has left a record or a journal.
  var exists: Bool { FileStamp(path: path(recordName)) != nil || FileStamp(path: journalPath) != nil }

  /// Whether this user may not look up files in the folder.
  var isClosed: Bool {
    var status = stat()
    return lstat(journalPath, &status) != 0 && errno == EACCES
  }

  /// Whether there is no record, and the journal is missing or empty.
  var isEmpty: Bool { FileStamp(path: path(recordName)) == nil && isJournalEmpty }

  /// Whether, since the record was written, no run was killed, and no merge has added books.
  var isJournalEmpty: Bool { FileStamp(path: journalPath)?.byteCount ?? 0 == 0 }

  /// The maximum size in bytes of a file that is read.
  fileprivate static let mostBytes = 1 << 30
  /// The maximum size in bytes of stored `RunInputs` that are read, enough for millions of outputs.
  private static let mostBytesOfInputs = 64 << 20

  /// The contents of a record and its journal.
  struct Contents {
    var outputs = EarlierOutputs()
    var measurements: [RecordedMeasurement] = []
  }

  /// Returns the contents of the record and the journal. A record that is missing or damaged counts as empty.
  ///
  /// - Parameter most: the size in bytes above which a file is ignored.
  /// - Throws: the reason why the folder or its files are not trusted, or cannot be read.
  func read(atMost most: Int = mostBytes) throws(ShardFileProblem) -> Contents {
    var contents = Contents()
    if let file = try file(recordName, atMost: most) {
      if let record = StoredRecord(.file(file)) {
        contents.outputs = EarlierOutputs(record)
        contents.measurements = record.measurements ?? []
      } else {
        // A record that cannot be read at the moment is not damaged.
        do throws(PictureError) {
          _ = try SHA256.digest(of: file, count: file.byteCount)
        } catch {
          guard case .file(let error) = error else { return contents }
          throw ShardFileProblem(file.path, .missing(code: error.code))
        }
      }
    }
    if let file = try file(journalName, atMost: most) { Self.add(try bytes(of: file), to: &contents.outputs) }
    return contents
  }

  private func bytes(of file: InputFile) throws(ShardFileProblem) -> [UInt8] {
    do throws(FileError) {
      return try file.bytes(at: 0, count: file.byteCount)
    } catch {
      throw ShardFileProblem(file.path, .missing(code: error.code))
    }
  }

  /// The record without the journal; nil if there is none, or if it is damaged or not trusted.
  var record: StoredRecord? {
    (try? file(recordName, atMost: Self.mostBytes)).flatMap { StoredRecord(.file($0)) }
  }

  /// The stored inputs of the last complete run; nil if there are none, or if they are damaged or not trusted.
  var inputs: RunInputs? {
    guard let file = try? file(inputsName, atMost: Self.mostBytesOfInputs) else { return nil }
    return (try? file.bytes(at: 0, count: file.byteCount)).flatMap { RunInputs($0) }
  }

  /// Replaces the stored inputs. If that fails, the next run runs the script.
  func write(_ inputs: RunInputs) { try? write(inputs.bytes, as: inputsName) }

  /// Adds a journal's outputs to the record's outputs.
  private static func add(_ journal: [UInt8], to outputs: inout EarlierOutputs) {
    for output in RunJournal.outputs(in: journal).outputs {
      var output = output
      if var earlier = outputs[output.key] {
        // The run was killed after it had written the record, but before it cleared the journal.
        if earlier.digest != nil, output.stamp.isRenamed(from: earlier.stamp) { continue }
        if output.path == earlier.path {
          output.replaced = earlier.replaced + [earlier.stamp]
        } else {
          // If the name contains a digest, a changed output has another path, and the earlier file becomes an output
          // that the script no longer makes.
          earlier.key = RecipeText.escaped(earlier.path)
          outputs.add(earlier)
        }
      }
      outputs.add(output)
    }
  }

  private func file(_ name: String, atMost most: Int) throws(ShardFileProblem) -> InputFile? {
    let file: InputFile
    do throws(ShardFileProblem) {
      file = try folder.open(name)
    } catch {
      if case .missing(let code) = error.reason, [ENOENT, EISDIR].contains(code) { return nil }
      throw error
    }
    return file.byteCount <= most ? file : nil
  }

  /// Throws an error if the file of inputs exists, but is not trusted, or cannot be opened.
  func checkInputs() throws(ShardFileProblem) { _ = try file(inputsName, atMost: 0) }

  /// The path of an item, such as a pipe, that has a name of this run's files, but is neither a file nor a link; nil if
  /// there is none. A folder in place of the record is reported later, when the record is written.
  var pathOfNonFile: String? {
    (folderNames(folder.path) ?? []).filter(isOwn).first { name in
      var status = stat()
      guard lstat(path(name), &status) == 0 else { return false }
      let kind = status.st_mode & S_IFMT
      return kind == S_IFDIR ? name != recordName : ![S_IFREG, S_IFLNK].contains(kind)
    }.map(path)
  }

  /// Returns whether a name is that of a file of this run: of its records, its manifest or its packs.
  private func isOwn(_ name: String) -> Bool {
    if let shard, ShardFolder.isFile(name, of: shard) { return true }
    let words = name.split(separator: "-", omittingEmptySubsequences: false)
    return words.count > 1 && words[1] == suffix && StoredRecords.isRecord(name)
  }

  func write(_ contents: RecordContents) throws(PictureError) { try write(contents.bytes, as: recordName) }

  private func write(_ bytes: [UInt8], as name: String) throws(PictureError) {
    let file = try OutputFile(path: path(name))
    file.removeWorldWrite()
    try file.write(bytes)
    try file.commit()
  }

  /// Removes the record, the inputs and the journal, and then the folders if they are empty.
  func remove() { folder.remove([recordName, inputsName, journalName]) }

  /// Opens the journal, and locks it. A run empties its journal, so a journal that also has other names, such as a hard
  /// link in a backup, is replaced by a copy.
  ///
  /// - Parameter aroundWait: see `RunRecords.init`.
  func lockedJournal(_ aroundWait: ((_ wait: () -> Void) -> Void)?) throws(RunRecords.Problem) -> RunJournal {
    var left = Self.mostReplacements
    while true {
      let journal = try journalForWriting()
      if !journal.lock(waiting: false) {
        guard let aroundWait else { throw .locked }
        aroundWait {
          if shard == nil { _ = journal.lock(waiting: true) } else { journal.lock(whileGrowing: RunRecords.patience) }
        }
      }
      left -= 1
      // On a file system without stable inodes, it is not known whether the path leads to the journal.
      if left == 0 { return journal }
      // The run that held the lock may have removed or replaced the journal. A shard ends in that case.
      if shard == nil, !journal.isAt(journalPath) { continue }
      guard journal.hasOtherNames else { return journal }
      guard let bytes = journal.bytes else { throw .unusable(path: journalPath, reason: "cannot be read") }
      do throws(PictureError) {
        try write(bytes, as: journalName)
      } catch {
        throw .unusable(path: journalPath, reason: "has another name, and cannot be replaced: \(error)")
      }
    }
  }

  private static let mostReplacements = 10

  private func journalForWriting() throws(RunRecords.Problem) -> RunJournal {
    do throws(FileError) {
      return try openJournal()
    } catch {
      throw .unwritable(FileError(error.action, path: journalPath, code: error.code))
    }
  }

  /// Opens the journal, and creates it if it does not exist.
  func openJournal() throws(FileError) -> RunJournal {
    try folder.make()
    let journal = RunJournal(try folder.openForAppending(journalName))
    try DurableWrites.waitForName(journalPath)
    return journal
  }
}

/// The outputs of a run that has not ended: one frame for each, preceded by its length and written before the output's
/// file receives its name. An incomplete frame, left by a killed process, is ignored.
///
/// Used from any thread: each frame is written by one call of `write(2)`, in append mode.
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

  /// Waits for the lock while the run that holds it writes to the journal, and `patience` seconds longer. The wait is
  /// limited, because on some network file systems, a machine that has died keeps its locks.
  func lock(whileGrowing patience: Int) {
    var (byteCount, left) = (self.byteCount, patience * 10)
    while left > 0, !lock(waiting: false) {
      usleep(100_000)
      left -= 1
      if self.byteCount != byteCount { (byteCount, left) = (self.byteCount, patience * 10) }
    }
  }

  private var status: stat {
    var status = stat()
    fstat(descriptor, &status)
    return status
  }

  private var byteCount: off_t { status.st_size }

  var hasOtherNames: Bool { status.st_nlink > 1 }

  /// Returns whether a path still leads to the journal.
  func isAt(_ path: String) -> Bool {
    FileIdentity(at: path) == FileIdentity(status)
  }

  /// All bytes; nil if they cannot be read, or if they are too many.
  var bytes: [UInt8]? {
    guard byteCount <= RecordFolder.mostBytes else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(byteCount))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == bytes.count ? bytes : nil
  }

  func add(_ frames: [UInt8]) { _ = frames.withUnsafeBytes { writeAll($0, to: descriptor) } }

  /// Removes an incomplete frame that a killed run has left at the end, because frames appended after it could not be
  /// found.
  func trim() {
    guard let bytes else { return }
    let end = Self.outputs(in: bytes).byteCount
    if end < bytes.count { ftruncate(descriptor, off_t(end)) }
  }

  /// Appends an output. Returns false if writing fails.
  func add(_ output: RecordedOutput) -> Bool {
    var contents = RecordContents()
    var output = output
    output.start = RunRecords.start
    contents.outputs = [output]
    var writer = WireWriter()
    writer.append(text: contents.bytes)
    return writer.bytes.withUnsafeBytes { writeAll($0, to: descriptor) } == 0
  }

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
