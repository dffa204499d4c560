import CPlatform

/// The value of `errno` for a path with a stranger's link; see `openFile`. No other call sets it.
public let strangersLink: Int32 = {
  #if os(Linux)
    ENOTNAM
  #else
    ENOLINK
  #endif
}()

/// Opens a file like `open(2)`, but does not follow a stranger's link: a link that another user owns, in a folder that
/// users other than the folder's owner may write to, or, for writing, in any folder of another user. `FileOwners`
/// decides who counts as another user.
///
/// Nearly all paths have no link. For them, one call of `openat2(2)` is sufficient; other paths are resolved part by
/// part. Replacing a part during this time cannot deceive the check, because each part is opened, and each link is
/// checked, by descriptor.
///
/// - Parameter isForWriting: whether the caller writes there although `flags` do not show it, as for a folder.
/// - Returns: its descriptor, or -1 with `errno` set: `strangersLink` for a path with such a link.
public func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32 = 0, isForWriting: Bool = false)
  -> Int32
{
  if !hasProcessFiles, let descriptor = heldDescriptor(String(cString: path)) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
  }
  let descriptor = cplatform_open_unlinked(path, flags, mode)
  // Filters of system calls, such as those of containers, may not support openat2.
  if descriptor >= 0 || ![ELOOP, ENOSYS, EPERM].contains(errno) { return descriptor }
  var walk = PathWalk(path)
  return walk.open(flags, mode, isForWriting: isForWriting)
}

/// Returns the descriptor of this process that a path refers to: `/dev/stdin` and similar paths are links into `/proc`,
/// which may not be mounted. Nil for any other path.
public func heldDescriptor(_ path: String) -> Int32? {
  guard path.hasPrefix("/dev/") || path.hasPrefix("/proc/") else { return nil }
  if let index = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].firstIndex(of: path) { return Int32(index) }
  let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
  return folder.flatMap { Int32(path.dropFirst($0.count)) }
}

/// Creates a folder like `mkdir(2)`, but does not follow a stranger's link in its path; see `openFile`.
public func makeFolder(_ path: UnsafePointer<CChar>, _ mode: UInt32) -> Int32 {
  let slash = CChar(UInt8(ascii: "/"))
  let bytes = UnsafeBufferPointer(start: path, count: strlen(path))
  guard let last = bytes.lastIndex(where: { $0 != slash }) else {
    errno = bytes.isEmpty ? ENOENT : EEXIST
    return -1
  }
  let start = bytes[..<last].lastIndex(of: slash).map { $0 + 1 } ?? 0
  let parent = start == 0 ? [CChar(UInt8(ascii: ".")), 0] : bytes[..<start] + [0]
  let folder = openFile(parent, openPathOnly | O_DIRECTORY | O_CLOEXEC, isForWriting: true)
  guard folder >= 0 else { return -1 }
  let made = mkdirat(folder, bytes[start...last] + [0], numericCast(mode))
  let code = errno
  close(folder)
  errno = code
  return made
}

/// Opens a folder for reading its names, without following a stranger's link; wraps `fdopendir(3)`. Returns nil with
/// `errno` set on failure.
public func openFolder(_ path: UnsafePointer<CChar>) -> FolderStream? {
  folderStream(openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
}

/// Returns a stream that takes over the descriptor of a folder. On failure, closes the descriptor and returns nil, with
/// `errno` set; also returns nil for -1.
private func folderStream(_ descriptor: Int32) -> FolderStream? {
  guard descriptor >= 0 else { return nil }
  if let stream = fdopendir(descriptor) { return stream }
  let code = errno
  close(descriptor)
  errno = code
  return nil
}

/// Returns whether a folder exists and no part of its path is a link; false, too, if the system cannot check this with
/// a single call.
public func isFolderWithoutLinks(_ path: UnsafePointer<CChar>) -> Bool {
  let descriptor = cplatform_open_unlinked(path, openPathOnly | O_DIRECTORY | O_CLOEXEC, 0)
  if descriptor >= 0 { close(descriptor) }
  return descriptor >= 0
}

/// An open folder for `readdir(3)`.
#if canImport(Darwin)
  public typealias FolderStream = UnsafeMutablePointer<DIR>
#else
  public typealias FolderStream = OpaquePointer
#endif

private let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name)!

/// Returns the name of an entry of a folder, in the form of `PathBytes`.
///
/// The system's record ends with the name, so a copy of all 256 bytes of `d_name` would read beyond it.
public func entryName(_ entry: UnsafeMutablePointer<dirent>) -> String {
  PathBytes.text((UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self))
}

/// Returns the names of the items in a folder in no particular order, including hidden ones; nil, with the reason in
/// `errno`, if the folder cannot be read. Wraps `readdir(3)`.
///
/// - Parameter path: the path. Like the names, it is in the form of `PathBytes`.
public func folderNames(_ path: String) -> [String]? { folderNames(reading: openFolder(path)) }

/// Returns the names of the items in an open folder; see `folderNames(_:)`. The descriptor stays open.
public func folderNames(of descriptor: Int32) -> [String]? {
  folderNames(reading: folderStream(openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
}

/// Reads a folder, and closes it.
private func folderNames(reading stream: FolderStream?) -> [String]? {
  guard let stream else { return nil }
  defer {
    let code = errno
    closedir(stream)
    errno = code
  }
  var names: [String] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else { return errno == 0 ? names : nil }
    let name = entryName(entry)
    if name != ".", name != ".." { names.append(name) }
  }
}

/// Returns whether a path ends in a stranger's link; false for anything else. Links before the last part are followed.
public func isStrangersLink(_ path: UnsafePointer<CChar>, isForWriting: Bool = false) -> Bool {
  var (link, folder) = (stat(), stat())
  guard lstat(path, &link) == 0, link.st_mode & S_IFMT == S_IFLNK else { return false }
  let text = UnsafeBufferPointer(start: path, count: strlen(path))
  let end = text.lastIndex(of: CChar(UInt8(ascii: "/")))
  // The slash is included, so that the root folder has a name.
  let parent: [CChar] = end.map { text[...$0] + [0] } ?? [CChar(UInt8(ascii: ".")), 0]
  return stat(parent, &folder) == 0 && FileOwners.isStrangers(link: link, in: folder, isForWriting: isForWriting)
}

/// Resolves a path part by part.
private struct PathWalk {
  private typealias Name = [CChar]

  /// The remaining parts, the next one last.
  private var rest: [Name] = []
  private var folder: Int32 = -1
  private var linksLeft = 40
  private var isForWriting = false

  private static let dot: Name = [CChar(UInt8(ascii: ".")), 0]

  init(_ path: UnsafePointer<CChar>) { begin(path) }

  /// Inserts the parts of a path before the remaining ones, and starts at the root folder for an absolute path.
  private mutating func begin(_ path: UnsafePointer<CChar>) {
    let slash = CChar(UInt8(ascii: "/"))
    if path.pointee == slash || folder < 0 {
      move(to: Platform.open(path.pointee == slash ? "/" : ".", openPathOnly | O_DIRECTORY | O_CLOEXEC))
    }
    let bytes = UnsafeBufferPointer(start: path, count: strlen(path))
    var parts = bytes.split(separator: slash).map { Array($0) + [0] }
    // A slash at the end requires a folder, and the root folder has no parts.
    if bytes.last == slash { parts.append(Self.dot) }
    rest += parts.reversed()
  }

  private mutating func move(to next: Int32) {
    let code = errno
    if folder >= 0 { close(folder) }
    folder = next
    errno = code
  }

  /// Opens the last part like `open(2)`.
  mutating func open(_ flags: Int32, _ mode: UInt32, isForWriting: Bool) -> Int32 {
    self.isForWriting = isForWriting || flags & (O_WRONLY | O_RDWR | O_CREAT) != 0
    defer { move(to: -1) }
    while folder >= 0, let name = rest.popLast() {
      let isLast = rest.isEmpty
      guard
        let opened = isLast
          ? enter(name, flags, mode, follows: flags & O_NOFOLLOW == 0)
          : enter(name, openPathOnly | O_DIRECTORY | O_CLOEXEC, 0, follows: true)
      else { continue }
      if isLast || opened < 0 { return opened }
      move(to: opened)
    }
    return -1
  }

  /// Opens a part of the path; nil for a link, whose target is resolved next.
  private mutating func enter(_ name: Name, _ flags: Int32, _ mode: UInt32, follows: Bool) -> Int32? {
    let opened = openat(folder, name, flags | O_NOFOLLOW, numericCast(mode))
    guard follows else { return opened }
    // With `openPathOnly`, the call succeeds for a link, and opens the link itself.
    if opened >= 0, !Self.isLink(opened) { return opened }
    let code = opened >= 0 ? ELOOP : errno
    if opened >= 0 { close(opened) }
    errno = code
    guard code == ELOOP || code == ENOTDIR else { return -1 }
    switch follow(name, otherwise: code) {
    case .leads: return nil
    case .fails: return -1
    case .isOfSystem: return openat(folder, name, flags, numericCast(mode))
    }
  }

  private static func isLink(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  private enum Link {
    case leads
    /// The link cannot be followed, with the reason in `errno`.
    case fails
    /// A link in `/proc`, which only the system can follow.
    case isOfSystem
  }

  /// Continues with the target of a link.
  ///
  /// - Parameter code: the error to set for a name that is not a link.
  private mutating func follow(_ name: Name, otherwise code: Int32) -> Link {
    let descriptor = openat(folder, name, Self.openLinkOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return .fails }
    defer { close(descriptor) }
    var (link, parent) = (stat(), stat())
    guard fstat(descriptor, &link) == 0, fstat(folder, &parent) == 0 else { return .fails }
    guard link.st_mode & S_IFMT == S_IFLNK else { return Self.fail(code) }
    if cplatform_is_process_file(descriptor) != 0 { return .isOfSystem }
    if FileOwners.isStrangers(link: link, in: parent, isForWriting: isForWriting) { return Self.fail(strangersLink) }
    linksLeft -= 1
    guard linksLeft >= 0, let target = Self.target(descriptor, folder, name) else { return Self.fail(ELOOP) }
    begin(target)
    return .leads
  }

  private static func fail(_ code: Int32) -> Link {
    errno = code
    return .fails
  }

  /// Returns the target of an open link; nil if it cannot be read. Wraps `readlinkat(2)`.
  private static func target(_ link: Int32, _ folder: Int32, _ name: Name) -> Name? {
    var target = Name(repeating: 0, count: Int(PATH_MAX) + 1)
    #if os(Linux)
      let count = readlinkat(link, "", &target, target.count - 1)
    #else
      let count = readlinkat(folder, name, &target, target.count - 1)
    #endif
    return count > 0 ? target : nil
  }

  /// The flags for a descriptor of the link itself.
  private static var openLinkOnly: Int32 {
    #if os(Linux)
      openPathOnly | O_NOFOLLOW
    #else
      O_SYMLINK
    #endif
  }
}
