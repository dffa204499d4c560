/// The parts that this program runs in processes of their own, so that the measuring process stays small. Not for users
/// and not in the help.
enum Subprocess: String {
  case kernelWorker = "--kernel-worker"
  case judge = "--judge"
  case kernelInput = "--kernel-input"
  case fileJudge = "--file-judge"
  case agreement = "--agreement"
  case holds = "--holds"
  case copies = "--copies"
  case floor = "--floor"
  case floorInput = "--floor-input"
  case largeInput = "--large-input"
  case pool = "--pool"
  case pluginCalls = "--plugin-calls"
  case pluginList = "--plugin-list"
  case codecList = "--codec-list"
  case colourCalls = "--colour-calls"

  func run(_ arguments: [String]) -> Int32 {
    switch self {
    case .kernelWorker: KernelWorker.run(arguments)
    case .judge: KernelJudge.run(arguments)
    case .kernelInput: KernelInput.run(arguments)
    case .fileJudge: FileJudge.run(arguments)
    case .agreement: FileJudge.runAgreement(arguments)
    case .holds: PDFPages.runHolds(arguments)
    case .copies: JPEGCopies.run(arguments)
    case .floor: CodecFloor.run(arguments)
    case .floorInput: CodecFloor.runInput(arguments)
    case .largeInput: LargeInput.run(arguments)
    case .pool: PoolWorker.run(arguments)
    case .pluginCalls: PluginCalls.run(arguments)
    case .pluginList: PluginCalls.runList(arguments)
    case .codecList: PluginCalls.runCodecList(arguments)
    case .colourCalls: ColourCalls.run(arguments)
    }
  }

  /// The command that runs it.
  func command(_ arguments: [String]) -> [String] { ["/proc/self/exe", rawValue] + arguments }
}
