/// Returns a clock of the calling thread's processor time, which other threads may read; nil on failure. Wraps
/// `pthread_getcpuclockid(3)`. On systems without such a clock, it is a clock of elapsed time.
public func threadClock() -> clockid_t? {
  #if canImport(Glibc)
    var clock = clockid_t()
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil
  #else
    return CLOCK_MONOTONIC
  #endif
}

/// Returns the processor time in nanoseconds that all threads of a process have used; nil if it is unknown.
///
/// Wraps `clock_getcpuclockid(3)`. For a running thread, the system counts up to its last tick.
public func processorNanoseconds(of process: pid_t) -> Int64? {
  #if canImport(Glibc)
    var (clock, time) = (clockid_t(), timespec())
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  #else
    return nil
  #endif
}

/// Returns the processor time in nanoseconds that the calling thread has used; wraps `clock_gettime(2)`.
public func threadProcessorNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Returns the nanoseconds of a clock that stops while the machine sleeps; wraps `clock_gettime(2)`.
public func awakeNanoseconds() -> Int64 {
  var time = timespec()
  #if canImport(Darwin)
    clock_gettime(CLOCK_UPTIME_RAW, &time)
  #else
    clock_gettime(CLOCK_MONOTONIC, &time)
  #endif
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Returns whether a thread of a process is runnable or running; false if this is unknown.
///
/// Reads `/proc/PID/task/TID/stat` of proc(5).
public func hasRunnableThread(_ process: pid_t) -> Bool {
  let folder = "/proc/\(process)/task/"
  guard let directory = opendir(folder) else { return false }
  defer { closedir(directory) }
  while let entry = readdir(directory) {
    let name = entryName(entry)
    guard !name.hasPrefix("."), let text = shortText(of: folder + name + "/stat") else { continue }
    // The state follows the name, which may contain any bytes.
    guard let end = text.lastIndex(of: UInt8(ascii: ")")), text.count > end + 2 else { continue }
    if text[end + 2] == UInt8(ascii: "R") { return true }
  }
  return false
}

/// Returns the first 512 bytes of a file such as those in `/proc`; nil if it is empty or cannot be read.
func shortText(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var text = [UInt8](repeating: 0, count: 512)
  let count = read(descriptor, &text, text.count)
  return count > 0 ? Array(text.prefix(count)) : nil
}

/// The time at which the program began to work.
public enum ProgramStart {
  /// The nanoseconds since 1970. The program reads this first of all.
  public static let time = now(CLOCK_REALTIME)

  /// Waits until a file that changes gets a later time than the start. The kernel takes the times of files from a clock
  /// that advances every few milliseconds, so a change after the start may get an earlier time until then.
  public static func waitForFileClock() {
    #if os(Linux)
      while now(CLOCK_REALTIME_COARSE) <= time, now(CLOCK_REALTIME) >= time { usleep(500) }
    #else
      while now(CLOCK_REALTIME) <= time &+ 1_000_000 { usleep(500) }
    #endif
  }

  private static func now(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
