import ImageCore

/// The last line of a Lua file that imghost writes for users to edit: the digest of all lines before it. After an edit
/// the digest no longer matches, and the file is not replaced.
enum WrittenMark {
  private static let beginning = "-- imghost replaces this file only as long as it is unchanged: "

  static func marked(_ text: String) -> String { text + "\(beginning)\(SHA256.digest(of: Array(text.utf8)))\n" }

  /// Whether a file is unedited.
  static func fits(_ bytes: [UInt8]) -> Bool {
    let lines = bytes.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard bytes.last == UInt8(ascii: "\n"), let last = lines.last, last.starts(with: beginning.utf8) else {
      return false
    }
    let digest = SHA256.digest(of: Array(bytes[..<last.startIndex]))
    return last.dropFirst(beginning.utf8.count).elementsEqual("\(digest)".utf8)
  }
}
