import ImageCore
import ImagePipeline

/// Plugin parameters that are set outside the script: with `--set halftone.cell=6`, and with the controls of a preview.
extension ScriptSession {
  /// Adds the values of `--set` to the arguments of a plugin call in a script, and records the call's parameters as
  /// controls.
  ///
  /// The call itself is checked afterwards. A call with mistakes has no controls.
  func controlled(_ raw: RawArguments, of plugin: OperationDescriptor, _ position: ScriptPosition?) -> RawArguments {
    // Calls within a plugin cannot be controlled from outside.
    guard plugins.callers.isEmpty, plugins.loading == nil, let position else { return raw }
    let prefix = graph.settings.prefix(ofCall: plugin.name, at: position)
    let parameters = plugin.parameters.filter(Self.isControllable)
    var result = raw
    for parameter in parameters {
      do throws(ArgumentError) {
        guard let value = try graph.settings.value(of: prefix.text + parameter.name, parameter) else { continue }
        result.named.removeAll { $0.name == parameter.name }
        result.named.append((parameter.name, value))
      } catch {
        graph.note(Diagnostic(.usage, at: position, subject: "--set", message: error.text(in: plugin.name)))
      }
    }
    result.named.sort { $0.name < $1.name }
    if prefix.isNew, let own = try? Arguments(raw, for: plugin), let now = try? Arguments(result, for: plugin) {
      for parameter in parameters {
        let name = prefix.text + parameter.name
        graph.settings.addControl(
          DeclaredSetting(
            parameter: parameter.control(name, of: plugin.name, at: position, default: own[parameter.name]),
            value: now[parameter.name], isGiven: graph.settings.given[name] != nil, position: position))
      }
    }
    return result
  }

  /// Returns whether the parameter is optional, and its value fits into one word. Only the script can set the size of a
  /// source, and the additional pictures of a plugin with several inputs.
  private static func isControllable(_ parameter: ParameterDescriptor) -> Bool {
    switch parameter.kind {
    case .boolean, .integer, .number, .choice, .text, .colour, .numbers: !parameter.isRequired
    default: false
    }
  }
}

extension ParameterDescriptor {
  /// Returns this parameter as a control of one call, under a heading with the plugin and the line.
  fileprivate func control(
    _ fullName: String, of plugin: String, at position: ScriptPosition, default value: ParameterValue?
  ) -> ParameterDescriptor {
    let heading = "\(plugin), \(PathName.name(position.file)):\(position.line)"
    return ParameterDescriptor(
      fullName, kind, default: value, unit: unit, step: step, label: label.isEmpty ? name : label,
      group: group.isEmpty ? heading : heading + ", " + group, help: help)
  }
}
