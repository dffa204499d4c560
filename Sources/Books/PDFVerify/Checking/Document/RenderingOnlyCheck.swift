import BookExpectations
import ImageCore

/// Checks a file that imghost's own reader cannot parse: the expected number of pages, the caller's requirements, and
/// that poppler renders every page without a message.
struct RenderingOnlyCheck {
  let mapping: FileMapping
  let expected: VerificationExpectations?
  let requirements: Requirements

  func run(_ watchdog: Watchdog, _ outcome: inout Outcome) throws(Fault) {
    let renderer = try PopplerRenderer(mapping)
    if expected == nil, requirements.isSealed {
      outcome.faults.append(.expectations(.notFound(areRequired: true)))
    }
    if let expected {
      if renderer.pageCount != expected.pages.count {
        outcome.faults.append(.document(.pageCount(expected.pages.count, actual: renderer.pageCount)))
      }
      outcome.faults.append(.file(.failure("its pages could not be compared with the expectations")))
    }
    for index in 0..<renderer.pageCount where !watchdog.hasGivenUp {
      watchdog.begin(index + 1, worker: 0)
      guard let page = renderer.page(index) else {
        outcome.faults.append(.poppler(.refuses("page \(index + 1) is missing")))
        continue
      }
      let (width, height) = page.size
      guard width > 0, height > 0, width.isFinite, height.isFinite else {
        outcome.faults.append(.poppler(.refuses("page \(index + 1) has no area")))
        continue
      }
      let scale = min(1, 500 / max(width, height, 1))
      _ = page.render(
        left: 0, top: 0, scaleX: scale, scaleY: scale, width: max(1, Int(width * scale)),
        height: max(1, Int(height * scale)))
      let size = PageSize(width: width, height: height)
      var result = PageResult(number: index + 1, size: size, isStructureChecked: false)
      result.finishedSize = size
      result.faults += requirements.faults(of: result)
      requirements.read(page, into: &result)
      result.faults += LogCapture.take()
      outcome.pages.append(result)
    }
    outcome.faults += requirements.faults(of: outcome.pages)
  }
}
