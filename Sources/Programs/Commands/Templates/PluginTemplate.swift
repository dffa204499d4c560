import CPluginABI

/// The files of a new plugin's project: it builds, passes its own test, and does something that can be seen.
struct PluginTemplate {
  /// The languages of plugins.
  enum Language: String, CaseIterable {
    case c, swift, lua
  }

  /// The kinds of plugins. Codecs are written in C.
  enum Kind: String, CaseIterable {
    case filter, codec
  }

  /// The name scripts call it by: a small letter, then small letters, digits, `_` and `-`.
  let name: String
  let language: Language
  let kind: Kind

  /// Every project of a name.
  static func all(_ name: String) -> [PluginTemplate] {
    Language.allCases.map { PluginTemplate(name: name, language: $0, kind: .filter) }
      + [PluginTemplate(name: name, language: .c, kind: .codec)]
  }

  /// Whether a text may be a plugin's name.
  static func isName(_ text: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy {
      letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
  }

  /// Paths in the project's folder, and texts.
  var files: [(path: String, text: String)] {
    if kind == .codec { return codecFiles }
    let common = [
      ("README.md", readme), ("test.sh", test), ("example.lua", fill(Self.example)),
    ]
    let header = Self.headerFile
    switch language {
    case .c: return [("\(type).c", fill(Self.c)), header] + common
    case .swift:
      return [("\(type).swift", fill(Self.swift)), ("module.modulemap", Self.moduleMap), header] + common
    case .lua: return [("plugins/\(name).lua", fill(Self.lua))] + common
    }
  }

  private var codecFiles: [(path: String, text: String)] {
    [
      ("\(type).c", fill(Self.codec)), Self.headerFile, ("README.md", fill(Self.codecReadme)), ("test.sh", test),
      ("save.lua", fill(Self.codecSave)), ("open.lua", fill(Self.codecOpen)),
    ]
  }

  /// The text of the header lies in the program, constant and never freed.
  private static var headerFile: (path: String, text: String) {
    ("imghost_plugin.h", String(cString: imghost_plugin_text()))
  }

  /// The extension of a codec's files: `softglow` of `soft-glow`.
  var fileExtension: String { name.filter { !"_-".contains($0) } }

  /// Five letters of the first 8 bytes of a codec's files. Like those of PNG, the other bytes show whether something
  /// changed a file as if it was a text.
  private var signatureLetters: String {
    let letters = fileExtension.uppercased().prefix(5)
    return letters + String(repeating: "-", count: 5 - letters.count)
  }

  /// `SoftGlow` of `soft-glow`.
  private var type: String {
    name.split { "_-".contains($0) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private var library: String { "lib\(type)Plugin.so" }

  private var source: String {
    switch language {
    case .c: "\(type).c"
    case .swift: "\(type).swift"
    case .lua: "plugins/\(name).lua"
    }
  }

  /// Replaces words in @ by the names.
  private func fill(_ text: String) -> String {
    [
      ("@NAME@", name), ("@TYPE@", type), ("@EXTENSION@", fileExtension),
      ("@SIGNATURE@", "0x89, " + signatureLetters.map { "'\($0)', " }.joined() + #"'\r', '\n'"#),
      ("@HEX@", "89" + signatureLetters.utf8.map { String($0, radix: 16) }.joined() + "0d0a"),
    ].reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private var build: String? {
    switch language {
    case .c:
      "${CC:-cc} -O2 -std=c11 -Wall -Wextra -fPIC -shared -fvisibility=hidden \\\n"
        + "  -o build/\(library) \(type).c -lm"
    case .swift:
      "${SWIFTC:-swiftc} -O -swift-version 6 -parse-as-library -I . -emit-library \\\n"
        + "  -module-name \(type)Plugin -o build/\(library) \(type).swift"
    case .lua: nil
    }
  }

  private var test: String {
    let head = """
      #!/bin/sh
      # Builds the plugin, tries it out, and uses it. IMGHOST may name the imghost to use.
      set -eu
      cd "$(dirname "$0")"
      imghost=${IMGHOST:-imghost}

      """
    guard let build else {
      return head + "\"$imghost\" plugin check plugins/\(name).lua\n\"$imghost\" run example.lua\n"
    }
    return head + """
      mkdir -p build
      \(build)
      "$imghost" plugin check build/\(library)

      """ + examples.map { "IMGHOST_PLUGIN_PATH=\"$PWD/build\" \"$imghost\" run \($0)\n" }.joined()
  }

  private var examples: [String] { kind == .codec ? ["save.lua", "open.lua"] : ["example.lua"] }

  private var readme: String {
    let use =
      language == .lua
      ? "`imghost plugin install plugins/\(name).lua` installs it for you. In a folder `plugins` beside a script, it "
        + "works without that."
      : "`imghost plugin install build/\(library)` installs it for you."
    let facts =
      language == .lua
      ? "`picture` takes every operation of `imghost ops`; options are checked before `apply` is called."
      : "`imghost_plugin.h` says all there is to know."
    return """
      # \(name)

      A plugin for imghost. As it was made it mixes a picture with its negative.

          sh test.sh

      builds it, has `imghost plugin check` try it out, and writes `example.png`.

      ## Next steps

      1. Change what `\(source)` does. \(facts)
      2. Declare parameters with real ranges and a line of help each: scripts, `imghost ops \(name)` and
         editors get them from there.
      3. Run `sh test.sh` after each change; the table names what is wrong.
      4. \(use)

      """
  }
}
