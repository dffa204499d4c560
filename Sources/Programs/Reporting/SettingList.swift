import CommandInterface
import ImageCore
import ImagePipeline

/// The settings of a script as `imghost help SCRIPT` prints them.
package enum SettingList {
  /// - Parameter script: the path of the script as the user gave it.
  package static func text(_ settings: ScriptSettings, of script: String) -> String {
    let name = printable(script)
    let controls = settings.controls.map(\.parameter)
    let lists = [
      ("settings of \(name)", settings.declared.map(\.parameter)), ("parameters of its plugins", controls),
    ].filter { !$0.1.isEmpty }
    guard settings.areDeclared || !controls.isEmpty else {
      let read = settings.read.sorted().map { printable($0) }
      return "\(name) declares no settings" + (read.isEmpty ? "" : "; it reads: " + read.joined(separator: ", "))
    }
    return "usage: imghost run [--set NAME=VALUE]… \(name) [ARGS…]"
      + lists.map { title, parameters in
        "\n\n\(title):\n\n"
          + printable(HelpText.table(ParameterDescriptor.rows(parameters, indent: 2)), keepingLines: true)
      }.joined()
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
