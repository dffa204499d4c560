import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

enum PluginsCommand: Command {
  static let name = "plugins"
  static let summary = "list the installed plugins, and files that are not usable as plugins"
  static let operands = ""
  static let maximumOperands = 0
  static let options = [CommandOption.json]
  static let details = """
    imghost looks for plugins in the folders of IMGHOST_PLUGIN_PATH (separated by colons), in
    $XDG_DATA_HOME/imghost/plugins or ~/.local/share/imghost/plugins ('imghost plugin install'),
    beside the program, and in ../lib/imghost/plugins from there. It looks for Lua plugins (*.lua)
    also in the folder 'plugins' beside the script; this command takes the current folder for the
    script's.
    It looks for frei0r plugins in the folders of FREI0R_PATH, in /usr/lib/frei0r-1,
    /usr/local/lib/frei0r-1, the system's library folder, and ~/.frei0r-1/lib.

    A separate process describes each native plugin. The description is cached in
    $XDG_CACHE_HOME/imghost/plugins or ~/.cache/imghost/plugins.

    The last line names the measures that isolate plugins on this machine; each is tested first.

    --json prints one object with "plugins" and "isolation". In "plugins", "library" is native,
    frei0r or lua, and "faults" is null unless 'imghost plugin check' has checked the plugin. In
    "isolation", "enforced" and "missing" list the measures.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let listings = PluginListings(host)
    if line.has("--json") {
      let isolation = host.plugins.isolation()
      Terminal.output(
        JSON.object([
          ("plugins", .array(listings.json)),
          (
            "isolation",
            .object([
              ("enforced", .array(isolation.enforced.map { .text($0) })),
              ("missing", .array(isolation.missing.map { .text($0) })),
            ])
          ),
        ]).line)
      return .success
    }
    for text in listings.descriptions(host) { Terminal.output(text) }
    for refusal in listings.entries.compactMap(\.refusal) { Terminal.error(printable(refusal)) }
    Terminal.output("isolation: " + printable(host.plugins.isolation().summary))
    if listings.isEmpty {
      Terminal.error("imghost plugins: no plugins found; see 'imghost plugins --help'")
    }
    return .success
  }
}
