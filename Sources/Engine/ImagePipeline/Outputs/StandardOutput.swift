import ImageCore
import Platform
import Synchronization

/// The use of standard output in a run: for lines, or for one file, but never for both. Used from any thread.
package final class StandardOutput: Sendable {
  private struct State {
    var hasLines = false
    var isClaimed = false
    var isBroken = false
  }
  private let state = Mutex(State())

  package init() {}

  /// Whether the reader of standard output, or of a named pipe, has ended before it had read everything. The run then
  /// ends without a message, like a program that SIGPIPE ends.
  package var isBroken: Bool { state.withLock { $0.isBroken } }

  /// Records that a line is to be printed to standard output. Returns false if the script has already requested a file
  /// there. The line must then go elsewhere.
  package func takesLine() -> Bool {
    state.withLock { state in
      state.hasLines = state.hasLines || !state.isClaimed
      return !state.isClaimed
    }
  }

  /// Reserves standard output for a file.
  func claim() {
    state.withLock { $0.isClaimed = true }
  }

  func breakOff() { state.withLock { $0.isBroken = true } }

  /// Returns the reason why no file can be written to a descriptor, as a clause; nil if one can.
  ///
  /// - Parameter place: the path that stands for the descriptor among the outputs.
  func problem(with descriptor: Int32, at place: InternedPath, _ options: RunOptions, _ files: RunFiles) -> String? {
    if descriptor == STDERR_FILENO { return "messages go to standard error; save to standard output or to a file" }
    let isStandard = descriptor == STDOUT_FILENO
    if isStandard, let own = options.ownFiles.first(where: { $0.path == OutputPipe.standardOutput }) {
      return "\(own.option) writes to standard output, too; save to a file"
    }
    if isStandard, state.withLock({ $0.hasLines }) {
      return
        "the script has printed to standard output before; print after the save, which sends lines to standard error"
    }
    let name = isStandard ? "standard output" : "this"
    if !options.isDryRun, isatty(descriptor) == 1 {
      return "\(name) is a terminal; save to a file, or let another program read it: … | PROGRAM"
    }
    // The program sets `FD_CLOEXEC` for its own descriptors, so a descriptor without this flag was inherited.
    guard fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY else {
      return "\(name) is not open for writing; save to a file"
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return files.conflict(replacing: FileIdentity(status), at: place, modified: FileVersion(status).modified)?.text
  }
}

extension RunOptions {
  /// Returns the path of an output whose name has been filled in.
  package func outputPath(_ text: String, of request: OutputRequest) -> String {
    guard text == OutputPipe.standardOutput else { return PathName.joined(outputFolder, text) }
    // If fields of a template happen to produce `-`, it is the name of a file.
    return request.name == text ? text : PathName.joined(outputFolder, "./" + text)
  }
}
