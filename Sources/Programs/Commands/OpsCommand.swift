import BookDesign
import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import Platform
import Reporting

enum OpsCommand: Command {
  static let name = "ops"
  static let summary = "list operations and templates, or describe one"
  static let operands = "[NAME|templates]"
  static var operandWords: OperandWords { .words(ScriptReference.own.all.map(\.descriptor.name) + [templates]) }
  static let maximumOperands = 1
  /// The operand that lists the templates of designed books.
  private static let templates = "templates"
  static let options = [
    CommandOption.json,
    CommandOption(
      name: "--stubs", value: nil,
      help: "print type annotations for lua-language-server: imghost.d.lua"),
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let all = ScriptReference.own.all
    if line.has("--stubs") {
      let host = HostEnvironment()
      defer { host.invalidate() }
      let lua = LuaPluginCatalog.list(host).compactMap { try? $0.outcome.get() }
      let native = host.plugins.discover().compactMap { try? $0.outcome.get().operation }
      Terminal.output(EditorStubs.text(.own, plugins: native + lua))
      return .success
    }
    guard let name = line.operands.first else {
      if line.has("--json") {
        Terminal.output(JSON.array(all.map(\.descriptor.json)).line)
      } else {
        Terminal.output(list(all))
      }
      return .success
    }
    if name == templates {
      Terminal.output(DesignStyle.names.map { style($0).drawings }.joined(separator: "\n\n"))
      return .success
    }
    guard let entry = all.first(where: { $0.descriptor.name == name }) ?? plugin(name) else {
      let hint = Suggestion.nearest(to: name, in: all.map(\.descriptor.name))
      throw .other(
        "unknown operation '\(printable(name))'"
          + (hint.map { " (did you mean '\($0)'?)" } ?? "; see 'imghost ops' and 'imghost plugins'")
      )
    }
    Terminal.output(line.has("--json") ? entry.descriptor.json.line : page(entry))
    return .success
  }

  private static func style(_ name: String) -> DesignStyle {
    do {
      let value = try TemplateFile.value(of: DesignStyle.source(named: name)) { _ in
        _exit(ExitStatus.scriptFailed.rawValue)
      }
      return try DesignStyle(value, file: name, addingTo: DesignStyle(name: name, templates: []))
    } catch {
      preconditionFailure("the style '\(name)' has mistakes: \(error)")
    }
  }

  private static func plugin(_ name: String) -> ScriptReference.Entry? {
    let host = HostEnvironment()
    defer { host.invalidate() }
    return host.descriptor(ofPlugin: name).map { ScriptReference.plugin($0) }
  }

  private static func list(_ all: [ScriptReference.Entry]) -> String {
    var families: [String] = []
    for entry in all where !families.contains(entry.descriptor.family) {
      families.append(entry.descriptor.family)
    }
    return families.map { family in
      let rows = all.filter { $0.descriptor.family == family }
        .map { ("  \($0.descriptor.name)", $0.descriptor.summary) }
      return family + "\n" + HelpText.table(rows)
    }.joined(separator: "\n\n")
      + "\n\n'imghost ops NAME' describes one of them.\n'imghost ops templates' draws the templates of books."
  }

  private static func page(_ entry: ScriptReference.Entry) -> String {
    let rows = entry.descriptor.parameters.map { parameter in
      ("  \(parameter.name)", "\(parameter.help) (\(parameter.facts))")
    }
    return "\(entry.descriptor.name): \(entry.descriptor.summary)\n\n  \(entry.call)"
      + (rows.isEmpty ? "" : "\n\n" + HelpText.table(rows))
  }
}

extension OperationDescriptor {
  fileprivate var json: JSON {
    .object([
      ("name", .text(name)), ("family", .text(family)), ("summary", .text(summary)),
      ("positional", .integer(positionalCount)), ("parameters", .array(parameters.map(\.json))),
    ])
  }
}
