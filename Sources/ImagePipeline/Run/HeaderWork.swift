import Scheduling

/// Reads the header of a picture's file where it may have to be waited for: on a thread that is for waiting.
final class HeaderWork: Work {
  let name: String
  private let picture: Picture

  init(_ picture: Picture) {
    self.picture = picture
    name = "header of \(picture.origin?.name ?? "a picture")"
  }

  var isInputReady: Bool { picture.origin?.isHeaderAtHand ?? true }
  func fetchInput() { _ = try? picture.origin?.read() }

  func step() -> WorkStep {
    _ = try? picture.info()
    return .finished
  }

  var isCancelled: Bool { false }
  func abandon(_ reason: CancellationReason) {}
}
