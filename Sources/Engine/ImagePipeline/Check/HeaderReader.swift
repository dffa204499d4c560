import Scheduling

/// Reads the headers of files before they are needed.
struct HeaderReader {
  let scheduler: Scheduler

  /// Reads the headers of all files from which pictures are made, several at a time. Headers that are not in the
  /// system's cache are read by threads that may block.
  ///
  /// - Parameter lookingAtEnds: whether to also read the ends of files that may be stored unchanged.
  func read(_ pictures: [Picture], lookingAtEnds: Bool = false) {
    let waiting = WorkGroup(on: scheduler)
    scheduler.parallelFor(pictures.count, qos: .userInitiated) { [scheduler] index in
      let picture = pictures[index]
      if HeaderWork.isAtHand(picture, lookingAtEnds: lookingAtEnds) {
        _ = try? picture.info()
        // If the scheduler has been invalidated and takes no work, the headers are read when they are needed.
      } else if let item = try? scheduler.submit(
        HeaderWork(picture, lookingAtEnds: lookingAtEnds), qos: .userInitiated)
      {
        waiting.add(item)
      }
    }
    waiting.wait(as: .userInitiated)
  }

  /// Reads everything that a check of the graph needs. A second pass is for pictures of outputs that may store files
  /// unchanged; it also reads the ends of their files.
  func read(for graph: Graph, _ environment: Environment) {
    for storesFiles in [false, true] {
      let requests = graph.requests.filter { (environment.sink($0.job.kind)?.storesFiles ?? false) == storesFiles }
      read(requests.flatMap(\.pictures), lookingAtEnds: storesFiles)
    }
  }
}

/// Reads the header of a picture's file, on a thread that may wait for the disk.
final class HeaderWork: Work {
  let name: String
  private let picture: Picture
  private let looksAtEnds: Bool

  /// - Parameter lookingAtEnds: see `HeaderReader.read`.
  init(_ picture: Picture, lookingAtEnds: Bool) {
    self.picture = picture
    looksAtEnds = lookingAtEnds
    name = "header of \(picture.origin?.name ?? "a picture")"
  }

  /// Returns whether everything needed from the file is in memory already.
  static func isAtHand(_ picture: Picture, lookingAtEnds: Bool) -> Bool {
    guard let file = picture.origin else { return true }
    return file.isHeaderAtHand(withEnd: lookingAtEnds && picture.untouchedFile != nil)
  }

  var isInputReady: Bool { Self.isAtHand(picture, lookingAtEnds: looksAtEnds) }

  func fetchInput() {
    _ = try? picture.origin?.read()
    if looksAtEnds { _ = picture.untouchedFile?.endsProperly }
  }

  func step() -> WorkStep {
    _ = try? picture.info()
    return .finished
  }
}
