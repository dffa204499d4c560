import Foundation

/// Every text in the sources that a user may read, by files.
enum MessageCatalogue {
  /// Folders with texts for users.
  private static let folders = ["Sources", "Plugins"]
  /// Programs and libraries for developers, and files that hold code or data instead of messages.
  private static let excluded = [
    "imghost-bench", "BenchReport", "CBenchJPEG", "CIsolationProbe", "JPEGTables", "Tables",
    "EditorStubs.swift", "PluginTemplate+Texts.swift", "ManualPage.swift", "ShellCompletion.swift",
  ]

  /// The repository's folder.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  static let file = root + "/Tests/Snapshots/messages.txt"

  static func text() throws -> String {
    try sourceFiles().compactMap { path in
      let lines = try messages(in: path).flatMap { $0.split(separator: "\n") }
      return lines.isEmpty ? nil : ([path] + lines.map { "  " + $0 }).joined(separator: "\n")
    }.joined(separator: "\n\n") + "\n"
  }

  private static func sourceFiles() -> [String] {
    folders.flatMap { folder in
      (FileManager.default.enumerator(atPath: root + "/" + folder)?.allObjects ?? [])
        .compactMap { ($0 as? String).map { folder + "/" + $0 } }
    }.filter { path in
      let parts = path.split(separator: "/").map(String.init)
      return !parts.contains(where: excluded.contains)
    }.sorted()
  }

  private static func messages(in path: String) throws -> [String] {
    guard let language = SourceLanguage(fileExtension: URL(fileURLWithPath: path).pathExtension)
    else { return [] }
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
    return LiteralScanner.literals(in: bytes, language).filter(isMessage)
  }

  /// Whether a literal is prose: a word of three letters or more beside a space, and no code.
  static func isMessage(_ text: String) -> Bool {
    let codes = ["<<", "/>", "</", "xmlns", "---@", " 0 obj\n", "\\x", "local img"]
    guard text != " obj", !codes.contains(where: text.contains) else { return false }
    let words = text.split { $0 == " " || $0 == "\n" }
    guard words.count > 1 || text.contains(" ") else { return false }
    return words.contains { word in
      let letters = word.drop { "('\"".contains($0) }.prefix { $0.isLowercase || $0.isUppercase }
      return letters.count >= 3
    }
  }
}
