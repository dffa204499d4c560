import CommandInterface
import ImageCore
import ImageOperations
import ImagePipeline
import PluginHost
import Reporting

/// Every command, in the order of the help.
package enum CommandList {
  static let version = "0.2.0"

  /// Other programs, and the commands of imghost that replace them.
  private static let otherPrograms = [
    "identify": "imghost info", "exiftool": "imghost info", "vipsheader": "imghost info", "montage": "imghost sheet",
    "mogrify": "imghost convert", "magick": "imghost convert", "vipsthumbnail": "imghost convert",
    "img2pdf": "imghost book",
  ]

  @Sendable private static func habit(_ word: String) -> String? {
    if word.hasSuffix(".lua") { return "imghost run " + ShellWord.quoted(printable(word)) }
    if let program = otherPrograms[word] { return program }
    let operation = OperationList.all.first { $0.descriptor.name.replacing("_", with: "-") == word }
    return operation.map { _ in "imghost convert IN… --\(word) … -o OUT" }
  }

  package static var program: CommandLineProgram {
    CommandLineProgram(
      name: "imghost", version: version,
      summary: "picture pipelines and PDF photo books from Lua scripts, on all processor cores",
      commands: [
        RunCommand.self,
        CheckCommand.self,
        ConvertCommand.self,
        BookCommand.self,
        SheetCommand.self,
        PreviewCommand.self,
        PlanCommand.self,
        MergeCommand.self,
        SubmitCommand.self,
        StatusCommand.self,
        ResumeCommand.self,
        OpsCommand.self,
        PluginsCommand.self,
        PluginCommand.self,
        InfoCommand.self,
        VerifyCommand.self,
        TestCommand.self,
        NewCommand.self,
        CacheCommand.self,
        CompletionCommand.self,
        HelpCommand.self,
      ], ownCommands: [TestWorkerCommand.self],
      environment: EnvironmentList.all, exitStatus: RunCommand.exitStatus,
      environmentProblem: { EnvironmentSwitches.mistake }, habit: habit,
      versionFacts: {
        [
          ("events", .integer(RunEvents.schema)), ("manifest", .integer(OutputManifest.schema)),
          ("plugin_abi", .integer(PluginHost.abiVersion)),
        ]
      })
  }
}
