import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// `imghost new plugin NAME --lang LANGUAGE`.
enum NewPluginProject {
  static let option = CommandOption(
    name: "--lang", value: "LANGUAGE", help: "language of the plugin",
    choices: PluginTemplate.Language.allCases.map(\.rawValue))

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let name = try line.operand(1, "NAME")
    guard PluginTemplate.isName(name) else {
      throw .badValue(
        option: "NAME", value: name, expected: "a lower-case letter, then lower-case letters, digits, '_' and '-'")
    }
    guard let language = line.value("--lang").flatMap(PluginTemplate.Language.init) else {
      let known = PluginTemplate.Language.allCases.map(\.rawValue).joined(separator: "|")
      throw .other("missing option --lang \(known)")
    }
    guard access(name, F_OK) != 0 else { throw .other("'\(name)' already exists; choose another name") }
    if let path = file(ofPlugin: name) {
      throw .other("plugin '\(name)' already exists in \(printable(path)); choose another name")
    }
    let template = PluginTemplate(name: name, language: language)
    guard ProjectFiles.write(template.files, into: name, command: "new plugin") else { return .someFailed }
    Terminal.output("made \(name)/\ntry it: sh \(name)/test.sh")
    return .success
  }

  private static func file(ofPlugin name: String) -> String? {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let lua = LuaPluginCatalog.list(host).first { (try? $0.outcome.get())?.name == name }?.path
    return lua ?? host.plugins.discover().first { $0.name == name }?.path
  }
}

/// Writes the files of a new folder.
enum ProjectFiles {
  /// Returns false, after a message, if a file could not be written.
  static func write(_ files: [(path: String, text: String)], into folder: String, command: String) -> Bool {
    for (path, text) in files {
      do throws(PictureError) {
        let file = try OutputFile(path: folder + "/" + path)
        var failure: PictureError?
        Array(text.utf8).withUnsafeBytes { bytes in
          do throws(PictureError) {
            try file.write(bytes)
          } catch {
            failure = error
          }
        }
        if let failure { throw failure }
        try file.commit()
      } catch {
        Terminal.error("imghost \(command): \(printable(folder + "/" + path)): \(error)")
        return false
      }
    }
    return true
  }
}
