import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The records of all scripts in a folder of outputs.
package struct StoredRecords: Sendable {
  package struct File: Sendable {
    /// The file's name, preceded by that of the script's folder.
    package let name: String
    package let byteCount: Int
    /// Whether the file can be used.
    package let isWhole: Bool
    fileprivate let script: String
  }

  /// The path of the folder of all records.
  package let folder: String
  package let files: [File]
  private let outputFolder: String

  /// Reads the records. Omits folders and files that are not trusted, or cannot be read.
  package init(outputFolder: String) {
    self.outputFolder = outputFolder
    folder = PathName.joined(outputFolder, ".imghost")
    var files: [File] = []
    for script in folderNames(folder) ?? [] {
      let inner = ShardFolder(outputFolder: outputFolder, script: script)
      guard inner.link == nil else { continue }
      for name in folderNames(inner.path) ?? [] where Self.isRecord(name) {
        guard let file = try? inner.open(name), let isWhole = Self.isWhole(name, file) else { continue }
        files.append(File(name: "\(script)/\(name)", byteCount: file.byteCount, isWhole: isWhole, script: script))
      }
    }
    self.files = files.sorted { $0.name < $1.name }
  }

  /// Returns whether a file can be used; nil if it cannot be read.
  private static func isWhole(_ name: String, _ file: InputFile) -> Bool? {
    // Unfinished documents are checked when their pages are reused.
    if name.hasPrefix("part-") { return true }
    if name.hasPrefix("pages-") {
      guard let index = PageIndex(file) else { return false }
      // The index of an unfinished document may end with an incomplete frame.
      return index.isWhole || name.split(separator: "-").count == 4
    }
    guard let bytes = try? file.bytes(at: 0, count: file.byteCount) else { return nil }
    if name.hasPrefix("record-") { return RecordContents(bytes) != nil }
    if name.hasPrefix("inputs-") { return RunInputs(bytes) != nil }
    return RunJournal.outputs(in: bytes).byteCount == bytes.count
  }

  /// Returns the paths of the outputs that other scripts have recorded in the same folder of outputs, in the form of
  /// `RecordedOutput.path`.
  static func paths(butOf own: RecordFolder) -> Set<RealPaths.Path> {
    var paths: Set<RealPaths.Path> = []
    let outputFolder = own.folder.outputFolder
    for script in folderNames(PathName.joined(outputFolder, ".imghost")) ?? [] {
      let inner = ShardFolder(outputFolder: outputFolder, script: script)
      guard inner.link == nil else { continue }
      for name in folderNames(inner.path) ?? [] where name.hasPrefix("record-") || name.hasPrefix("journal-") {
        if inner.path == own.folder.path, name.split(separator: "-").last?.hasPrefix(own.scriptMark) ?? false {
          continue
        }
        guard let file = try? inner.open(name) else { continue }
        if name.hasPrefix("record-") {
          StoredRecord(.file(file))?.outputs.forEach { if let path = $0?.path { paths.insert(RealPaths.Path(path)) } }
        } else if let journal = try? file.bytes(at: 0, count: file.byteCount) {
          paths.formUnion(RunJournal.outputs(in: journal).outputs.map { RealPaths.Path($0.path) })
        }
      }
    }
    return paths
  }

  /// Returns whether a file in a script's folder belongs to the records of the script.
  static func isRecord(_ name: String) -> Bool {
    ["record-", "inputs-", "journal-", "pages-", "part-"].contains { name.hasPrefix($0) }
  }

  /// Removes the records, and folders that become empty. The records of a script that is running stay.
  ///
  /// - Returns: the number of files that cannot be removed, and the folders of scripts that are running.
  package func remove() -> (left: Int, busy: [String]) {
    var (left, busy): (Int, Set<String>) = (0, [])
    for (script, files) in Dictionary(grouping: files, by: \.script).sorted(by: { $0.key < $1.key }) {
      let folder = ShardFolder(outputFolder: outputFolder, script: script)
      // The second word of a name is `RecordFolder.suffix`, which identifies the run that the file belongs to.
      let runs = Dictionary(grouping: files.map { String($0.name.dropFirst(script.count + 1)) }) { name in
        name.split(separator: "-", omittingEmptySubsequences: false)[1]
      }
      for names in runs.values {
        var journal: RunJournal?
        if let name = names.first(where: { $0.hasPrefix("journal-") }) {
          guard let file = try? folder.openForAppending(name) else {
            // A run that has ended meanwhile may have removed its journal.
            left += names.count { FileStamp(path: folder.path + "/" + $0) != nil }
            continue
          }
          let opened = RunJournal(file)
          guard opened.lock(waiting: false) else {
            busy.insert(folder.path)
            continue
          }
          journal = opened
        }
        withExtendedLifetime(journal) { left += folder.remove(names) }
      }
    }
    return (left, busy.sorted())
  }
}
