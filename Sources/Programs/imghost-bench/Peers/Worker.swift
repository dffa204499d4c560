import Platform

/// A process that repeats a piece of work on request, see Scripts/dev/peers.d/kernels/worker.py.
final class Worker {
  /// The version that it reported.
  let version: String
  /// Its remark about the instructions that it may use: empty, or the text from a comma on.
  let remark: String
  private let process: ChildProcess
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
    let process = ChildProcess(
      command, adding: environment,
      descriptors: [.duplicate(input[0], as: STDIN_FILENO), .duplicate(output[1], as: STDOUT_FILENO), .noErrors])
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
    process.wait()
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
