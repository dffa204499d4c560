import CommandInterface
import ImageCore
import ImagePipeline
import PluginHost

enum PluginInstallCommand: Command {
  static let name = "plugin install"
  static let summary = "install plugins for the current user"
  static let operands = "FILE|FOLDER…"
  static let details = """
    FILE is a library (.so) or a Lua file. A FOLDER has one of them, and the files that the plugin reads.
    imghost copies it to $XDG_DATA_HOME/imghost/plugins/NAME, or ~/.local/share/imghost/plugins/NAME,
    and describes the copy: a library in a confined process, a Lua file in the sandbox of scripts.
    Only a plugin that describes itself correctly gets its place there. It replaces the version that
    was installed before.

    Exit status: 0 all are installed; 1 some are not; 2 wrong usage.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    _ = try line.operand(0, "FILE")
    var status = ExitStatus.success
    for path in line.operands {
      do throws(UserPlugins.Problem) {
        try install(path)
      } catch {
        Terminal.error("imghost plugin install: " + printable(error.words))
        status = .someFailed
      }
    }
    return status
  }

  private static func install(_ path: String) throws(UserPlugins.Problem) {
    let source = try PluginSource(path)
    let folder = try UserPlugins(making: true)
    let stage = try folder.stage(source)
    do throws(UserPlugins.Problem) {
      let plugins = try plugins(in: folder.path + "/" + stage, source)
      let name = plugins[0].name
      let items = folder.items()
      for plugin in plugins {
        guard let other = items.first(where: { $0.name != name && $0.plugins.contains { $0.name == plugin.name } })
        else { continue }
        throw UserPlugins.Problem(
          words: "\(path): '\(plugin.name)' is installed already, in \(folder.path)/\(other.name); "
            + "first run: imghost plugin remove \(plugin.name)")
      }
      let there = items.first { $0.name == name }
      if let there, folder.isForeignFolder(there) {
        throw UserPlugins.Problem(
          words: "\(folder.path)/\(name) holds no plugin, and would be replaced; move it away first")
      }
      let before = there?.plugins ?? []
      try folder.install(stage, as: name)
      report(plugins, before: before, at: folder.path + "/" + name)
    } catch {
      folder.discard(stage)
      throw error
    }
  }

  /// Returns the plugins in the only plugin file of a staged folder. Throws an error unless there is exactly one.
  private static func plugins(in stage: String, _ source: PluginSource) throws(UserPlugins.Problem)
    -> [PluginEntry.Plugin]
  {
    let entries = PluginEntry.all(in: [PluginFolder(path: stage)])
    let files = Set(entries.filter { $0.plugin != nil }.map(\.path))
    guard let file = files.first else {
      let reasons = entries.compactMap { $0.refusal?.replacing(stage + "/", with: source.prefix) }
      throw UserPlugins.Problem(words: reasons.joined(separator: "; ") + source.projectHint)
    }
    guard files.count == 1 else {
      let names = files.sorted().map { String(PathName.name($0)) }.joined(separator: ", ")
      throw UserPlugins.Problem(
        words: "\(source.path): it has several plugins (\(names)); install each file by itself")
    }
    return entries.filter { $0.path == file }.compactMap(\.plugin)
  }

  private static func report(_ plugins: [PluginEntry.Plugin], before: [PluginEntry.Plugin], at path: String) {
    for plugin in plugins {
      let old = before.first { $0.name == plugin.name }.map { ", replacing \($0.title)" } ?? ""
      Terminal.output(printable("installed \(plugin.title) in \(path)\(old)"))
    }
    for plugin in before where !plugins.contains(where: { $0.name == plugin.name }) {
      Terminal.output(printable("removed \(plugin.title), which the new file does not have"))
    }
    // Reports plugins in other folders with the name of an installed one: the first in the search order hides the
    // others.
    for entry in PluginEntry.all(in: HostEnvironment.pluginFolders) {
      guard let refusal = entry.refusal, plugins.contains(where: { $0.name == entry.hiddenName }) else { continue }
      Terminal.error("imghost plugin install: note: " + printable(refusal))
    }
  }
}
