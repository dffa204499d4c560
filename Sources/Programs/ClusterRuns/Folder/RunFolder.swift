import ImageCore
import Platform
import Sharding

/// The folder of one run: its batch scripts, its record and its logs.
///
/// The folder is visible to this machine and to all nodes. Files in it are replaced by renaming.
package struct RunFolder: Sendable {
  /// An absolute path.
  package let path: String

  package init(path: String) { self.path = path }

  package static let jobScript = "job.sh"
  package static let mergeScript = "merge.sh"
  package static let record = "run.json"
  /// The file with the exit status of the merge, as one line of text. It does not exist until the merge has ended.
  package static let mergeStatus = "merge.status"
  package static let logs = "logs"
  /// The files with the output and the messages of the merge, relative to `path`.
  package static let mergeOutput = logs + "/merge.out"
  package static let mergeLog = logs + "/merge.log"

  /// Returns the path of a shard's log, relative to `path`.
  package static func log(ofShard shard: Int) -> String { logs + "/shard-\(shard).log" }

  /// The last part of the path.
  package var name: String { String(PathName.name(path)) }
  package func file(_ name: String) -> String { path + "/" + name }

  /// Returns the folder of all runs: `runs` if given, else `imghost/runs` in `XDG_STATE_HOME`, or in `.local/state` in
  /// the user's home. Nil if none of these is known.
  ///
  /// https://specifications.freedesktop.org/basedir-spec/latest/
  ///
  /// - Parameters:
  ///   - workingFolder: the folder that relative paths refer to.
  ///   - environment: returns the value of a variable.
  package static func home(
    runs: String?, workingFolder: String, environment: (String) -> String?
  ) -> String? {
    if let runs { return PathName.absolute(runs, in: workingFolder) }
    // The specification requires relative values to be ignored.
    if let state = environment("XDG_STATE_HOME"), PathName.isAbsolute(state) { return state + "/imghost/runs" }
    guard let home = environment("HOME"), PathName.isAbsolute(home) else { return nil }
    return home + "/.local/state/imghost/runs"
  }

  /// Creates the folder of a new run, and its parent folders. Wraps `mkdir(2)`.
  package static func make(_ name: RunName, in home: String) throws(FileError) -> RunFolder {
    let folder = RunFolder(path: home + "/" + name.text)
    try makeFolders(home)
    for path in [folder.path, folder.file(logs)] {
      guard mkdir(path, 0o777) == 0 else { throw FileError(.create, path: path, code: errno) }
    }
    return folder
  }

  static func makeFolders(_ path: String) throws(FileError) {
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    let code = errno
    guard code == ENOENT, let parent = PathName.folder(path), !parent.isEmpty else {
      throw FileError(.create, path: path, code: code)
    }
    try makeFolders(String(parent))
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw FileError(.create, path: path, code: errno) }
  }

  /// Writes a file of the folder under a random name and renames it. `OutputFile` cannot be used here, because the
  /// planning of the run ends with `TemporaryFiles.removeAll`, which prevents new temporary files.
  package func write(_ name: String, _ text: String) throws(FileError) {
    var random = SystemRandomNumberGenerator()
    let (path, temporary) = (file(name), file(".\(name).\(String(random.next(), radix: 16))"))
    let descriptor = openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o664)
    guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
    var text = text
    var code = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    // Network file systems report some errors only on close.
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, rename(temporary, path) != 0 { code = errno }
    guard code == 0 else {
      unlink(temporary)
      throw FileError(.write, path: path, code: code)
    }
  }

  /// The reason why the folder must not be read: another user may have written the folder, the record or the merge
  /// status. Nil if there is no reason or no folder.
  package var problem: ShardFileProblem? {
    ShardFileProblem(inFolder: path, files: [Self.record, Self.mergeStatus])
  }

  package func read(_ name: String) throws(FileError) -> String {
    String(decoding: try readBytes(file(name)), as: UTF8.self)
  }

  /// The exit status of the merge; nil before it has ended, or if the status cannot be read.
  package var mergeStatus: Int32? {
    // Opening the folder makes network file systems refresh its contents.
    guard let folder = openFolder(path) else { return nil }
    closedir(folder)
    guard let text = try? read(Self.mergeStatus) else { return nil }
    return Int32(text.prefix { $0 != "\n" })
  }

  /// Removes the status of the merge of an earlier submission.
  package func removeMergeStatus() { unlink(file(Self.mergeStatus)) }

  /// Removes the folder of a run that was not submitted.
  package func remove() {
    for folder in [file(Self.logs), path] {
      for name in Self.names(in: folder) { unlink(folder + "/" + name) }
      rmdir(folder)
    }
  }

  /// Returns the sorted names of the items in a folder; empty if it cannot be read.
  package static func names(in folder: String) -> [String] { (folderNames(folder) ?? []).sorted() }
}

/// Reads a whole file. Throws an error if it exceeds 256 MiB, because no file of a run is that large.
func readBytes(_ path: String) throws(FileError) -> [UInt8] {
  let file = try InputFile(path: path)
  guard file.byteCount <= 256 << 20 else { throw FileError(.read, path: path, code: EFBIG) }
  return try file.bytes(at: 0, count: file.byteCount)
}

/// The name of a run on a cluster: `book-20261125-173126-3f9a1c`.
///
/// The names of the run's jobs are derived from this name. Slurm reuses job numbers after a controller has lost its
/// state, so a job belongs to a run only if the job's name is derived from the run's.
package struct RunName: Sendable, Hashable {
  package let text: String

  private static let jobPrefix = "imghost-"
  private static let mergeSuffix = "-merge"

  /// Creates a name from the name of the script, the current time, and random digits.
  package static func make(script: String) -> RunName {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    let numbers = [
      digits(Int(parts.tm_year) + 1900, 4) + digits(Int(parts.tm_mon) + 1, 2) + digits(Int(parts.tm_mday), 2),
      digits(Int(parts.tm_hour), 2) + digits(Int(parts.tm_min), 2) + digits(Int(parts.tm_sec), 2),
      digits(Int.random(in: 0..<1 << 24), 6, radix: 16),
    ]
    return RunName(unchecked: ([stem(of: script)] + numbers).joined(separator: "-"))
  }

  /// Checks a name that a user gives; returns nil if no run can have it.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.first != UInt8(ascii: "."), text.utf8.allSatisfy(Self.isPlain) else { return nil }
    self.text = text
  }

  private init(unchecked text: String) { self.text = text }

  /// The name, in the queue, of the array job that processes the shards.
  package var arrayJob: String { Self.jobPrefix + text }
  /// The name of the merge job in the queue.
  package var mergeJob: String { arrayJob + Self.mergeSuffix }

  /// Returns up to 32 bytes of the script's name without its extension, with `-` in place of characters that may have a
  /// special meaning in job names, folders or shells; `run` if nothing is left.
  private static func stem(of script: String) -> String {
    let name = PathName.stem(String(PathName.name(script)))
    let bytes = name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "-") }.drop { !isLetterOrDigit($0) }.prefix(32)
    return bytes.isEmpty ? "run" : String(decoding: bytes, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "-_.".utf8.contains(byte) }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func digits(_ number: Int, _ count: Int, radix: Int = 10) -> String {
    let text = String(number, radix: radix)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
