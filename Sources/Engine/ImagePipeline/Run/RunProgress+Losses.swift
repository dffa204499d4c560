import ImageCore

/// Metadata that files do not get, for one note of each kind at the end of a run.
struct MetadataLossLog {
  /// The losses in their order, with the files that hold what is lost.
  private(set) var entries: [(loss: MetadataLoss, files: [String])] = []
  private var places: [MetadataLoss: Int] = [:]
  private var known: Set<Entry> = []

  private struct Entry: Hashable {
    let loss: MetadataLoss
    let file: String
  }

  mutating func add(_ loss: MetadataLoss, _ file: String) {
    guard known.insert(Entry(loss: loss, file: file)).inserted else { return }
    if let place = places[loss] {
      entries[place].files.append(file)
    } else {
      places[loss] = entries.count
      entries.append((loss, [file]))
    }
  }
}

extension RunProgress {
  /// Keeps what a file that is written lacks.
  package func add(_ losses: [MetadataLoss], of picture: Picture) {
    guard !losses.isEmpty else { return }
    let file = picture.origin?.path ?? "canvas"
    state.withLock { state in for loss in losses { state.losses.add(loss, file) } }
  }

  /// Reports the losses so far, each kind in one note.
  func tellLosses() {
    let entries = state.withLock { state in
      defer { state.losses = MetadataLossLog() }
      return state.losses.entries
    }
    for (loss, unsorted) in entries.sorted(by: { $0.loss.description < $1.loss.description }) {
      let files = unsorted.sorted()
      let shown = 3
      let more = files.count > shown ? " and \(files.count - shown) more" : ""
      observer(
        .note(
          Diagnostic(
            .output, at: nil, subject: "save",
            message: "note: \(loss): "
              + files.prefix(shown).map { printable($0) }.joined(separator: ", ") + more)))
    }
  }
}
