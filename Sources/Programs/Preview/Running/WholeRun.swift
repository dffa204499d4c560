import ImageCore
import ImagePipeline
import Platform

/// The run of the whole script in a process of its own, as the user would start it. Safe to use from any thread.
final class WholeRun: Sendable {
  private struct State {
    var child: ChildProcess?
    var done = 0
    var total = 0
    var messages: [JSON] = []
    var summary = ""
    var timeline: [UInt8] = []
  }

  private let state = Monitor(State())
  /// Returns the command line for the given settings, without the program's name.
  private let words: @Sendable ([String: String], _ timeline: String) -> [String]
  private let tell: @Sendable (_ event: String, JSON) -> Void

  init(
    words: @escaping @Sendable ([String: String], String) -> [String],
    tell: @escaping @Sendable (String, JSON) -> Void
  ) {
    self.words = words
    self.tell = tell
  }

  var isRunning: Bool { state.withLock { $0.child != nil } }
  /// The timeline drawing of the last run; empty if there is none.
  var timeline: [UInt8] { state.withLock { $0.timeline } }

  /// Starts a run; returns false if one is already running. A run that cannot be started is reported as finished.
  func start(_ settings: [String: String]) -> Bool {
    state.withLock { state in
      guard state.child == nil else { return false }
      var ends: [Int32] = [-1, -1]
      let folder: ScratchFolder
      do throws(FileError) {
        folder = try ScratchFolder()
      } catch { return fail("the run cannot be started: \(error)") }
      guard makePipe(&ends) == 0 else {
        let code = errno
        folder.remove()
        return fail("the run cannot be started: " + systemText(code))
      }
      let path = folder.path + "/timeline.svg"
      do throws(ChildProcess.Failure) {
        state = State(
          child: try ChildProcess(
            ownProgram, words(settings, path), name: "imghost",
            descriptors: [
              .open("/dev/null", flags: O_RDONLY, as: 0), .duplicate(ends[1], as: 1), .duplicate(ends[1], as: 2),
            ] + Lifeline.descriptors,
            // The child ends itself when the lifeline closes, which leaves it time to remove its temporary files.
            signals: .ownGroup, outlives: true))
      } catch {
        close(ends[0])
        close(ends[1])
        folder.remove()
        return fail("the run cannot be started: " + systemText(error.code))
      }
      close(ends[1])
      let (child, source) = (state.child!, ends[0])
      startThread { [self] in follow(child, source, timeline: path, in: folder) }
      return true
    }
  }

  private func fail(_ reason: String) -> Bool {
    tell("finished", .object([("status", .integer(1)), ("summary", .text(reason)), ("messages", .array([]))]))
    return true
  }

  /// Interrupts a run as Ctrl-C does.
  func cancel() { if let child = state.withLock({ $0.child }) { kill(child.identifier, SIGINT) } }

  private func follow(_ child: ChildProcess, _ source: Int32, timeline: String, in folder: ScratchFolder) {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      rest += buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        take(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeFirst(end + 1)
      }
    }
    close(source)
    let ending = child.wait()
    let drawing = (try? InputFile(path: timeline)).flatMap { file in
      try? file.bytes(at: 0, count: min(file.byteCount, 32 << 20))
    }
    folder.remove()
    finish(ending, drawing ?? [])
  }

  private func finish(_ ending: ProcessEnding?, _ drawing: [UInt8]) {
    let status: Int =
      switch ending {
      case .exit(let code): Int(code)
      case .signal(let number): 128 + Int(number)
      case nil: 1
      }
    let event = state.withLock { state in
      state.child = nil
      state.timeline = drawing
      return JSON.object([
        ("status", .integer(status)), ("summary", .text(state.summary)), ("messages", .array(state.messages)),
        ("timeline", .boolean(!drawing.isEmpty)),
      ])
    }
    tell("finished", event)
  }

  /// Handles one line of the run's output: an event as JSON, or a line of plain text from a plugin or the system.
  private func take(_ line: String) {
    let event = JSONReader.value(of: line)
    let progress = state.withLock { state -> JSON? in
      switch event?["event"]?.textValue {
      case "started": state.total.addClamping(event?["pictures"]?.countValue ?? 0)
      case "picture_done": state.done += 1
      case "failed", "note":
        guard state.messages.count < 200, let event else { return nil }
        let isFailure = event["event"]?.textValue == "failed"
        state.messages.append(
          .object([
            ("kind", .text(isFailure ? "failure" : "note")), ("file", .optional(event["script"]?.textValue)),
            ("line", .optional(event["line"]?.countValue)), ("text", event["text"] ?? .text("")),
          ]))
        return nil
      case "finished":
        let (written, failed) = (event?["written"]?.countValue ?? 0, event?["failed"]?.countValue ?? 0)
        let seconds = min(max(event?["seconds"]?.numberValue ?? 0, 0), 1e9)
        state.summary =
          "\(written) \(written == 1 ? "file" : "files") written"
          + (failed > 0 ? ", \(failed) failed" : "") + " in \(Double(Int(seconds * 100)) / 100) s"
        return nil
      case nil:
        if !line.isEmpty, state.messages.count < 200 {
          state.messages.append(.object([("kind", .text("note")), ("text", .text(printable(line)))]))
        }
        return nil
      default: return nil
      }
      return .object([
        ("state", .text("running")), ("done", .integer(state.done)), ("total", .integer(state.total)),
        ("text", .text("\(state.done) of \(state.total)")),
      ])
    }
    if let progress { tell("progress", progress) }
  }
}
