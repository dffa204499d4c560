/// Replacements for the parts of Lua that the sandbox lacks.
enum SandboxAdvice {
  /// Returns a clause about a global or field that the sandbox lacks; nil for other names.
  static func text(_ name: String) -> String? {
    rows[name].map { "scripts run in a sandbox without \($0.missing): \($0.instead)" }
  }

  private static let rows: [String: (missing: String, instead: String)] = {
    let modules = "require \"name\" loads name.lua beside the script"
    var rows: [String: (missing: String, instead: String)] = [
      "io": (
        "io",
        "img.open and img.glob read pictures, save and book write files, print writes text, "
          + "require reads data from a Lua file beside the script"
      ),
      "debug": ("debug", "errors name their line without it"),
      "package": ("package", modules), "loadfile": ("loadfile", modules),
      "dofile": ("dofile", modules), "dump": ("string.dump", "bytecode cannot be loaded"),
      "execute": ("os.execute", "it starts no programs; run them before or after imghost"),
      "exit": ("os.exit", "error(\"why\") ends a script, return leaves it"),
      "getenv": ("os.getenv", "give values with --set name=value and read img.settings.name"),
      "setlocale": ("os.setlocale", "strings are UTF-8 and sorted by their bytes"),
    ]
    for name in ["remove", "rename", "tmpname"] {
      rows[name] = ("os.\(name)", "only save and book change files")
    }
    return rows
  }()
}
