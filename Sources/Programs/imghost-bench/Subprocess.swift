/// The parts that this program runs in processes of their own, so that the measuring process stays small. Not for users
/// and not in the help.
enum Subprocess: String {
  case fileJudge = "--file-judge"
  case agreement = "--agreement"
  case holds = "--holds"
  case copies = "--copies"
  case largeInput = "--large-input"
  case pool = "--pool"

  func run(_ arguments: [String]) -> Int32 {
    switch self {
    case .fileJudge: FileJudge.run(arguments)
    case .agreement: FileJudge.runAgreement(arguments)
    case .holds: PDFPages.runHolds(arguments)
    case .copies: JPEGCopies.run(arguments)
    case .largeInput: LargeInput.run(arguments)
    case .pool: PoolWorker.run(arguments)
    }
  }

  /// The command that runs it.
  func command(_ arguments: [String]) -> [String] { ["/proc/self/exe", rawValue] + arguments }
}
