#if canImport(Glibc)
  import Glibc

  /// Reports changes to files in folders; wraps `inotify(7)`.
  ///
  /// Folders are watched instead of files, because editors save by renaming. Except for `watch`, all functions must be
  /// called on one thread.
  public final class FolderWatch: Sendable {
    private let descriptor: Int32
    private let folders = Monitor<[Int32: String]>([:])

    /// Creates a watch; nil if the system refuses, as when there are too many watches.
    public init?() {
      descriptor = inotify_init1(Int32(IN_CLOEXEC))
      if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Adds folders. Folders that are already watched or do not exist are ignored. May be called on any thread.
    public func watch(_ paths: some Sequence<String>) {
      folders.withLock { folders in
        for path in paths {
          let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ATTRIB
          // A folder that is already watched keeps its number, and a recreated folder receives a new one.
          let number = PathBytes.withBytes(of: path) { inotify_add_watch(descriptor, $0, UInt32(events)) }
          if number >= 0 { folders[number] = path }
        }
      }
    }

    /// Waits until a file is written, renamed or removed, its permissions or times are set, or a folder or a link is
    /// created. Returns the changed paths; an empty set if there were so many changes that the system lost some; nil on
    /// failure.
    public func wait() -> Set<String>? {
      let room = 64 << 10
      let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
      defer { buffer.deallocate() }
      while true {
        var count = 0
        repeat { count = read(descriptor, buffer, room) } while count < 0 && errno == EINTR
        guard count > 0 else { return nil }
        let (changed, isComplete) = changes(in: UnsafeRawBufferPointer(start: buffer, count: count))
        if !isComplete { return [] }
        if !changed.isEmpty { return changed }
      }
    }

    /// Returns the paths that the events name, and whether no events were lost.
    private func changes(in events: UnsafeRawBufferPointer) -> (paths: Set<String>, isComplete: Bool) {
      var changed: Set<String> = []
      var offset = 0
      while offset < events.count {
        let event = events.load(fromByteOffset: offset, as: inotify_event.self)
        let name = offset + MemoryLayout<inotify_event>.size
        offset = name + Int(event.len)
        let has = { (kind: Int32) in event.mask & UInt32(bitPattern: kind) != 0 }
        if has(IN_Q_OVERFLOW) { return ([], false) }
        if has(IN_IGNORED) { folders.withLock { $0[event.wd] = nil } }
        guard event.len > 0, let folder = folders.withLock({ $0[event.wd] }) else { continue }
        let text = (events.baseAddress! + name).assumingMemoryBound(to: CChar.self)
        let path = folder + "/" + PathBytes.text(text)
        // A new file is reported when it has been written. Links are complete when they are created.
        if has(IN_CREATE), !has(Int32(bitPattern: UInt32(IN_ISDIR))), !isLink(path) { continue }
        changed.insert(path)
      }
      return (changed, true)
    }

    /// Returns whether a path is a symbolic link, or a file that has, or had, another name. Wraps `lstat(2)`.
    private func isLink(_ path: String) -> Bool {
      var status = stat()
      guard PathBytes.withBytes(of: path, { lstat($0, &status) }) == 0 else { return false }
      // Writing sets both times. Adding or removing a name sets only the time of the last change.
      let (written, changed) = (status.modificationTime, status.changeTime)
      let isWritten = (written.tv_sec, written.tv_nsec) == (changed.tv_sec, changed.tv_nsec)
      return status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1 || !isWritten
    }
  }
#endif
