import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// The program `imghost-verify`, run as a child process or in place of this process.
enum VerifierProcess {
  static let path = Executable.companion(VerifierProgram.name)

  /// Runs the verifier, waits for it, and returns its exit status.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(ChildProcess.Failure) {
      switch try ChildProcess(path, arguments, name: VerifierProgram.name).wait() {
      case .exit(let status): return status
      case .signal(let signal): return 128 + signal
      case nil: return ExitStatus.someFailed.rawValue
      }
    } catch {
      return complain(error.code).rawValue
    }
  }

  private static func complain(_ reason: Int32) -> ExitStatus {
    let words = VerifierProgram.absence(at: path) ?? "cannot start \(printable(path)): \(systemText(reason))"
    Terminal.error("imghost verify: " + words)
    return .someFailed
  }

  /// Replaces this process with the verifier. Returns only if `execv(3)` fails.
  static func replaceThisProcess(_ arguments: [String]) -> ExitStatus {
    execProgram(path, [path] + arguments)
    return complain(errno)
  }
}
