import ImageCore
import Scheduling

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The temporary files of this process that are being written, so that whatever ends the process can
/// remove them.
public enum TemporaryFiles {
  private struct State {
    var paths: Set<String> = []
    /// Once all are removed no more are made.
    var isClosed = false
  }
  private static let state = Monitor(State())

  /// Makes one with `mkstemp(3)`. It is never there without being known here.
  ///
  /// - Parameter path: of the file it is for, for the error.
  public static func make(_ template: String, for path: String) throws(FileError)
    -> (Int32, String)
  {
    try state.withLock { (state) throws(FileError) in
      var name = Array(template.utf8CString)
      guard !state.isClosed else { throw FileError(.create, path: path, code: EINTR) }
      let descriptor = mkstemp(&name)
      guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
      let made = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      state.paths.insert(made)
      return (descriptor, made)
    }
  }

  /// Forgets one that has been renamed or removed.
  public static func remove(_ path: String) { state.withLock { _ = $0.paths.remove(path) } }

  static func contains(_ path: String) -> Bool { state.withLock { $0.paths.contains(path) } }

  /// Removes all of them from the disk. For the last moments of a process, from any thread.
  public static func removeAll() {
    state.withLock { state in
      state.isClosed = true
      for path in state.paths { unlink(path) }
    }
  }
}
