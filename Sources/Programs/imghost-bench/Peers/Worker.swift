import Platform

/// A process that does one piece of work as often as it is told to, see
/// Scripts/dev/peers.d/kernels/worker.py.
final class Worker {
  /// What it said of itself.
  let version: String
  /// What it said of the instructions it may use: nothing, or what follows its name after a comma.
  let remark: String
  private let process: pid_t
  private let toIt: UnsafeMutablePointer<FILE>
  private let fromIt: UnsafeMutablePointer<FILE>

  enum Failure: Error {
    /// The peer is not installed, or does not start.
    case missing(String)
    /// The peer does not do this work.
    case unsupported(String)
  }

  init(_ command: [String], environment: [String: String] = [:]) throws(Failure) {
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&input) == 0, pipe(&output) == 0 else { throw .missing("no pipe") }
    for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let process = Spawn.start(command, environment: environment, actions: &actions)
    close(input[0])
    close(output[1])
    guard let process, let toIt = fdopen(input[1], "w"), let fromIt = fdopen(output[0], "r") else {
      throw .missing("\(command[0]) does not start")
    }
    (self.process, self.toIt, self.fromIt) = (process, toIt, fromIt)
    let words = Self.line(fromIt)?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
    // `VERSION` or `VERSION, REMARK`.
    let text = words.count > 1 ? words[1] : ""
    let comma = words.first == "ready" ? text.firstIndex(of: ",") ?? text.endIndex : text.endIndex
    version = String(text[..<comma])
    remark = String(text[comma...])
    switch words.first {
    case "ready": break
    case "unsupported": throw .unsupported(version)
    default: throw .missing(version)
    }
  }

  deinit {
    fclose(toIt)
    fclose(fromIt)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  /// Does the work once; the seconds that passed and those of the processor, nil if the process died.
  func run() -> (passed: Double, processor: Double)? {
    let numbers = ask("run")?.split(separator: " ").compactMap { Double($0) } ?? []
    return numbers.count == 2 ? (numbers[0] / 1e9, numbers[1] / 1e9) : nil
  }

  /// Writes the last result to the file named on its command line.
  func save() -> Bool { ask("save") == "saved" }

  private func ask(_ text: String) -> String? {
    fputs(text + "\n", toIt)
    fflush(toIt)
    return Self.line(fromIt)
  }

  private static func line(_ file: UnsafeMutablePointer<FILE>) -> String? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    let count = getline(&line, &capacity, file)
    guard count > 0, let line else { return nil }
    let text = String(cString: line)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
