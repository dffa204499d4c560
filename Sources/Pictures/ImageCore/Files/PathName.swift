/// Functions that split and join paths and file names.
///
/// The functions work on bytes, as the system does, because a slash followed by a combining mark is a different
/// `Character`.
public enum PathName {
  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  /// Returns the parts between slashes, without empty ones.
  public static func parts(_ path: String) -> [Substring] {
    path.utf8.split(separator: slash).map(Substring.init)
  }

  /// Returns the last part that is not empty; an empty name if there is none.
  public static func name(_ path: String) -> Substring {
    let bytes = path.utf8
    guard let last = bytes.lastIndex(where: { $0 != slash }) else { return "" }
    let end = bytes.index(after: last)
    let start = bytes[..<end].lastIndex(of: slash).map(bytes.index(after:))
    return path[(start ?? path.startIndex)..<end]
  }

  /// Returns the path before the last slash: empty for a file in the root folder, nil if there is no slash.
  public static func folder(_ path: String) -> Substring? { path.utf8.lastIndex(of: slash).map { path[..<$0] } }

  /// Returns whether a path begins at the root folder.
  public static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

  /// Returns whether a name begins with a dot.
  public static func isHidden(_ name: String) -> Bool { name.utf8.first == dot }

  /// Returns the name without its last extension; a name whose only dot is the first character stays whole.
  public static func stem(_ name: String) -> String { lastDot(name[...]).map { String(name[..<$0]) } ?? name }

  /// Returns the last extension in lower case, without the dot; empty if there is none.
  public static func fileExtension(_ path: String) -> String {
    let name = name(path)
    guard let dot = lastDot(name) else { return "" }
    return name[name.utf8.index(after: dot)...].lowercased()
  }

  private static func lastDot(_ name: Substring) -> String.Index? {
    name.utf8.lastIndex(of: dot).flatMap { $0 == name.startIndex ? nil : $0 }
  }

  /// Returns the path without `.`, `..` and doubled slashes, made absolute from `folder`. Follows no links.
  public static func absolute(_ path: String, in folder: String) -> String {
    let whole = isAbsolute(path) ? path : folder + "/" + path
    if isPlain(whole) { return whole }
    var parts: [Substring] = []
    for part in self.parts(whole) where part != "." {
      if part == ".." {
        _ = parts.popLast()
      } else {
        parts.append(part)
      }
    }
    let found = "/" + parts.joined(separator: "/")
    // If nothing changed, the original string is returned, so that its storage is shared.
    return found.utf8.elementsEqual(path.utf8) ? path : found
  }

  /// Returns whether an absolute path has no part that is empty, `.` or `..`. This function must be fast, because a run
  /// checks thousands of paths.
  public static func isPlain(_ path: String) -> Bool {
    var path = path
    return path.withUTF8 { bytes in
      guard bytes.count > 1, bytes[0] == slash else { return false }
      // The length of the current part, and the number of dots in it.
      var (length, dots) = (0, 0)
      for byte in bytes.dropFirst() {
        if byte == slash {
          if length == dots, length <= 2 { return false }
          (length, dots) = (0, 0)
        } else {
          length += 1
          if byte == dot { dots += 1 }
        }
      }
      return length != dots || length > 2
    }
  }

  /// Returns `folder/path`, or only `path` if it is absolute or `folder` is empty or `.`.
  public static func joined(_ folder: String, _ path: String) -> String {
    isAbsolute(path) || folder.isEmpty || folder == "." ? path : folder + (folder.utf8.last == slash ? "" : "/") + path
  }
}
