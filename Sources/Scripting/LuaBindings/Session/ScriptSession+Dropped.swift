import ImageCore
import ImagePipeline

/// Notes about pictures that the script can no longer use. Authors easily forget that an operation returns a new
/// picture instead of changing its input.
extension ScriptSession {
  /// The maximum number of noted lines.
  private static let mostDropped = 5

  /// Notes the calls whose pictures the script can no longer use, at most one for each line. Tests are not checked.
  func tellDropped() {
    // The picture of a call with a mistake is used by nothing, because the call that should use it may have failed.
    guard options.tests == nil, graph.mistakes.isEmpty else { return }
    var notes: [ScriptPosition: Diagnostic] = [:]
    let operations = run.environment.operations.map(\.descriptor.name)
    let names = Set(operations + chosenOperations + ["open", "canvas", "plugin"])
    for (file, source) in sources {
      for call in DroppedCalls(source).all where names.contains(call.name) {
        guard let note = note(call, in: file), let position = note.position else { continue }
        notes[position] = notes[position] ?? note
      }
    }
    tell(notes.sorted { ($0.key.file, $0.key.line) < ($1.key.file, $1.key.line) }.map(\.value))
  }

  private func tell(_ notes: [Diagnostic]) {
    notes.prefix(Self.mostDropped).forEach(graph.tell)
    let further = notes.count - Self.mostDropped
    guard further > 0, let first = notes.dropFirst(Self.mostDropped).first else { return }
    graph.tell(
      Diagnostic(
        .output, at: first.position,
        message: "note: \(further) more line\(further == 1 ? " makes a picture" : "s make pictures") that nothing uses")
    )
  }

  private func note(_ call: DroppedCalls.Call, in file: String) -> Diagnostic? {
    guard let position = pictures.lazy.filter({ self.isMade($0, by: call, in: file) }).first?.position else {
      return nil
    }
    let words =
      if let variable = call.variable {
        "nothing uses the picture in '\(variable)'"
      } else if call.isMapped {
        "nothing uses the new pictures; keep the list that map returns in a variable, or save it"
      } else if !call.isMethod {
        "nothing uses this picture"
      } else {
        "nothing uses the new picture; keep it"
          + (call.receiver.map { ": \($0) = \($0):\(call.name)(…)" } ?? " in a variable")
      }
    return Diagnostic(.output, at: position, subject: call.name, message: "note: " + words)
  }

  /// Returns whether a call made a picture. If not, the called function may be one of the script that is named like an
  /// operation.
  private func isMade(_ picture: Picture, by call: DroppedCalls.Call, in file: String) -> Bool {
    // The positions of pictures that a plugin made have an origin.
    guard let position = picture.position, position.origin == nil, position.file == file,
      !unreturned.contains(position), call.lines.contains(position.line)
    else { return false }
    return switch picture.step {
    case .invalid: false
    case .source: call.name == "open"
    case .canvas: call.name == "canvas"
    case .operation(let name, _, _):
      name == call.name || call.name == "plugin" || call.name == "text" && name == "img.text"
        || chosenOperations.contains(call.name)
    }
  }

  /// The names of measurements that choose the arguments of an operation, and return its picture.
  private var chosenOperations: [String] {
    run.environment.measurements.filter { if case .operation = $0.result { true } else { false } }.map(
      \.descriptor.name)
  }
}
