import Scheduling

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The temporary files of this process that are being written, so that whatever ends the process can
/// remove them.
public enum TemporaryFiles {
  private static let paths = Monitor<Set<String>>([])

  static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }
  static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  static func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

  /// Removes all of them from the disk. For the last moments of a process, from any thread.
  public static func removeAll() {
    for path in paths.withLock({ $0 }) { unlink(path) }
  }
}
