import ImageCore
import Platform
import PluginHost

/// The folder of the plugins that a user has installed. Each plugin has a subfolder with its name; files that the user
/// has copied there by hand are plugins, too.
///
/// Nothing outside of the folder is changed, even if links in it point elsewhere.
struct UserPlugins {
  let path: String
  private let descriptor: FolderDescriptor

  /// The reason, for the user, why something cannot be installed or removed.
  struct Problem: Error { let words: String }

  /// An item of the folder, with the plugins in it.
  struct Item {
    let name: String
    let plugins: [PluginEntry.Plugin]
  }

  /// Opens the folder.
  ///
  /// - Parameter making: whether to create the folder if it is missing.
  init(making: Bool) throws(Problem) {
    guard let path = HostEnvironment.userPlugins else {
      throw Problem(words: "neither HOME nor XDG_DATA_HOME names a folder for plugins")
    }
    self.path = path
    if making { FolderFiles.make(path) }
    guard let descriptor = FolderDescriptor(AT_FDCWD, path) else {
      let reason = errno
      if reason == ENOTDIR || reason == ELOOP {
        throw Problem(words: "\(path) is not a folder, or a link to one; imghost does not follow it")
      }
      throw Problem(words: "\(path): \(systemText(reason))")
    }
    self.descriptor = descriptor
  }

  static var isThere: Bool { HostEnvironment.userPlugins.map { access($0, F_OK) == 0 } ?? false }

  /// Returns whether an item is a folder without plugins. A link is never such a folder.
  func isForeignFolder(_ item: Item) -> Bool {
    var status = stat()
    return item.plugins.isEmpty && fstatat(descriptor.value, item.name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the items in the order of their names, without hidden ones, such as unfinished installations.
  func items() -> [Item] {
    let entries = PluginEntry.all(in: [PluginFolder(path: path, files: .installed, isExpected: false)])
    return descriptor.names().filter { !PathName.isHidden($0) }.sorted().map { name in
      let prefix = path + "/" + name
      return Item(
        name: name,
        plugins: entries.filter { $0.path == prefix || $0.path.hasPrefix(prefix + "/") }.compactMap(\.plugin))
    }
  }

  /// Removes an item. If it is a link, its target stays.
  func remove(_ name: String) throws(Problem) {
    guard descriptor.remove(name) else {
      throw Problem(words: "\(path)/\(name): cannot be removed: \(systemText(errno))")
    }
  }

  /// Copies a plugin's file or folder into a hidden folder in this one, so that the plugin can be checked.
  ///
  /// - Returns: the hidden folder's name.
  func stage(_ source: PluginSource) throws(Problem) -> String {
    removeAbandoned()
    let name = Self.stagePrefix + String(UInt64.random(in: 0 ... .max), radix: 36)
    guard mkdirat(descriptor.value, name, 0o755) == 0, let stage = FolderDescriptor(descriptor.value, name) else {
      throw Problem(words: "\(path)/\(name): \(systemText(errno))")
    }
    do throws(Problem) {
      try source.copy(into: stage)
    } catch {
      _ = descriptor.remove(name)
      throw error
    }
    return name
  }

  /// Renames a staged folder to its final name, and replaces the item that has this name. The caller discards the
  /// staged folder on failure.
  func install(_ stage: String, as name: String) throws(Problem) {
    if renameat(descriptor.value, stage, descriptor.value, name) == 0 { return }
    let code = errno == ENOENT ? errno : exchangeFiles(stage, name, in: descriptor.value)
    guard code == 0 else { throw Problem(words: "\(path)/\(name): \(systemText(code))") }
    try remove(stage)
  }

  func discard(_ stage: String) { _ = descriptor.remove(stage) }

  private static let stagePrefix = ".install-"

  /// Removes folders that were staged more than an hour ago by processes that were killed.
  private func removeAbandoned() {
    for name in descriptor.names() where name.hasPrefix(Self.stagePrefix) {
      var status = stat()
      guard fstatat(descriptor.value, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.modificationTime.tv_sec < time(nil) - 3600
      else { continue }
      _ = descriptor.remove(name)
    }
  }
}
