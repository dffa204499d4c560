import Scheduling

/// Reads the header of a picture's file on a thread that may wait for the disk.
final class HeaderWork: Work {
  let name: String
  private let picture: Picture
  private let looksAtEnds: Bool

  /// - Parameter lookingAtEnds: see `Run.readHeaders`.
  init(_ picture: Picture, lookingAtEnds: Bool) {
    self.picture = picture
    looksAtEnds = lookingAtEnds
    name = "header of \(picture.origin?.name ?? "a picture")"
  }

  /// Whether all that is needed of the file is known without waiting for the disk.
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

  var isCancelled: Bool { false }
  func abandon(_ reason: CancellationReason) {}
}
