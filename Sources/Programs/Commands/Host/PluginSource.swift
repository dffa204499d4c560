import ImageCore
import Platform

/// The file or folder that a plugin is installed from.
struct PluginSource {
  /// The maximum number of files and folders. No plugin has that many, so the copying of a mistyped folder ends soon.
  private static let maximumFiles = 1000
  private static let maximumByteCount = 1 << 30
  private static let maximumDepth = 8

  let path: String
  private let isFolder: Bool
  /// The common prefix of the paths of the source files.
  var prefix: String { isFolder ? root + "/" : PathName.folder(path).map { $0 + "/" } ?? "" }
  private var root: String { path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path }

  /// Returns whether a file has the extension of a plugin and is not hidden.
  static func isPluginFile(_ name: String) -> Bool {
    (name.hasSuffix(".so") || name.hasSuffix(".lua")) && !PathName.isHidden(name)
  }

  init(_ path: String) throws(UserPlugins.Problem) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Self.problem(path, FileError(.read, path: path, code: errno).description)
    }
    isFolder = status.st_mode & S_IFMT == S_IFDIR
    if isFolder {
      guard let folder = openFolder(path) else { throw Self.problem(path, systemText(errno)) }
      closedir(folder)
    } else {
      guard status.st_mode & S_IFMT == S_IFREG else { throw Self.problem(path, "neither a file nor a folder") }
      guard Self.isPluginFile(String(PathName.name(path))) else {
        throw Self.problem(path, "not a plugin file; expected a name that ends in .so or .lua, or a folder")
      }
    }
  }

  /// Copies the file, or all items of the folder except hidden ones.
  func copy(into stage: FolderDescriptor) throws(UserPlugins.Problem) {
    var left = (files: Self.maximumFiles, bytes: Self.maximumByteCount)
    guard isFolder else {
      let file = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      return try Self.copy(file, path, as: String(PathName.name(path)), into: stage, &left)
    }
    let folder = openFile(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0, let source = FolderDescriptor(folder, ".") else { throw Self.problem(path, systemText(errno)) }
    close(folder)
    guard source.names().contains(where: Self.isPluginFile) else { throw noPlugin() }
    try Self.copy(source, root, into: stage, depth: 0, &left)
  }

  private func noPlugin() -> UserPlugins.Problem {
    Self.problem(path, "no plugin in this folder, neither *.so nor *.lua\(projectHint)")
  }

  /// A hint for users who gave the folder of a plugin project, whose plugin is one folder further down; empty for other
  /// folders.
  var projectHint: String {
    guard isFolder else { return "" }
    let inner = ["build", "plugins"].map { root + "/" + $0 }
    let found = inner.first { (FolderDescriptor(AT_FDCWD, $0)?.names() ?? []).contains(where: Self.isPluginFile) }
    return found.map { " (did you mean '\($0)'?)" } ?? ""
  }

  private static func copy(
    _ source: FolderDescriptor, _ path: String, into target: FolderDescriptor, depth: Int,
    _ left: inout (files: Int, bytes: Int)
  ) throws(UserPlugins.Problem) {
    guard depth < maximumDepth else { throw problem(path, "folders are nested more than \(maximumDepth) deep") }
    for name in source.names().sorted() where !PathName.isHidden(name) {
      let itemPath = path + "/" + name
      var status = stat()
      guard fstatat(source.value, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw problem(itemPath, systemText(errno))
      }
      left.files -= 1
      guard left.files >= 0 else { throw problem(itemPath, tooMuch) }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard let folder = FolderDescriptor(source.value, name), mkdirat(target.value, name, 0o755) == 0,
          let copied = FolderDescriptor(target.value, name)
        else { throw problem(itemPath, systemText(errno)) }
        try copy(folder, itemPath, into: copied, depth: depth + 1, &left)
      case S_IFREG:
        let file = openat(source.value, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        try copy(file, itemPath, as: name, into: target, &left)
      default:
        throw problem(itemPath, "neither a file nor a folder; a plugin's folder may hold no links")
      }
    }
  }

  /// Copies an open file, and closes it.
  private static func copy(
    _ file: Int32, _ path: String, as name: String, into target: FolderDescriptor,
    _ left: inout (files: Int, bytes: Int)
  ) throws(UserPlugins.Problem) {
    guard file >= 0 else { throw problem(path, systemText(errno)) }
    defer { close(file) }
    let copied = openat(target.value, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard copied >= 0 else { throw problem(path, systemText(errno)) }
    var failure: String?
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while failure == nil {
      let count = read(file, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count == 0 { break }
      if count < 0 {
        failure = systemText(errno)
        break
      }
      left.bytes -= count
      if left.bytes < 0 {
        failure = tooMuch
        break
      }
      let code = buffer.withUnsafeBytes { writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: copied) }
      if code != 0 { failure = systemText(code) }
    }
    // An installed file must survive a power failure.
    if failure == nil, fsync(copied) != 0 { failure = systemText(errno) }
    if close(copied) != 0, failure == nil { failure = systemText(errno) }
    if let failure { throw problem(path, failure) }
  }

  private static let tooMuch =
    "a plugin may have at most \(maximumFiles) files and folders, and \(maximumByteCount >> 30) GiB"

  private static func problem(_ path: String, _ words: String) -> UserPlugins.Problem {
    UserPlugins.Problem(words: "\(path): \(words)")
  }
}

/// An open folder. Its items are accessed relative to its descriptor, so that no link in the path can redirect the
/// access.
final class FolderDescriptor {
  let value: Int32

  /// Opens a folder. Returns nil and sets `errno` on failure, also for a link to a folder. Wraps `openat(2)`.
  init?(_ parent: Int32, _ name: String) {
    value = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if value < 0 { return nil }
  }

  deinit { if value >= 0 { close(value) } }

  /// Returns the names of the items in no particular order, including hidden ones; empty if the folder cannot be read.
  func names() -> [String] { folderNames(of: value) ?? [] }

  /// Removes an item; a folder is removed with its contents, and a link without its target. Returns false and sets
  /// `errno` on failure.
  func remove(_ name: String) -> Bool {
    if unlinkat(value, name, 0) == 0 { return true }
    guard errno == EISDIR || errno == EPERM else { return false }
    guard let folder = FolderDescriptor(value, name) else { return false }
    for name in folder.names() where !folder.remove(name) { return false }
    return unlinkat(value, name, AT_REMOVEDIR) == 0
  }
}
