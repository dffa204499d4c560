import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of a folder and of those inside it, by their SHA-256.
public struct SourceFolder: Sendable {
  /// As it was given.
  public let path: String
  private var names: [ShortDigest: String] = [:]

  /// Reads every file once. Files that cannot be read, and names that begin with a dot, are left out.
  ///
  /// - Throws: `FileError` where the folder itself cannot be read.
  public init(_ path: String) throws(FileError) {
    self.path = path
    guard let directory = opendir(path) else {
      throw FileError(.open, path: path, code: errno)
    }
    closedir(directory)
    var folders = [(path: path, name: "", depth: 0)]
    while let folder = folders.popLast() {
      for entry in Self.entries(of: folder.path) where !entry.hasPrefix(".") {
        let path = folder.path + "/" + entry
        let name = folder.name + entry
        var status = stat()
        guard stat(path, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR, folder.depth < 32 {
          folders.append((path, name + "/", folder.depth + 1))
        } else if status.st_mode & S_IFMT == S_IFREG, let file = try? InputFile(path: path),
          let digest = try? SHA256.digest(of: file, count: file.byteCount)
        {
          names[ShortDigest(digest)] = name
        }
      }
    }
  }

  /// The name of a file with this content, from the folder.
  func name(of digest: ShortDigest?) -> String? { digest.flatMap { names[$0] } }

  /// Wraps `readdir(3)`.
  private static func entries(of path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.sorted()
  }
}
