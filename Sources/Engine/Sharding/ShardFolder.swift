import ImageCore
import ImagePipeline
import Platform

/// The hidden folder `OUT/.imghost/SCRIPT`. The runs of a script leave records there, and its shards also leave
/// manifests and page packs.
///
/// Its path contains the script's file name, so that several scripts may write into one folder.
package struct ShardFolder: Sendable {
  /// The folder of `--out`.
  package let outputFolder: String
  package let path: String

  package init(outputFolder: String, script: String) {
    self.outputFolder = outputFolder
    path = PathName.joined(outputFolder, ".imghost/" + String(PathName.name(script)))
  }

  package func manifest(_ shard: ShardIndex) -> String { "\(path)/\(Self.name(shard)).json" }

  /// Returns the path of the pack with a shard's pages of a book.
  func pack(_ shard: ShardIndex, ofBook book: String) -> String {
    let digest = SHA256.digest(of: Array(relative(book).utf8)).description
    return "\(path)/\(Self.name(shard)).\(digest.prefix(12)).pack"
  }

  private static func name(_ shard: ShardIndex) -> String { "shard-\(shard.number)-of-\(shard.count)" }

  /// Returns whether a name is that of the manifest or of a pack of a shard.
  package static func isFile(_ name: String, of shard: ShardIndex) -> Bool {
    name.hasPrefix(Self.name(shard) + ".") && (name.hasSuffix(".json") || name.hasSuffix(".pack"))
  }

  /// Returns the shard of a manifest, derived from its file name; nil for other files.
  static func shard(ofManifest name: String) -> ShardIndex? {
    guard name.hasPrefix("shard-"), name.hasSuffix(".json") else { return nil }
    let parts = name.dropFirst(6).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1] == "of", let number = Int(parts[0]), let count = Int(parts[2]) else { return nil }
    return ShardIndex(number, of: count)
  }

  /// Returns the suffix of a record's name, which distinguishes a script and its shards from others.
  ///
  /// - Parameter script: the mark that distinguishes scripts with the same file name.
  package static func suffix(_ script: String, of shard: ShardIndex?) -> String {
    shard.map { "\(script).\($0.number).\($0.count)" } ?? script
  }

  /// Returns the shard of a record or journal, derived from its file name; nil for other files.
  ///
  /// - Parameter script: as for `suffix`; nil to accept any script.
  package static func shard(ofRecord name: String, _ script: String? = nil) -> ShardIndex? {
    let words = name.split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 2, ["record", "journal"].contains(words[0]) else { return nil }
    return shard(ofSuffix: words[1], script)
  }

  private static func shard(ofSuffix suffix: Substring, _ script: String? = nil) -> ShardIndex? {
    let parts = suffix.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, script.map({ parts[0] == $0 }) ?? true, let number = Int(parts[1]),
      let count = Int(parts[2])
    else { return nil }
    return ShardIndex(number, of: count)
  }

  /// Returns the path of an output as in manifests: relative to the folder of outputs if it is inside that folder.
  package func relative(_ path: String) -> String {
    let prefix = outputFolder.hasSuffix("/") ? outputFolder : outputFolder + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  /// Returns the full path of an output, given its path as in manifests.
  package func absolute(_ path: String) -> String { PathName.joined(outputFolder, path) }

  /// Returns the existing manifests, found by their file names.
  ///
  /// - Throws: `ShardFileProblem` if the folder is not trusted or cannot be read. A missing folder has no manifests.
  package func manifests() throws(ShardFileProblem) -> [(shard: ShardIndex, path: String)] {
    let names: [String]
    do throws(ShardFileProblem) {
      names = try self.names()
    } catch {
      guard case .missing(ENOENT) = error.reason else { throw error }
      return []
    }
    return names.compactMap { name in
      Self.shard(ofManifest: name).map { ($0, path + "/" + name) }
    }.sorted { ($0.0.count, $0.0.number) < ($1.0.count, $1.0.number) }
  }

  /// The part of the path that is a symbolic link, which may lead to other users' files; nil if there is none.
  package var link: String? {
    [parent, path].first { folder in
      var status = stat()
      return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
  }

  /// Creates the folder of outputs, and this folder inside it. At most its owner and group can write to this folder,
  /// whatever the process's umask. Wraps `mkdir(2)`.
  package func make() throws(FileError) {
    var made = PathName.isAbsolute(outputFolder) ? "/" : ""
    for part in PathName.parts(outputFolder) {
      made += part
      mkdir(made, 0o777)
      made += "/"
    }
    for folder in [parent, path] {
      guard mkdir(folder, 0o775) == 0 || errno == EEXIST else {
        throw FileError(.create, path: folder, code: errno)
      }
    }
  }

  // MARK: - reading what others may have written

  /// Opens the folder if it and its parent are trusted: see `ShardFileProblem`. The caller closes it.
  private func open() throws(ShardFileProblem) -> (descriptor: Int32, status: stat) {
    let outer = try Self.open(openFile(parent, Self.folderFlags), parent, in: nil)
    defer { close(outer.descriptor) }
    let name = String(PathName.name(path))
    return try Self.open(openat(outer.descriptor, name, Self.folderFlags), path, in: outer.status)
  }

  private static let folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

  /// Returns a descriptor with its status if the file or folder is trusted; closes the descriptor and throws otherwise.
  private static func open(_ descriptor: Int32, _ path: String, in folder: stat?) throws(ShardFileProblem) -> (
    descriptor: Int32, status: stat
  ) {
    guard descriptor >= 0 else {
      let code = errno
      var status = stat()
      let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
      throw ShardFileProblem(path, isLink ? .link : .missing(code: code))
    }
    var status = stat()
    let problem =
      fstat(descriptor, &status) == 0
      ? ShardFileProblem(status, at: path, in: folder) : ShardFileProblem(path, .missing(code: errno))
    if let problem {
      close(descriptor)
      throw problem
    }
    return (descriptor, status)
  }

  /// Opens a file for reading if it and its folders are trusted.
  ///
  /// - Parameter name: the file's name, without a folder.
  package func open(_ name: String) throws(ShardFileProblem) -> InputFile {
    let folder = try open()
    defer { close(folder.descriptor) }
    let path = path + "/" + name
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var descriptor = openat(folder.descriptor, name, flags)
    // Over NFS, a name may refer to a file that another machine has just replaced.
    for _ in 0..<3 where descriptor < 0 && errno == ESTALE { descriptor = openat(folder.descriptor, name, flags) }
    let opened = try Self.open(descriptor, path, in: folder.status)
    do throws(FileError) {
      return try InputFile(taking: opened.descriptor, opened.status, path: path)
    } catch {
      throw ShardFileProblem(path, .missing(code: error.code))
    }
  }

  /// Opens a file for appending if it and its folders are trusted. A missing file is created. The caller closes it.
  /// Wraps `openat(2)`.
  package func openForAppending(_ name: String) throws(FileError) -> Int32 {
    let path = path + "/" + name
    do throws(ShardFileProblem) {
      let folder = try open()
      defer { close(folder.descriptor) }
      let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      return try Self.open(openat(folder.descriptor, name, flags, 0o664), path, in: folder.status).descriptor
    } catch {
      guard case .missing(let code) = error.reason else { throw FileError(.create, path: path, code: EPERM) }
      throw FileError(.create, path: path, code: code)
    }
  }

  /// Creates a hard link in this folder to a file that is being written. Returns false if that is not possible.
  package func link(_ file: OutputFile, as name: String) -> Bool {
    guard let folder = try? open() else { return false }
    defer { close(folder.descriptor) }
    return file.link(as: name, in: folder.descriptor)
  }

  /// Renames a file in this folder. Wraps `renameat(2)`.
  package func rename(_ name: String, to other: String) {
    guard let folder = try? open() else { return }
    defer { close(folder.descriptor) }
    renameat(folder.descriptor, name, folder.descriptor, other)
  }

  private var parent: String { PathName.joined(outputFolder, ".imghost") }

  /// Removes the files of the shards and of their run, then the folder and `.imghost` if they are empty.
  ///
  /// - Parameter keepsRecords: whether the records of outputs stay. Journals are always removed, so that a shard that
  ///   is still running notices that it has been merged.
  package func remove(keepsRecords: Bool = false) {
    guard let names = try? names() else { return }
    remove(names.filter { Self.isOurs($0) && !(keepsRecords && $0.hasPrefix("record-")) })
  }

  /// Removes files by their names, then the folder and `.imghost` if they are empty. Wraps `unlinkat(2)`.
  ///
  /// - Returns: the number of files that cannot be removed.
  @discardableResult package func remove(_ names: [String]) -> Int {
    guard let folder = try? open() else { return names.count }
    // Files are removed in parallel, because a disk needs a millisecond for each pack of a large book.
    let isLeft = OrderedWork.map(names, threads: 4) { unlinkat(folder.descriptor, $0, 0) != 0 && errno != ENOENT }
    close(folder.descriptor)
    rmdir(path)
    rmdir(parent)
    return isLeft.count { $0 }
  }

  /// Removes the manifests of shards. Wraps `unlinkat(2)`.
  package func removeManifests(of shards: [ShardIndex]) {
    guard let folder = try? open() else { return }
    defer { close(folder.descriptor) }
    for shard in shards { unlinkat(folder.descriptor, Self.name(shard) + ".json", 0) }
  }

  /// Returns the names in the folder, including hidden ones.
  package func names() throws(ShardFileProblem) -> [String] {
    let folder = try open()
    defer { close(folder.descriptor) }
    guard let names = folderNames(of: folder.descriptor) else { throw ShardFileProblem(path, .missing(code: errno)) }
    return names
  }

  /// Returns whether a file's name is that of a manifest, a pack, a shard's record or journal, the index of a pack, an
  /// unfinished pack, the mark of a submitted run, or a temporary file that a shard was writing when its node died.
  private static func isOurs(_ name: String) -> Bool {
    if name == "run" || TemporaryFiles.isTemporary(name) { return true }
    if name.hasPrefix("shard-") { return name.hasSuffix(".json") || name.hasSuffix(".pack") }
    let words = name.split(separator: "-", omittingEmptySubsequences: false)
    return words.count > 1 && ["record", "journal", "pages", "part"].contains(words[0])
      && shard(ofSuffix: words[1]) != nil
  }
}
