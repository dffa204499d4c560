import ImageCore
import ImagePipeline
import LuaRuntime
import Platform

/// A pattern for paths: `*`, `?` and `[a-z]` inside a name, `**` for any depth of folders, `{jpg,png}` for
/// alternatives.
///
/// In a name with wildcards, upper and lower case are equal, because cameras write `.JPG`. Hidden names match only if
/// their part of the pattern begins with a dot.
struct FilePattern {
  private let alternatives: [String]
  private let work: HostWork?
  /// `FNM_CASEFOLD`, which Swift does not import from the C library. The value is the same in glibc and on Darwin.
  private static let ignoreCase: Int32 = 1 << 4

  /// - Parameter work: counts the time and the memory of the search, which depend on the script's pattern.
  init(_ pattern: String, _ work: HostWork? = nil) throws(LuaHostError) {
    alternatives = try Self.expand(pattern) { (byteCount) throws(LuaHostError) in try work?.add(byteCount: byteCount) }
    self.work = work
  }

  /// The files that match a pattern.
  struct Matches {
    /// The paths in natural order (`2.jpg` before `10.jpg`), each once.
    let paths: [String]
    /// The paths that are links, or may be.
    let links: Set<String>
    /// Files that the pattern would match if they had another extension, such as `2.heic` for `*.jpg`. Only extensions
    /// in `unreadEndings` count. A file with the same stem as a match, such as `1.heic` beside `1.jpg`, is not
    /// included.
    let unread: [String]
    /// The errors for folders that could not be listed, in the order of the search, each once.
    let unlisted: [FileError]
    /// The paths of the folders that were searched, and of the names that were looked up. They need not exist.
    let searched: Set<RealPaths.Path>
  }

  /// A name in a folder.
  private struct Name {
    let text: String
    let kind: Kind
  }

  /// The kind of a directory entry as `readdir` returns it. This saves a system call for each file.
  private enum Kind {
    case folder, file
    /// A pipe, a socket or a device, which matches no pattern.
    case other
    /// A link, a name whose kind the file system does not list, or a name that was not read from its folder.
    case unknown

    init(_ entry: UnsafeMutablePointer<dirent>) {
      switch Int(entry.pointee.d_type) {
      case Int(DT_DIR): self = .folder
      case Int(DT_LNK), Int(DT_UNKNOWN): self = .unknown
      case Int(DT_REG): self = .file
      default: self = .other
      }
    }
  }

  /// The results of a search. `paths` is in the order of the search, and may contain duplicates.
  private struct Found {
    var paths: [String] = []
    var links: Set<String> = []
    var unread: Set<String> = []
    var unlisted: [FileError] = []
    var searched: Set<RealPaths.Path> = []
  }

  /// The extensions of picture formats that a pattern such as `*.jpg` may leave out by mistake.
  private static let unreadEndings: Set<String> = [
    "arw", "avif", "cr2", "cr3", "dng", "gif", "heic", "heif", "jxl", "nef", "orf", "psd",
    "raf", "rw2", "tif", "tiff", "webp",
  ]

  /// Returns paths in natural order, each once. Bytes are compared: two encodings of an é are two files.
  private static func ordered(_ paths: [String]) -> [String] {
    let keys = paths.map { Array($0.utf8) }
    var result: [String] = []
    var last: [UInt8]?
    for index in keys.indices.sorted(by: { naturalOrder(keys[$0], keys[$1]) })
    where keys[index] != last {
      result.append(paths[index])
      last = keys[index]
    }
    return result
  }

  /// Returns the matching files, without folders.
  func matches() throws(LuaHostError) -> Matches {
    var found = Found()
    for pattern in alternatives {
      try work?.add(byteCount: 0)
      var parts: [String] = []
      // A repeated `**` would read the same folders again.
      for part in PathName.parts(pattern) where part != "**" || parts.last != "**" { parts.append(String(part)) }
      try walk(PathName.isAbsolute(pattern) ? "/" : "", parts[...], &found)
    }
    let stems = found.unread.isEmpty ? [] : Set(found.paths.map(Self.withoutEnding))
    let unread = found.unread.subtracting(found.paths).filter { !stems.contains(Self.withoutEnding($0)) }
    return Matches(
      paths: Self.ordered(found.paths), links: found.links, unread: Self.ordered(Array(unread)),
      unlisted: found.unlisted, searched: found.searched)
  }

  /// Returns variants of a pattern with literal brackets and braces: one with all of them literal, and one for each
  /// path component that has any, with only those literal. Empty if the pattern has none.
  static func withPlainBrackets(_ pattern: String) -> [String] {
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let bracketed = parts.indices.filter { parts[$0].contains("[") || parts[$0].contains("{") }
    let choices = [bracketed] + (bracketed.count > 1 ? bracketed.map { [$0] } : [])
    return bracketed.isEmpty
      ? []
      : choices.map { chosen in
        parts.enumerated().map { index, part in chosen.contains(index) ? plain(part) : part }
          .joined(separator: "/")
      }
  }

  /// Returns a pattern in which the brackets and braces of a name are literal.
  static func plain(_ name: String) -> String {
    name.replacing("[", with: "[[]").replacing("{", with: "[{]")
  }

  /// Returns the alternatives of a pattern: `a{b,c}d` gives `abd` and `acd`. Braces may nest; a brace without an end,
  /// and one in brackets, `[{]`, are plain text.
  ///
  /// - Parameter onStep: called with the number of bytes that each step keeps.
  static func expand<Failure: Error>(_ pattern: String, onStep: (Int) throws(Failure) -> Void) throws(Failure)
    -> [String]
  {
    var alternatives: [String] = []
    // The next text to expand is the last one. There is no recursion, because thousands of braces may nest.
    var waiting = [Array(pattern.utf8)]
    while let next = waiting.popLast() {
      let open = next.indices.first { next[$0] == UInt8(ascii: "{") && !isPlain(next, $0) }
      guard let open, let group = group(next, from: open) else {
        try onStep(64 + next.count)
        alternatives.append(String(decoding: next, as: UTF8.self))
        continue
      }
      let (head, tail) = (next[..<open], next[(group.end + 1)...])
      for part in group.parts.reversed() {
        try onStep(64 + head.count + part.count + tail.count)
        waiting.append(Array(head + next[part] + tail))
      }
    }
    return alternatives
  }

  /// Returns whether a brace is alone in brackets: `[{]`.
  private static func isPlain(_ bytes: [UInt8], _ index: Int) -> Bool {
    index > 0 && index + 1 < bytes.count && bytes[index - 1] == UInt8(ascii: "[")
      && bytes[index + 1] == UInt8(ascii: "]")
  }

  /// Returns the parts of the group that this brace opens, and the place of its closing brace; nil if it is not closed.
  private static func group(_ bytes: [UInt8], from open: Int) -> (parts: [Range<Int>], end: Int)? {
    var depth = 0
    var starts = [open + 1]
    for index in open..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{") where !isPlain(bytes, index): depth += 1
      case UInt8(ascii: ",") where depth == 1: starts.append(index + 1)
      case UInt8(ascii: "}") where depth == 1:
        let ends = starts.dropFirst().map { $0 - 1 } + [index]
        return (zip(starts, ends).map { $0..<$1 }, index)
      case UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return nil
  }

  /// Adds the files that match the rest of a pattern in a folder.
  private func walk(_ folder: String, _ parts: ArraySlice<String>, _ found: inout Found) throws(LuaHostError) {
    guard let part = parts.first else { return }
    let rest = parts.dropFirst()
    if part == "**" {
      try walk(folder, rest, &found)
      for name in try names(in: folder, &found) where !PathName.isHidden(name.text) {
        if name.kind == .folder || name.kind == .unknown && Self.isFolder(folder + name.text, followLinks: false) {
          try walk(folder + name.text + "/", parts, &found)
        }
      }
      return
    }
    guard part.unicodeScalars.contains(where: { "*?[".unicodeScalars.contains($0) }) else {
      return try step(folder + part, .unknown, rest, &found)
    }
    let stem = rest.isEmpty && part.contains(".") ? Self.withoutEnding(part) : nil
    for name in try names(in: folder, &found) {
      // With more than 4,096 bytes, `add` checks the time immediately, because matching a long pattern is slow.
      try work?.add(byteCount: part.utf8.count > 4_096 ? 4_097 : 0)
      guard fnmatch(part, name.text, FNM_PERIOD | Self.ignoreCase) == 0 else {
        if let stem, Self.isUnread(name, stem) { found.unread.insert(folder + name.text) }
        continue
      }
      try step(folder + name.text, name.kind, rest, &found)
    }
  }

  /// Returns whether a name matches the pattern's stem, and has an extension of `unreadEndings`.
  private static func isUnread(_ name: Name, _ stem: String) -> Bool {
    unreadEndings.contains(PathName.fileExtension(name.text)) && name.kind != .folder
      && fnmatch(stem, withoutEnding(name.text), FNM_PERIOD | ignoreCase) == 0
  }

  /// Returns a path or a pattern up to its last dot; all of it if it has no dot.
  private static func withoutEnding(_ path: String) -> String {
    let bytes = path.utf8
    return bytes.lastIndex(of: UInt8(ascii: ".")).map { String(path[..<$0]) } ?? path
  }

  /// Continues with the rest of the pattern at a path that has matched so far.
  private func step(_ path: String, _ kind: Kind, _ rest: ArraySlice<String>, _ found: inout Found)
    throws(LuaHostError)
  {
    // A name with a kind was read from its folder.
    if kind == .unknown { found.searched.insert(RealPaths.Path(path)) }
    if !rest.isEmpty {
      if kind == .folder || kind == .unknown && Self.isFolder(path, followLinks: true) {
        try walk(path + "/", rest, &found)
      }
    } else if kind == .file || kind == .unknown && Self.isFile(path) {
      try work?.add(byteCount: 64 + path.utf8.count)
      found.paths.append(path)
      if kind == .unknown { found.links.insert(path) }
    }
  }

  /// Returns the names in a folder; none if the folder cannot be read. Wraps `readdir(3)`.
  private func names(in folder: String, _ found: inout Found) throws(LuaHostError) -> [Name] {
    found.searched.insert(RealPaths.Path(folder.isEmpty ? "." : folder))
    guard let directory = openFolder(folder.isEmpty ? "." : folder) else {
      // A missing folder is like a folder without files.
      if errno != ENOENT, errno != ENOTDIR { try add(unlisted: folder, errno, &found) }
      return []
    }
    defer { closedir(directory) }
    var names: [Name] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      try work?.add(byteCount: 0)
      let name = Name(text: entryName(entry), kind: Kind(entry))
      if name.text != "." && name.text != ".." { names.append(name) }
    }
    if errno != 0 { try add(unlisted: folder, errno, &found) }
    return names
  }

  /// Adds a folder that cannot be read, or only in part.
  ///
  /// - Parameter code: the value of `errno`.
  private func add(unlisted folder: String, _ code: Int32, _ found: inout Found) throws(LuaHostError) {
    let path = folder.utf8.count > 1 && folder.utf8.last == 0x2f ? String(folder.dropLast()) : folder
    let error = FileError(.open, path: path.isEmpty ? "." : path, code: code)
    try work?.add(byteCount: 64 + path.utf8.count)
    if !found.unlisted.contains(where: { $0.path == error.path }) { found.unlisted.append(error) }
  }

  /// Returns whether the path leads to a file, or is a link that leads nowhere: opening it then fails with the reason.
  /// Wraps `stat(2)` and `lstat(2)`.
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFREG }
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  static func isFolder(_ path: String, followLinks: Bool) -> Bool {
    var status = stat()
    let code = followLinks ? stat(path, &status) : lstat(path, &status)
    return code == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
