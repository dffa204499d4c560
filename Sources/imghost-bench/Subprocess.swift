/// What this program runs of itself, so that the process that measures stays small and every contestant
/// has its own. Not for users, and not in the help.
enum Subprocess: String {
  case kernelWorker = "--kernel-worker"
  case judge = "--judge"
  case kernelInput = "--kernel-input"

  func run(_ arguments: [String]) -> Int32 {
    switch self {
    case .kernelWorker: KernelWorker.run(arguments)
    case .judge: KernelJudge.run(arguments)
    case .kernelInput: KernelInput.run(arguments)
    }
  }

  /// The command that runs it.
  func command(_ arguments: [String]) -> [String] {
    ["/proc/self/exe", rawValue] + arguments
  }
}
