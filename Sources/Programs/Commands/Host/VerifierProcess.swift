import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// The program `imghost-verify`, run as a child process or in place of this process.
enum VerifierProcess {
  static let path = Executable.companion(VerifierProgram.name)

  /// Runs the verifier, waits for it, and returns its exit status, 128 plus the number of the signal that ended it, or
  /// `someFailed` if it cannot be started or waited for.
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

/// `--worker-command`: lets authors of plugins run the workers under a debugger or memory checker.
enum WorkerCommand {
  static let option = CommandOption(
    name: "--worker-command", value: "COMMAND",
    help: "run plugins under a debugger or checker, such as 'valgrind -q', without isolation and time limits; for "
      + "valgrind before 3.20, build with gcc, or with clang -gdwarf-4")

  /// Returns the command that the option gives; nil if it is not given.
  static func value(_ line: ParsedLine) throws(UsageError) -> String? {
    guard let command = line.value(option.name) else { return nil }
    for other in ["--in-process", "--deadline"] where line.has(other) {
      throw .other("\(option.name) and \(other) contradict each other")
    }
    return command
  }
}
