import ImageCore
import Platform
import Synchronization

/// The decrypted copy of an encrypted PDF. The program `qpdf` writes it to an unnamed file that only this user can
/// read, and that disappears when it is closed.
///
/// qpdf decrypts streams, but does not recompress them.
final class Decryption: Sendable {
  /// The process ID of the running program; 0 if none is running.
  private let process = Atomic<pid_t>(0)

  /// The path of the first `qpdf` on the PATH; nil if it is not installed.
  static var program: String? {
    guard let path = getenv("PATH") else { return nil }
    return PathBytes.text(path).split(separator: ":").map { "\($0)/qpdf" }.first { access($0, X_OK) == 0 }
  }

  /// - Parameter password: the user or owner password; empty for none.
  /// - Returns: the file, and qpdf's messages; nil if qpdf is not installed.
  func open(_ path: String, password: String) throws(Fault) -> (file: InputFile, faults: [Fault])? {
    guard let program = Self.program else { return nil }
    guard let plain = NamelessFile(), let secret = NamelessFile(), let messages = NamelessFile(),
      secret.write(Array((password + "\n").utf8))
    else { throw Self.noRoom(forCopyOf: path) }
    // qpdf must not mistake the path for an option or for a file of arguments.
    let source = PathName.isAbsolute(path) ? path : "./" + path
    let status = run(
      program,
      ["--password-file=-", "--decrypt", "--stream-data=preserve", source, "-"],
      input: secret.descriptor, output: plain.descriptor, messages: messages.descriptor)
    let lines = messages.lines().map { Self.message($0, source) }
    if status == 2, lines.contains(where: { $0.contains("invalid password") }) {
      throw password.isEmpty ? .encryption(.locked) : .encryption(.wrongPassword)
    }
    // qpdf does not report a full disk, and the missing data would look like a fault of the document.
    var room = statvfs()
    guard fstatvfs(plain.descriptor, &room) != 0 || room.f_bavail > 0 else { throw Self.noRoom(forCopyOf: path) }
    // Status 3 means success with warnings (qpdf's manual, "Exit Status").
    guard status == 0 || status == 3 else {
      throw .file(.failure("qpdf cannot decrypt the file: \(lines.first ?? "no reason given")"))
    }
    do throws(FileError) {
      let file = try InputFile(path: "/dev/fd/\(plain.descriptor)")
      let complaints = status == 3 ? lines.filter { !$0.hasPrefix("qpdf: ") }.prefix(8) : []
      return (file, complaints.map { .encryption(.qpdf($0)) })
    } catch {
      throw .file(.unreadable(error.description))
    }
  }

  private static func noRoom(forCopyOf path: String) -> Fault {
    var status = stat()
    let byteCount = stat(path, &status) == 0 ? Int(status.st_size) : nil
    return .file(.failure("cannot be decrypted: \(FileError.temporary(ENOSPC, byteCount: byteCount))"))
  }

  /// Ends the program. May be called on any thread.
  func stop() {
    let process = process.load(ordering: .acquiring)
    if process > 0 { kill(process, SIGKILL) }
  }

  /// Runs a program and waits until it ends.
  ///
  /// - Returns: the exit status; -1 if there is none.
  private func run(_ program: String, _ arguments: [String], input: Int32, output: Int32, messages: Int32) -> Int32 {
    let child = try? ChildProcess(
      program, arguments,
      descriptors: [
        .duplicate(input, as: STDIN_FILENO), .duplicate(output, as: STDOUT_FILENO),
        .duplicate(messages, as: STDERR_FILENO),
      ], signals: .unblocked)
    guard let child else { return -1 }
    process.store(child.identifier, ordering: .releasing)
    defer { process.store(0, ordering: .releasing) }
    guard case .exit(let status) = child.wait() else { return -1 }
    return status
  }

  /// Returns a message without the file's name.
  private static func message(_ line: String, _ path: String) -> String {
    line.replacing("WARNING: ", with: "").replacing(path + ": ", with: "").replacing(path + " ", with: "")
  }
}

/// A temporary file without a name, which disappears when it is closed.
private final class NamelessFile {
  let descriptor: Int32

  /// Creates the file; only this user can read it. Wraps `mkstemp(3)` and `unlink(2)`.
  init?() {
    let path: String
    (descriptor, path) = makeTemporaryFile(temporaryFolder + "/imghost-verify-XXXXXX")
    guard descriptor >= 0 else { return nil }
    unlink(path)
  }

  deinit { close(descriptor) }

  /// Writes bytes, and moves the position to the start of the file. Returns whether both succeeded.
  func write(_ bytes: [UInt8]) -> Bool {
    let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    return code == 0 && lseek(descriptor, 0, SEEK_SET) == 0
  }

  /// Returns the lines of the file's first 64 KB.
  func lines() -> [String] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
    return bytes[..<count].split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
  }
}
