import CommandInterface
import ImageCore
import ImagePipeline
import PluginHost

enum PluginRemoveCommand: Command {
  static let name = "plugin remove"
  static let summary = "remove plugins that the current user has installed"
  static let operands = "NAME…"
  static let details = """
    imghost removes the plugin's folder or file in $XDG_DATA_HOME/imghost/plugins, or
    ~/.local/share/imghost/plugins, and nothing elsewhere. A file there that gives no plugin is
    removed by the name of its folder or file.

    Exit status: 0 all are removed; 1 some are not; 2 wrong usage.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    _ = try line.operand(0, "NAME")
    var status = ExitStatus.success
    var removal: Removal
    do throws(UserPlugins.Problem) {
      removal = Removal(wanted: line.operands, folder: UserPlugins.isThere ? try UserPlugins(making: false) : nil)
    } catch {
      Terminal.error("imghost plugin remove: " + printable(error.words))
      return .someFailed
    }
    for name in line.operands {
      do throws(UserPlugins.Problem) {
        try removal.remove(name)
      } catch {
        Terminal.error("imghost plugin remove: " + printable(error.words))
        status = .someFailed
      }
    }
    return status
  }
}

private struct Removal {
  private let wanted: [String]
  /// The folder; nil if it does not exist.
  private let folder: UserPlugins?
  private var items: [UserPlugins.Item]
  private var removed: Set<String> = []

  init(wanted: [String], folder: UserPlugins?) {
    self.wanted = wanted
    self.folder = folder
    items = folder?.items() ?? []
  }

  mutating func remove(_ name: String) throws(UserPlugins.Problem) {
    // The plugin was removed together with another one in the same file, or the user named it twice.
    if removed.contains(name) { return }
    let index =
      items.firstIndex { $0.plugins.contains { $0.name == name } }
      ?? items.firstIndex { $0.plugins.isEmpty && $0.name == name }
    guard let folder, let index else { throw missing(name) }
    let item = items[index]
    if let other = item.plugins.first(where: { !wanted.contains($0.name) }) {
      let all = item.plugins.map(\.name).joined(separator: " ")
      throw UserPlugins.Problem(
        words: "'\(name)' and '\(other.name)' are in one file; to remove them together: imghost plugin remove \(all)")
    }
    try folder.remove(item.name)
    items.remove(at: index)
    removed.formUnion(item.plugins.map(\.name) + [name])
    let titles = item.plugins.isEmpty ? item.name : item.plugins.map(\.title).joined(separator: ", ")
    Terminal.output(printable("removed \(titles) from \(folder.path)"))
  }

  private func missing(_ name: String) -> UserPlugins.Problem {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let place = folder?.path ?? HostEnvironment.userPlugins ?? "your own folder"
    guard let other = PluginListings(host).named(name).entries.first else {
      return UserPlugins.Problem(words: "no plugin '\(name)' in \(place)")
    }
    return UserPlugins.Problem(
      words: "'\(name)' is not in \(place) but in \(other.path); only what lies in the first is removed")
  }
}
