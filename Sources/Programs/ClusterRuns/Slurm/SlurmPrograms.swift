import ImageCore
import Platform

/// Runs Slurm's programs, each until it ends.
package struct SlurmPrograms: Sendable {
  /// The results of one program.
  struct Answer {
    let ending: ProcessEnding
    let output: String
    let errors: String
  }

  /// The folder that contains the programs; nil to search the PATH.
  private let folder: String?

  package init(in folder: String? = nil) { self.folder = folder }

  /// Runs a program without input, in a process group of its own, so that Ctrl-C does not reach it.
  ///
  /// - Parameter workingFolder: the working folder; nil for that of this process.
  func run(_ program: String, _ words: [String]) throws(SlurmError) -> Answer {
    // Files accept any amount of output, whereas pipes would need another thread to read them.
    let (output, errors) = (makeMemoryFile(program), makeMemoryFile(program))
    defer { for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) } }
    guard output >= 0, errors >= 0 else { throw .notStarted(program, code: errno) }
    let process: ChildProcess
    do throws(ChildProcess.Failure) {
      process = try ChildProcess(
        folder.map { $0 + "/" + program } ?? program, words,
        descriptors: [
          .open("/dev/null", flags: O_RDONLY, as: STDIN_FILENO), .duplicate(output, as: STDOUT_FILENO),
          .duplicate(errors, as: STDERR_FILENO),
        ], signals: .ownGroup)
    } catch {
      throw error.code == ENOENT ? .missingProgram(program) : .notStarted(program, code: error.code)
    }
    guard let ending = process.wait() else { throw .notStarted(program, code: errno) }
    return Answer(ending: ending, output: Self.text(of: output), errors: Self.text(of: errors))
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
