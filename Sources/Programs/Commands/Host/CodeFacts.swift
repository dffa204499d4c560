import ImageCore
import ImagePipeline
import Platform
import PluginCodecs
import PluginHost
import RunRecords
import TextShaping

/// The identities of the code and the fonts that outputs depend on.
enum CodeFacts {
  /// The build ID of the program in hexadecimal digits, or else the digest of its file; empty if neither is known.
  static var build: String {
    let build = ownBuildID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    if build.isEmpty, let file = try? InputFile(path: ownProgram) {
      return (try? SHA256.digest(of: file, count: file.byteCount).description) ?? ""
    }
    return build
  }

  /// Returns the facts that the recipes of outputs contain (see `OutputRecipe`): about the program, plugins, libraries
  /// and fonts.
  static func recipes(_ plugins: PluginHost) -> RecipeFacts {
    var facts = RecipeFacts()
    facts.build = { "\(build) \(PluginHost.codeIdentity(ofLibrary: ownProgram, and: codecLibraries))" }
    facts.plugin = { name in
      // The first request loads the description if necessary. The path is known only then.
      guard let description = plugins.description(named: name), let path = plugins.path(ofPlugin: name) else {
        return nil
      }
      return RecipeFacts.PluginIdentity(
        path: path, code: PluginHost.codeIdentity(ofLibrary: path), isDeterministic: description.isDeterministic,
        parameters: description.operation.parameters)
    }
    facts.library = { PluginHost.codeIdentity(ofLibrary: $0) }
    facts.colours = { [plugin = facts.plugin] in plugin(CodecRegistry.colourName) }
    facts.fonts = { fonts }
    return facts
  }

  /// The libraries that imghost opens to read or write pictures, and those that it opens to draw texts.
  private static let codecLibraries = ["libjpeg.so.62", "libspng.so.0", "libisal.so.2"]
  private static let textLibraries = ["libpangocairo-1.0.so.0", "libfontconfig.so.1"]

  /// A digest of everything that the look of texts depends on: the libraries; the names, sizes and times of all font
  /// files; and fontconfig's configuration.
  private static var fonts: String {
    let (files, folders) = TextLayouter.fontSources
    var lines = [Executable.environment("FONTCONFIG_SYSROOT") ?? ""]
    lines += files.map { "\($0)\t\(FileDigest.file($0)?.description ?? "")" }
    lines += folders.map { "\($0)\t\(FileDigest.tree($0)?.description ?? "")" }
    lines.append(PluginHost.codeIdentity(ofLibrary: ownProgram, and: textLibraries))
    // If the libraries cannot be loaded, texts are set in Helvetica. The digest contains the problem, so that outputs
    // with texts are made again once the libraries can be loaded.
    lines.append(TextLayouter.problem.map { "\($0)" } ?? "")
    return SHA256.digest(of: Array(lines.joined(separator: "\n").utf8)).description
  }
}
