import ImageCore
import Platform
import Testing

/// Links that another user owns. Only root can create them; for other users these tests are skipped.
@Suite struct StrangersLinkTests {
  private static let isRoot = geteuid() == 0
  private static let stranger: uid_t = 65_534

  private let folder: Folder

  /// A folder with one of each kind of folder, `own` (0755), `group` (0775), `sticky` (1777) and `open` (0777), beside
  /// the folder `target` with the file `file`.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/imghost-links-XXXXXX".utf8CString)
      try #require(mkdtemp(&template) != nil)
      path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      for (name, mode) in [("own", 0o755), ("group", 0o775), ("sticky", 0o1777), ("open", 0o777), ("target", 0o755)] {
        mkdir(path + "/" + name, 0o700)
        chmod(path + "/" + name, mode_t(mode))
      }
      let file = open(path + "/target/file", O_WRONLY | O_CREAT, 0o644)
      close(file)
    }

    deinit { _ = try? ChildProcess("rm", ["-rf", path]).wait() }

    /// Creates links in each folder: `file` and `folder` lead to the target, and `far` leads there through the root
    /// folder.
    func link(owner: uid_t?) {
      for place in ["own", "group", "sticky", "open"] {
        for (name, target) in [("file", "../target/file"), ("folder", path + "/target"), ("new", "../target/new")] {
          let link = "\(path)/\(place)/\(name)"
          symlink(target, link)
          if let owner { lchown(link, owner, owner) }
        }
      }
    }
  }

  init() throws { folder = try Folder() }

  /// Returns 0, or the value of `errno`.
  private func code(_ path: String, _ flags: Int32 = O_RDONLY) -> Int32 {
    let descriptor = openFile(folder.path + "/" + path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    return 0
  }

  @Test func ownLinksAreFollowed() {
    folder.link(owner: nil)
    for place in ["own", "group", "sticky", "open"] {
      #expect(code("\(place)/file") == 0)
      #expect(code("\(place)/folder/file") == 0)
      #expect(code("\(place)/folder", O_RDONLY | O_DIRECTORY) == 0)
      #expect(code("\(place)/folder/", O_RDONLY) == 0)
      #expect(code("\(place)/folder/../\(place)/file") == 0)
      #expect(code("\(place)/file", O_RDONLY | O_NOFOLLOW) == ELOOP)
      #expect(code("\(place)/file/", O_RDONLY) == ENOTDIR)
      #expect(code("\(place)/nothing") == ENOENT)
      #expect(code("\(place)/new") == ENOENT)
    }
    #expect(code("open/new", O_WRONLY | O_CREAT | O_EXCL) == EEXIST)
    #expect(code("open/new", O_WRONLY | O_CREAT) == 0)
    #expect(access(folder.path + "/target/new", F_OK) == 0)
  }

  @Test(.enabled(if: isRoot, "only root can make links of another user")) func strangersLinksAreNot() {
    folder.link(owner: Self.stranger)
    for place in ["group", "sticky", "open"] {
      for path in ["file", "folder", "folder/", "folder/file", "folder/../own", "../\(place)/file"] {
        #expect(code(place + "/" + path) == strangersLink, "\(place)/\(path)")
      }
      for flags in [O_WRONLY | O_CREAT, O_WRONLY | O_TRUNC, openPathOnly] {
        // Some kernels refuse to make anything through a link in a sticky folder.
        let found = code(place + "/new", flags)
        #expect(found == strangersLink || found == EACCES && place == "sticky" && flags & O_CREAT != 0)
      }
      #expect(code("\(place)/file", O_RDONLY | O_NOFOLLOW) == ELOOP)
      #expect(openFolder(folder.path + "/\(place)/folder") == nil)
      #expect(throws: FileError(.open, path: "\(folder.path)/\(place)/file", code: strangersLink)) {
        try InputFile(path: "\(folder.path)/\(place)/file")
      }
      #expect(isStrangersLink("\(folder.path)/\(place)/file"))
      #expect(!isStrangersLink("\(folder.path)/\(place)/folder/file"))
    }
    // Nobody but the owner of this folder can have put them there.
    #expect(code("own/file") == 0 && code("own/folder/file") == 0)
    #expect(access(folder.path + "/target/new", F_OK) != 0)
    // A link of one's own may lead to a stranger's.
    symlink("../open/file", folder.path + "/own/chain")
    #expect(code("own/chain") == strangersLink)
    // Links of root count like one's own, and those of a trusted user: see `FileOwners`.
    lchown(folder.path + "/open/file", 0, 0)
    #expect(code("own/chain") == 0)
  }

  @Test func circlesEnd() {
    symlink("b", folder.path + "/own/a")
    symlink("a", folder.path + "/own/b")
    #expect(code("own/a") == ELOOP)
  }

  /// The system follows the links of processes, which have no text that leads anywhere.
  @Test func linksOfProcesses() throws {
    var ends: [Int32] = [0, 0]
    try #require(makePipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    for path in ["/proc/self/fd/\(ends[0])", "/dev/fd/\(ends[0])", "/proc/self/exe", "/proc/self/cwd/."] {
      let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      #expect(descriptor >= 0, "\(path): \(errno)")
      close(descriptor)
    }
  }

  /// Somebody exchanges a folder and a link to another one all the time. A stranger's link is never followed.
  @Test(.enabled(if: isRoot, "only root can make links of another user")) func races() throws {
    let (place, other) = (folder.path + "/open/place", folder.path + "/open/other")
    mkdir(place, 0o755)
    close(open(place + "/file", O_WRONLY | O_CREAT, 0o644))
    symlink(folder.path + "/target", other)
    lchown(other, Self.stranger, Self.stranger)
    var honest = stat()
    try #require(stat(place + "/file", &honest) == 0)
    let isOver = Monitor(false)
    startThread { [path = folder.path] in
      let descriptor = open(path + "/open", O_RDONLY | O_DIRECTORY)
      while !isOver.withLock({ $0 }) { _ = exchangeFiles("place", "other", in: descriptor) }
      close(descriptor)
    }
    var opened = 0
    for _ in 0..<20_000 {
      let descriptor = openFile(place + "/file", O_RDONLY)
      guard descriptor >= 0 else {
        #expect(errno == strangersLink || errno == ENOTDIR || errno == ELOOP, "\(errno)")
        continue
      }
      var status = stat()
      fstat(descriptor, &status)
      close(descriptor)
      #expect(status.st_ino == honest.st_ino)
      opened += 1
    }
    isOver.withLock { $0 = true }
    #expect(opened > 0)
  }
}
