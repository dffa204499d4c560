import ImageCore
import Platform

/// A cache of verdicts in `$XDG_CACHE_HOME/imghost/verdicts` or `~/.cache/imghost/verdicts`, keyed by the SHA-256 of
/// the plugin's file. An entry that cannot be read or parsed counts as missing.
package struct VerdictCache: Sendable {
  /// The first line; verdicts of another version are not read.
  private static let header = "imghost plugin verdict 1"
  private static let maximumByteCount = 1 << 16
  /// The maximum number of cached files; the oldest are removed first.
  private static let maximumFiles = 512
  private let folder: CacheFolder?

  /// - Parameter folder: the folder of verdicts; nil for a cache that is neither read nor written.
  package init(folder: String?) { self.folder = folder.map { CacheFolder(path: $0) } }

  /// The cache in the user's own folder.
  package static var standard: VerdictCache {
    func value(_ name: String) -> String? { getenv(name).map { PathBytes.text($0) } }
    return VerdictCache(
      folder: CacheFolder.standardPath(
        "verdicts", cacheHome: value("XDG_CACHE_HOME"), home: value("HOME")))
  }

  var isUsed: Bool { folder != nil }

  /// Returns the verdict on a file's current content; nil if there is none.
  package func verdict(ofFile path: String) -> PluginVerdict? {
    guard isUsed, let digest = LibraryFile.digest(path: path) else { return nil }
    return verdict(of: digest)
  }

  func verdict(of digest: SHA256Digest) -> PluginVerdict? {
    guard let bytes = folder?.read(digest.description, atMost: Self.maximumByteCount) else { return nil }
    return Self.read(String(decoding: bytes, as: UTF8.self))
  }

  /// Stores a verdict, and removes the oldest if there are too many. Returns false if the verdict cannot be stored.
  @discardableResult
  package func keep(_ verdict: PluginVerdict, ofFile path: String) -> Bool {
    guard let folder, let digest = LibraryFile.digest(path: path) else { return false }
    folder.prune(keeping: Self.maximumFiles - 1)
    return folder.keep(Array(Self.text(verdict).utf8), digest.description)
  }

  /// Returns a header line, the plugin's name, and one line per row: property, state and detail, separated by tabs.
  static func text(_ verdict: PluginVerdict) -> String {
    let lines = verdict.rows.map { row in
      let detail = String(row.detail.map { $0 == "\t" || $0.isNewline ? " " : $0 })
      return "\(row.property.rawValue)\t\(row.state.rawValue)\t\(detail)"
    }
    return ([header, verdict.plugin] + lines).joined(separator: "\n") + "\n"
  }

  static func read(_ text: String) -> PluginVerdict? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 3, lines[0] == header, lines.last == "" else { return nil }
    var rows: [PluginVerdict.Row] = []
    for line in lines[2...].dropLast() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 3, let property = PluginVerdict.Property(rawValue: fields[0]),
        let state = PluginVerdict.State(rawValue: fields[1])
      else { return nil }
      rows.append(PluginVerdict.Row(property, state, fields[2]))
    }
    return PluginVerdict(plugin: String(lines[1]), rows: rows)
  }
}
