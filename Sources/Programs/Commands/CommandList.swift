import CommandInterface
import ImageCore
import PluginHost
import Reporting

/// Every command, in the order of the help.
package enum CommandList {
  static let version = "0.2.0"

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
      environmentProblem: { EnvironmentSwitches.mistake },
      versionFacts: {
        [
          ("events", .integer(RunEvents.schema)), ("manifest", .integer(OutputManifest.schema)),
          ("plugin_abi", .integer(PluginHost.abiVersion)),
        ]
      })
  }
}
