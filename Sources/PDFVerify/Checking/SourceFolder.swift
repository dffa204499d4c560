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
  /// What could not be read, and why.
  private var unread: [(name: String, reason: String)] = []
  private static let maximumDepth = 64
  /// Files that are told one by one.
  private static let maximumTold = 8

  /// Reads every file once, also behind links. Names that begin with a dot are left out; what cannot be read is a
  /// warning of each report.
  ///
  /// - Throws: `FileError` where the folder itself cannot be read.
  public init(_ path: String) throws(FileError) {
    self.path = path
    guard let directory = opendir(path) else {
      throw FileError(.open, path: path, code: errno)
    }
    closedir(directory)
    var visited: Set<Identity> = []
    var folders = [(path: path, name: "", depth: 0)]
    if let identity = Self.status(path).map(Identity.init) { visited.insert(identity) }
    while let folder = folders.popLast() {
      guard let entries = entries(of: folder.path, folder.name) else { continue }
      for entry in entries where !PathName.isHidden(entry) {
        let (path, name) = (folder.path + "/" + entry, folder.name + entry)
        guard let status = Self.status(path) else {
          unread.append((name, FileError(.open, path: path, code: errno).description))
          continue
        }
        if status.st_mode & S_IFMT == S_IFDIR, folder.depth < Self.maximumDepth {
          // A link may lead back to where it is.
          guard visited.insert(Identity(status)).inserted else { continue }
          folders.append((path, name + "/", folder.depth + 1))
        } else if status.st_mode & S_IFMT == S_IFREG {
          read(path, name)
        }
      }
    }
  }

  /// What a folder is, whatever it is called.
  private struct Identity: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// The name of a file with this content, from the folder.
  func name(of digest: ShortDigest?) -> String? { digest.flatMap { names[$0] } }

  /// What of the folder could not be read.
  var faults: [Fault] {
    if names.isEmpty, unread.isEmpty { return [.noSources(folder: path)] }
    let told = unread.prefix(Self.maximumTold).map {
      Fault.sourceUnread($0.name, folder: path, reason: $0.reason)
    }
    let rest = unread.count - told.count
    return told + (rest > 0 ? [.moreSourcesUnread(rest, folder: path)] : [])
  }

  private mutating func read(_ path: String, _ name: String) {
    do {
      let file = try InputFile(path: path)
      let digest = ShortDigest(try SHA256.digest(of: file, count: file.byteCount))
      if names[digest] == nil { names[digest] = name }
    } catch {
      unread.append((name, "\(error)"))
    }
  }

  /// Wraps `stat(2)`; nil where `errno` says why.
  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// Wraps `readdir(3)`; nil where the folder cannot be read, which is noted.
  private mutating func entries(of path: String, _ name: String) -> [String]? {
    guard let directory = opendir(path) else {
      unread.append((name, FileError(.open, path: path, code: errno).description))
      return nil
    }
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
