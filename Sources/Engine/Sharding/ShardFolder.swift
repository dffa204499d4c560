import ImageCore
import ImagePipeline
import Platform

/// The hidden folder in which shards of a script leave manifests and page packs: `OUT/.imghost/SCRIPT`.
///
/// The script's file name is part of it, so that several scripts may write into one folder.
public struct ShardFolder: Sendable {
  /// The folder of `--out`.
  public let outputFolder: String
  public let path: String

  public init(outputFolder: String, script: String) {
    self.outputFolder = outputFolder
    path = PathName.joined(outputFolder, ".imghost/" + String(PathName.name(script)))
  }

  public func manifest(_ shard: ShardIndex) -> String { "\(path)/\(Self.name(shard)).json" }

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
  public var manifests: [(shard: ShardIndex, path: String)] {
    FolderFiles(in: path).files.compactMap { file in
      Self.shard(ofManifest: file.name).map { ($0, file.path) }
    }.sorted { ($0.0.count, $0.0.number) < ($1.0.count, $1.0.number) }
  }

  /// The part of the path that is a link, which may lead to files that are not ours; nil if all is well.
  public var link: String? {
    [parent, path].first { folder in
      var status = stat()
      return PathBytes.withBytes(of: folder, { lstat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
  }

  private var parent: String { PathName.joined(outputFolder, ".imghost") }

  /// Removes the files of shards and of their run, then the folder and `.imghost` if nothing else is in them.
  public func remove() {
    guard link == nil else { return }
    // Several at a time: a disk needs a millisecond for each pack of a large book.
    let paths = names.filter(Self.isOurs).map { path + "/" + $0 }
    _ = OrderedWork.map(paths, threads: 4) { unlink($0) }
    rmdir(path)
    rmdir(parent)
  }

  /// The names in the folder, hidden ones too.
  private var names: [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
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
