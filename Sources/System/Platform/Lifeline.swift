/// A pipe that tells a started program when this process has ended for any reason: only this process has the write end,
/// and the system closes it.
///
/// The kernel's own signal (`PR_SET_PDEATHSIG`, see `ChildProcess`) would leave a run no time to remove its temporary
/// files.
public enum Lifeline {
  /// The environment variable that tells a started program that there is a pipe.
  public static let variable = "IMGHOST_LIFELINE"
  /// The pipe's descriptor in a started program.
  private static let descriptor: Int32 = 3

  /// The read end; -1 if there is none. The write end stays open until this process ends.
  private static let end: Int32 = {
    var ends: [Int32] = [-1, -1]
    guard makePipe(&ends) == 0 else { return -1 }
    setenv(variable, "\(descriptor)", 1)
    return ends[0]
  }()

  /// Creates the pipe for programs that are started later. Must be called before other threads start, because it sets
  /// an environment variable.
  public static func prepare() { _ = end }

  /// The descriptors for a program that uses the pipe; all others are closed. Call `prepare` first.
  public static var descriptors: [ChildProcess.Descriptor] {
    end < 0 ? [.closed(from: descriptor)] : [.duplicate(end, as: descriptor), .closed(from: descriptor + 1)]
  }

  /// Calls `body` on a thread of its own when the program that has started this one ends; never if that program has no
  /// pipe. Must be called once, before other threads start.
  public static func watch(_ body: @escaping @Sendable () -> Void) {
    guard let text = getenv(variable), String(cString: text) == "\(descriptor)" else { return }
    unsetenv(variable)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    startThread {
      var byte: UInt8 = 0
      while true {
        let count = read(descriptor, &byte, 1)
        if count == 0 { return body() }
        if count < 0, errno != EINTR { return }
      }
    }
  }
}
