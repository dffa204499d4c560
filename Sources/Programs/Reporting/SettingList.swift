import CommandInterface
import ImageCore
import ImagePipeline

/// The settings of a script as `imghost help SCRIPT` prints them.
package enum SettingList {
  /// - Parameter script: the path of the script as given.
  package static func text(_ settings: ScriptSettings, of script: String) -> String {
    let name = printable(script)
    guard settings.areDeclared else {
      let read = settings.read.sorted().map { printable($0) }
      return "\(name) declares no settings" + (read.isEmpty ? "" : "; it reads: " + read.joined(separator: ", "))
    }
    let rows = settings.declared.map(\.parameter).map { parameter in
      ("  " + parameter.name, parameter.help.isEmpty ? parameter.facts : "\(parameter.help) (\(parameter.facts))")
    }
    return "usage: imghost run [--set NAME=VALUE]… \(name) [ARGS…]\n\nsettings of \(name):\n\n"
      + HelpText.table(rows)
  }
}

extension DeclaredSetting {
  /// The fields of the event `setting`.
  package var json: [(String, JSON)] {
    parameter.jsonFields + [
      ("value", value.map { JSON($0) } ?? .null), ("given", .boolean(isGiven)),
      ("script", .optional(position?.file)), ("line", .optional(position?.line)),
    ]
  }
}
