import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// `imghost verify`: this process becomes `imghost-verify`.
enum VerifierProcess {
  static let path = Executable.companion(VerifierProgram.name)

  /// Wraps `execv(3)`. Returns only when that fails.
  static func replaceThisProcess(_ arguments: [String]) -> ExitStatus {
    execProgram(path, [path] + arguments)
    let reason = errno
    let words = VerifierProgram.absence(at: path) ?? "cannot start \(printable(path)): \(systemText(reason))"
    Terminal.error("imghost verify: " + words)
    return .someFailed
  }
}
