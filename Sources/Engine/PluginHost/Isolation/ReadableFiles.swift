import ImageCore
import Platform
import Synchronization

/// The files that a library's workers may read, besides fonts and files that describe the machine: the library's own
/// folder, declared data, and the files that are read when the library is loaded. The files read by loading are
/// determined once, when the first worker starts.
package final class ReadableFiles: Sendable {
  /// The environment variable that passes the readable paths to a worker, one per line.
  package static let variable = "IMGHOST_PLUGIN_FILES"
  /// The maximum size, in bytes, of a variable that the system passes to a program.
  private static let maximumByteCount = 128 << 10

  private let library: String
  private let known = Mutex<[String]?>(nil)
  private let data = Mutex<[String]>([])

  /// The folders in which plugins may declare data: those of packages, which contain nothing private.
  static let dataRoots = ["/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib", "/opt"]

  init(library: String) { self.library = library }

  /// Allows reading the data that the plugin declares.
  func allow(_ paths: [String]) { data.withLock { $0 = paths } }

  /// Returns whether a plugin may declare this path as data.
  static func isData(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }), !parts.contains("..") else { return false }
    return dataRoots.contains { path.utf8.starts(with: ($0 + "/").utf8) }
  }

  /// The declared data that exists, with links resolved; a link that leads outside `dataRoots` is ignored.
  private var dataFiles: [String] {
    data.withLock { $0 }.compactMap { path in
      guard let resolved = realpath(path, nil) else { return nil }
      defer { free(resolved) }
      let target = PathBytes.text(resolved)
      return Self.isData(target) ? target : nil
    }
  }

  /// The locations where fontconfig searches for a user's own fonts, and for its settings and caches.
  private static var userFonts: [String] {
    let home = value("HOME")
    guard home.utf8.first == UInt8(ascii: "/") else { return [] }
    func base(_ name: String, _ usual: String) -> String {
      let chosen = value(name)
      return chosen.utf8.first == UInt8(ascii: "/") ? chosen : home + usual
    }
    return [
      base("XDG_DATA_HOME", "/.local/share") + "/fonts", base("XDG_CONFIG_HOME", "/.config") + "/fontconfig",
      base("XDG_CACHE_HOME", "/.cache") + "/fontconfig", home + "/.fonts", home + "/.fonts.conf",
      home + "/.fonts.conf.d",
    ]
  }

  /// The library, and the files that are read when it is loaded.
  var files: [String] {
    known.withLock { known in
      if let known { return known }
      let files = LibraryClosure.files(loading: library, searchPath: Self.value("LD_LIBRARY_PATH"))
      known = files
      return files
    }
  }

  /// The files that are read when the library is loaded, without the library itself.
  var libraries: [String] { Array(files.dropFirst()) }

  /// The variable with its value, as `NAME=value`.
  var assignment: String { "\(Self.variable)=\(lines)" }

  private static func value(_ name: String) -> String { getenv(name).map { PathBytes.text($0) } ?? "" }

  private var lines: String {
    let folder = Self.ownFolder(of: library, home: Self.value("HOME"))
    var lines = ""
    let fonts = [ShippedFonts.folder] + Self.userFonts
    for path in (folder.map { [$0] } ?? []) + dataFiles + fonts + files where !path.utf8.contains(0x0a) {
      guard lines.utf8.count + path.utf8.count < Self.maximumByteCount - 64 else { break }
      lines += path + "\n"
    }
    return lines
  }

  /// Returns the folder of a plugin's own files: the folder of its library. Nil if that folder cannot be examined, or
  /// may also contain unrelated files, because it is or contains the user's home, or everyone can write to it.
  static func ownFolder(of library: String, home: String) -> String? {
    let folder = PathName.folder(library).map { $0.isEmpty ? "/" : String($0) } ?? "."
    guard let resolved = realpath(folder, nil) else { return nil }
    defer { free(resolved) }
    let path = PathBytes.text(resolved)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IWOTH == 0 else { return nil }
    let isAbove = path == "/" || (home + "/").utf8.starts(with: (path + "/").utf8)
    return isAbove ? nil : path
  }
}

/// The fonts of the portable distribution. Packages rely on the system's fonts.
package enum ShippedFonts {
  /// The folder `../share/imghost/fonts` relative to the program's folder; empty if that is unknown.
  static let folder: String = {
    guard let program = ownProgramFile, let folder = PathName.folder(program) else { return "" }
    return (PathName.folder(String(folder)).map(String.init) ?? "") + "/share/imghost/fonts"
  }()

  /// The variable that names fontconfig's configuration.
  private static let variable = "FONTCONFIG_FILE"
  private static let configuration = folder + "/fonts.conf"

  /// Adds the shipped fonts to those that fontconfig finds (the system's and the user's), unless the user has chosen a
  /// configuration.
  package static func use() {
    guard access(configuration, R_OK) == 0, getenv("FONTCONFIG_PATH") == nil else { return }
    _ = PathBytes.withBytes(of: configuration) { setenv(variable, $0, 0) }
  }

  /// The variable as `NAME=value`, for workers; nil if it does not name the shipped configuration, because workers may
  /// be unable to read another one.
  static var assignment: String? {
    guard let chosen = getenv(variable), PathBytes.text(chosen) == configuration else { return nil }
    return variable + "=" + configuration
  }
}
