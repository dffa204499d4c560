import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import RunRecords

enum CacheCommand: Command {
  static let name = "cache"
  static let summary = "show, check or remove what imghost remembers between runs"
  static let operands = "show|verify|clear"
  static let options = [
    CommandOption(
      name: "--out", value: "DIR", help: "the folder of outputs with the records of 'run --only-changed'",
      defaultValue: "the current one"),
    CommandOption.json,
  ]
  static let details = """
    imghost remembers descriptions of plugins, the results of 'imghost plugin check', traits of
    pictures, and, in the folder .imghost of a folder of outputs, what --only-changed has made.

    show lists each with its folder, files and size. verify reads all files, and names those that are
    damaged; they count as missing, and are written again. clear removes them: descriptions and
    traits are found again, and the next run with --only-changed makes everything.

    Exit status: 0; 1 if files are damaged or cannot be removed; 2 wrong usage.
    """

  private struct Cache {
    let title: String
    let folder: CacheFolder
    /// Returns whether the file with this name is undamaged.
    let isWhole: (String) -> Bool
  }

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let action = try line.operand(0, "show, verify or clear")
    guard ["show", "verify", "clear"].contains(action), line.operands.count == 1 else {
      throw .badValue(option: "cache", value: line.operands.joined(separator: " "), expected: "show, verify or clear")
    }
    let outputs = line.value("--out") ?? "."
    guard FolderFiles.isFolder(outputs) else {
      throw .unusableFile(option: "--out", path: outputs, problem: "the folder does not exist")
    }
    let records = StoredRecords(outputFolder: outputs)
    if action == "clear" {
      // Files that another run writes meanwhile are neither removed nor counted in `left`.
      let (ofRecords, busy) = records.remove()
      let left = caches.reduce(ofRecords) { $0 + $1.folder.prune(keeping: 0) }
      if left > 0 { Terminal.error("imghost cache: \(left) file\(left == 1 ? "" : "s") cannot be removed") }
      for folder in busy {
        Terminal.error("imghost cache: \(printable(folder)): a run is using these records; try again when it has ended")
      }
      return left == 0 && busy.isEmpty ? .success : .someFailed
    }
    var rows: [(title: String, folder: String, files: Int, bytes: Int, damaged: [String])] = []
    for cache in caches {
      let names = cache.folder.names
      let damaged = action == "verify" ? names.filter { !cache.isWhole($0) } : []
      rows.append((cache.title, cache.folder.path, names.count, cache.folder.byteCount, damaged))
    }
    rows.append(
      (
        "records of outputs", records.folder, records.files.count, records.files.reduce(0) { $0 + $1.byteCount },
        action == "verify" ? records.files.filter { !$0.isWhole }.map(\.name) : []
      ))
    for row in rows { print(row, verifies: action == "verify", asJSON: line.has("--json")) }
    return rows.allSatisfy(\.damaged.isEmpty) ? .success : .someFailed
  }

  private static func print(
    _ row: (title: String, folder: String, files: Int, bytes: Int, damaged: [String]), verifies: Bool, asJSON: Bool
  ) {
    if asJSON {
      let fields: [(String, JSON)] = [
        ("cache", .text(row.title)), ("folder", .text(row.folder)), ("files", .integer(row.files)),
        ("bytes", .integer(row.bytes)),
      ]
      return Terminal.output(
        JSON.object(fields + (verifies ? [("damaged", .array(row.damaged.map { .text($0) }))] : [])).line)
    }
    let count = "\(row.files) file\(row.files == 1 ? "" : "s"), \(SummaryLine.size(row.bytes))"
    Terminal.output("\(row.title): \(count) in \(printable(row.folder))")
    for name in row.damaged { Terminal.output("  \(printable(name)) is damaged") }
  }

  private static var caches: [Cache] {
    func cache(_ name: String, _ title: String, _ isWhole: @escaping (_ file: String, _ folder: String) -> Bool)
      -> Cache?
    {
      HostEnvironment.cacheFolder(name).map { path in
        Cache(title: title, folder: CacheFolder(path: path)) { isWhole($0, path) }
      }
    }
    return [
      cache("plugins", "descriptions of plugins") { PluginHost.isWholeDescription($0, in: $1) },
      cache("verdicts", "checks of plugins") { PluginHost.isWholeVerdict($0, in: $1) },
      cache("traits", "traits of pictures") { TraitsCache(folder: $1).traits($0) != nil },
    ].compactMap(\.self)
  }
}
