import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// `imghost verify`: this process becomes `imghost-verify`.
enum VerifierProcess {
  static let path = Executable.sibling(VerifierProgram.name)

  /// Wraps `execv(3)`. Returns only when that fails.
  static func replaceThisProcess(_ arguments: [String]) -> ExitStatus {
    var pointers = ([path] + arguments).map { strdup($0) } + [nil]
    execv(path, &pointers)
    Terminal.error("imghost verify: cannot start \(printable(path)): \(systemText(errno))")
    return .someFailed
  }
}
