#if canImport(Glibc)
  import Glibc

  /// Reports changes to files in folders; wraps `inotify(7)`.
  ///
  /// Folders are watched and not files, because editors save by renaming. It is used on one thread, except for `watch`.
  public final class FolderWatch: Sendable {
    private let descriptor: Int32
    private let folders = Monitor<[Int32: String]>([:])

    /// Creates a watch; nil if the system does not support it.
    public init?() {
      descriptor = inotify_init1(Int32(IN_CLOEXEC))
      if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Adds folders. Folders that are already watched or do not exist are ignored. May be called on any thread.
    public func watch(_ paths: some Sequence<String>) {
      folders.withLock { folders in
        let known = Set(folders.values)
        for path in paths where !known.contains(path) {
          let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
          let number = inotify_add_watch(descriptor, path, UInt32(events))
          if number >= 0 { folders[number] = path }
        }
      }
    }

    /// Waits until a file is written, renamed or removed. Returns the paths of all changed files; nil if the system
    /// refuses.
    public func wait() -> Set<String>? {
      let room = 64 << 10
      let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
      defer { buffer.deallocate() }
      var count = 0
      repeat { count = read(descriptor, buffer, room) } while count < 0 && errno == EINTR
      guard count > 0 else { return nil }
      var changed: Set<String> = []
      var offset = 0
      while offset < count {
        let event = (buffer + offset).load(as: inotify_event.self)
        let start = buffer + offset + MemoryLayout<inotify_event>.size
        offset += MemoryLayout<inotify_event>.size + Int(event.len)
        if event.mask & UInt32(IN_IGNORED) != 0 { folders.withLock { $0[event.wd] = nil } }
        guard event.len > 0, let folder = folders.withLock({ $0[event.wd] }) else { continue }
        changed.insert(folder + "/" + PathBytes.text(start.assumingMemoryBound(to: CChar.self)))
      }
      return changed
    }
  }
#endif
