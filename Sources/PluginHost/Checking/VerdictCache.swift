import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Verdicts by the SHA-256 of the plugin's file, in `$XDG_CACHE_HOME/imghost/verdicts` or
/// `~/.cache/imghost/verdicts`. A file that cannot be read or makes no sense counts as none.
///
/// Written under another name and renamed: a reader never sees half a verdict.
public struct VerdictCache: Sendable {
  /// The first line; another version's verdicts are not read.
  private static let header = "imghost plugin verdict 1"
  private let folder: String?

  /// - Parameter folder: where verdicts lie; nil for none, neither read nor written.
  public init(folder: String?) { self.folder = folder }

  /// The user's own.
  public static var standard: VerdictCache {
    func value(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let base = value("XDG_CACHE_HOME") ?? value("HOME").map { $0 + "/.cache" }
    return VerdictCache(folder: base.map { $0 + "/imghost/verdicts" })
  }

  /// The verdict on the file as it is now.
  public func verdict(ofFile path: String) -> PluginVerdict? {
    guard let entry = entry(ofFile: path), let file = try? InputFile(path: entry),
      file.byteCount <= 1 << 16, let bytes = try? file.bytes(at: 0, count: file.byteCount)
    else { return nil }
    return Self.read(String(decoding: bytes, as: UTF8.self))
  }

  /// Keeps a verdict; wraps `mkdir(2)`, `mkstemp(3)` and `rename(2)`. False when it cannot be kept.
  @discardableResult
  public func keep(_ verdict: PluginVerdict, ofFile path: String) -> Bool {
    guard let folder, let entry = entry(ofFile: path) else { return false }
    var part = ""
    for name in folder.split(separator: "/") {
      part += "/" + name
      mkdir(part, 0o755)
    }
    var template = Array((entry + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return false }
    let temporary = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let text = Self.text(verdict)
    let isWritten = write(descriptor, text, text.utf8.count) == text.utf8.count
    guard close(descriptor) == 0, isWritten, rename(temporary, entry) == 0 else {
      unlink(temporary)
      return false
    }
    return true
  }

  private func entry(ofFile path: String) -> String? {
    guard let folder, let file = try? InputFile(path: path), file.byteCount <= 1 << 28,
      let bytes = try? file.bytes(at: 0, count: file.byteCount)
    else { return nil }
    return "\(folder)/\(SHA256.digest(of: bytes))"
  }

  /// A line a row: property, state, detail, between tabs.
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
