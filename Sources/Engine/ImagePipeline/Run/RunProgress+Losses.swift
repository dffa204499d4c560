import ImageCore

/// Losses, such as metadata that files do not get, for one note of each kind at the end of a run.
struct LossLog<Loss: Hashable & Sendable>: Sendable {
  /// The losses in their order, with the files that hold what is lost.
  private(set) var entries: [(loss: Loss, files: [String])] = []
  private var places: [Loss: Int] = [:]
  private var known: Set<Entry> = []

  private struct Entry: Hashable {
    let loss: Loss
    let file: String
  }

  mutating func add(_ loss: Loss, _ file: String) {
    guard known.insert(Entry(loss: loss, file: file)).inserted else { return }
    if let place = places[loss] {
      entries[place].files.append(file)
    } else {
      places[loss] = entries.count
      entries.append((loss, [file]))
    }
  }
}

/// Something that an operation could not do for a picture.
struct OperationNote: Hashable, Sendable {
  /// The name of the operation in scripts.
  let operation: String
  let text: String
}

extension RunProgress {
  /// Keeps what a file that is written lacks.
  package func add(_ losses: [MetadataLoss], of picture: Picture) {
    guard !losses.isEmpty else { return }
    let file = picture.origin?.path ?? "canvas"
    state.withLock { state in for loss in losses { state.losses.add(loss, file) } }
  }

  /// Keeps a note of an operation about a picture.
  func add(_ note: OperationNote, of file: String) { state.withLock { $0.operationNotes.add(note, file) } }

  /// Reports the losses and notes so far, each kind in one note.
  func tellLosses() {
    let (losses, notes) = state.withLock { state in
      defer { (state.losses, state.operationNotes) = (LossLog(), LossLog()) }
      return (state.losses.entries, state.operationNotes.entries)
    }
    for (loss, files) in losses.sorted(by: { $0.loss.description < $1.loss.description }) {
      tell("save", loss.description, files)
    }
    for (note, files) in notes.sorted(by: { ($0.loss.operation, $0.loss.text) < ($1.loss.operation, $1.loss.text) }) {
      tell(note.operation, note.text, files)
    }
  }

  private func tell(_ subject: String, _ text: String, _ files: [String]) {
    // A picture that is made of nothing has no file.
    let files = files.filter { !$0.isEmpty }.sorted()
    let shown = 3
    let more = files.count > shown ? " and \(files.count - shown) more" : ""
    let note = Diagnostic(
      .output, at: nil, subject: subject,
      message: "note: \(text)" + (files.isEmpty ? "" : ": ")
        + files.prefix(shown).map { printable($0) }.joined(separator: ", ") + more)
    options.part.store?.lost(ShardLoss(subject: subject, text: text, files: files), told: note)
    observer(.note(note))
  }
}
