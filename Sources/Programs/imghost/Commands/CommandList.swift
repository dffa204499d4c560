/// Every command, in the order help shows them.
enum CommandList {
  static var all: [any Command.Type] {
    [
      RunCommand.self,
      CheckCommand.self,
      OpsCommand.self,
      PluginsCommand.self,
      PluginCommand.self,
      InfoCommand.self,
      VerifyCommand.self,
      NewCommand.self,
    ]
  }

  static func find(_ name: String) -> (any Command.Type)? { all.first { $0.name == name } }
}
