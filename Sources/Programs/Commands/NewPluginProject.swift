import CommandInterface
import ImageCodecs
import ImageCore
import ImagePipeline
import Platform

/// `imghost new plugin NAME --lang LANGUAGE --kind KIND`.
enum NewPluginProject {
  static let options = [
    CommandOption(
      name: "--lang", value: "LANGUAGE", help: "language of the plugin",
      choices: PluginTemplate.Language.allCases.map(\.rawValue)),
    CommandOption(
      name: "--kind", value: "KIND", help: "an operation on pictures, or a file format (in C)",
      choices: PluginTemplate.Kind.allCases.map(\.rawValue), defaultValue: PluginTemplate.Kind.filter.rawValue),
    ProjectFiles.overwrite,
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let name = try line.operand(1, "NAME")
    guard PluginTemplate.isName(name) else {
      throw .badValue(
        option: "NAME", value: name, expected: "a lower-case letter, then lower-case letters, digits, '_' and '-'")
    }
    let kind = line.value("--kind").flatMap(PluginTemplate.Kind.init) ?? .filter
    guard kind == .filter || line.value("--lang") == PluginTemplate.Language.c.rawValue else {
      throw .other("--kind codec needs --lang c")
    }
    guard let language = line.value("--lang").flatMap(PluginTemplate.Language.init) else {
      let known = PluginTemplate.Language.allCases.map(\.rawValue).joined(separator: "|")
      throw .other("missing option --lang \(known)")
    }
    if let path = file(ofPlugin: name) {
      throw .other("plugin '\(name)' already exists in \(printable(path)); choose another name")
    }
    let template = PluginTemplate(name: name, language: language, kind: kind)
    if kind == .codec, let format = format(ofExtension: template.fileExtension) {
      throw .other("'.\(template.fileExtension)' is an extension of \(format) files; choose another name")
    }
    let project = ProjectFiles(
      folder: name, files: template.files, earlier: PluginTemplate.all(name).flatMap(\.files), command: "new plugin")
    guard try project.write(mayOverwrite: line.has(ProjectFiles.overwrite.name)) else { return .someFailed }
    Terminal.output("made \(name)/\ntry it: sh \(name)/test.sh")
    return .success
  }

  /// Returns the name of the format that already uses a file extension; nil if there is none.
  private static func format(ofExtension name: String) -> String? {
    let host = HostEnvironment()
    defer { host.invalidate() }
    if let codec = CodecList.all.first(where: { $0.extensions.contains(name) }) { return codec.name.uppercased() }
    return host.codecs.all.first { $0.extensions.contains(name) }?.title
  }

  private static func file(ofPlugin name: String) -> String? {
    let host = HostEnvironment()
    defer { host.invalidate() }
    return host.file(ofPlugin: name)
  }
}
