import ImageCore
import ImagePipeline
import Platform

/// The hidden folder in which shards of a script leave manifests and page packs: `OUT/.imghost/SCRIPT`.
///
/// The script's file name is part of it, so that several scripts may write into one folder.
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

  /// Returns the shard of a manifest by its file name; nil for another file.
  static func shard(ofManifest name: String) -> ShardIndex? {
    guard name.hasPrefix("shard-"), name.hasSuffix(".json") else { return nil }
    let parts = name.dropFirst(6).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1] == "of", let number = Int(parts[0]), let count = Int(parts[2]) else { return nil }
    return ShardIndex(number, of: count)
  }

  /// Returns the path of an output as manifests have it: from the folder of outputs if it lies inside.
  func relative(_ path: String) -> String {
    let prefix = outputFolder.hasSuffix("/") ? outputFolder : outputFolder + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  /// Returns the path of a manifest's output.
  func absolute(_ path: String) -> String { PathName.joined(outputFolder, path) }

  /// The manifests that are there, by their file names.
  ///
  /// - Throws: `ShardFileProblem` if the folder's owner is not trusted. A missing folder has no manifests.
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

  /// The part of the path that is a link, which may lead to files that are not ours; nil if all is well.
  package var link: String? {
    [parent, path].first { folder in
      var status = stat()
      return PathBytes.withBytes(of: folder, { lstat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
  }

  /// Makes the folder of outputs, and in it this one, which others than its owner and group cannot write, whatever the
  /// process's mask. Wraps `mkdir(2)`.
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

  /// Opens the folder, if it and the one around it count: see `ShardFileProblem`. The caller closes it.
  private func open() throws(ShardFileProblem) -> (descriptor: Int32, status: stat) {
    let outer = try Self.open(openFile(parent, Self.folderFlags), parent, in: nil)
    defer { close(outer.descriptor) }
    let name = String(PathName.name(path))
    return try Self.open(openat(outer.descriptor, name, Self.folderFlags), path, in: outer.status)
  }

  private static let folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

  /// Takes over a descriptor of something that counts; it is closed otherwise.
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

  /// Opens a manifest or a pack, if it and its folders count.
  ///
  /// - Parameter name: the file's name, without a folder.
  package func open(_ name: String) throws(ShardFileProblem) -> InputFile {
    let folder = try open()
    defer { close(folder.descriptor) }
    let path = path + "/" + name
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    var descriptor = openat(folder.descriptor, name, flags)
    // Over NFS, a name may lead to a file that another machine has just replaced.
    for _ in 0..<3 where descriptor < 0 && errno == ESTALE { descriptor = openat(folder.descriptor, name, flags) }
    let opened = try Self.open(descriptor, path, in: folder.status)
    do throws(FileError) {
      return try InputFile(taking: opened.descriptor, opened.status, path: path)
    } catch {
      throw ShardFileProblem(path, .missing(code: error.code))
    }
  }

  private var parent: String { PathName.joined(outputFolder, ".imghost") }

  /// Removes the files of shards and of their run, then the folder and `.imghost` if nothing else is in them.
  package func remove() {
    guard let names = try? names(), let folder = try? open() else { return }
    // Several at a time: a disk needs a millisecond for each pack of a large book.
    _ = OrderedWork.map(names.filter(Self.isOurs), threads: 4) { unlinkat(folder.descriptor, $0, 0) }
    close(folder.descriptor)
    rmdir(path)
    rmdir(parent)
  }

  /// Removes the manifests of shards. Wraps `unlinkat(2)`.
  package func removeManifests(of shards: [ShardIndex]) {
    guard let folder = try? open() else { return }
    defer { close(folder.descriptor) }
    for shard in shards { unlinkat(folder.descriptor, Self.name(shard) + ".json", 0) }
  }

  /// The names in the folder, hidden ones too.
  private func names() throws(ShardFileProblem) -> [String] {
    let folder = try open()
    guard let stream = fdopendir(folder.descriptor) else {
      let code = errno
      close(folder.descriptor)
      throw ShardFileProblem(path, .missing(code: code))
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(entryName(entry))
    }
    return names
  }

  /// Whether a file's name is that of a manifest, a pack or the mark of a submitted run, or of one that a shard was
  /// writing when its node died.
  private static func isOurs(_ name: String) -> Bool {
    name == "run" || TemporaryFiles.isTemporary(name)
      || name.hasPrefix("shard-") && (name.hasSuffix(".json") || name.hasSuffix(".pack"))
  }
}
