import BookExpectations
import ImageCore

/// What remains for files whose structure imghost's own reader does not know: page count, sizes, and that
/// every page renders without complaint.
struct RenderingOnlyCheck {
  private let mapping: FileMapping
  private let expected: VerificationExpectations?

  private let requirements: RequirementCheck

  init(
    _ mapping: FileMapping, _ expected: VerificationExpectations?, _ requirements: Requirements
  ) {
    self.mapping = mapping
    self.expected = expected
    self.requirements = RequirementCheck(requirements: requirements)
  }

  func run(_ watchdog: Watchdog, _ outcome: inout Outcome) throws(Fault) {
    let renderer = try PopplerRenderer(mapping)
    if expected == nil, requirements.requirements.isSealed {
      outcome.faults.append(.noExpectations(areWanted: true))
    }
    if let expected {
      outcome.faults += ExpectationCheck(expected).check(pageCount: renderer.pageCount)
      outcome.faults.append(.failure("its pages could not be held against what was expected"))
    }
    for index in 0..<renderer.pageCount where !watchdog.hasGivenUp {
      watchdog.begin(index + 1, worker: 0)
      guard let page = renderer.page(index) else {
        outcome.faults.append(.popplerRefuses("page \(index + 1) is missing"))
        continue
      }
      let (width, height) = page.size
      guard width > 0, height > 0, width.isFinite, height.isFinite else {
        outcome.faults.append(.popplerRefuses("page \(index + 1) has no area"))
        continue
      }
      let scale = min(1, 500 / max(width, height, 1))
      _ = page.render(
        left: 0, top: 0, scaleX: scale, scaleY: scale, width: max(1, Int(width * scale)),
        height: max(1, Int(height * scale)))
      var result = PageChecker.Result(
        report: PageReport(
          number: index + 1, width: width, height: height, pictures: [], isStructureChecked: false))
      result.finishedSize = Requirements.Size(
        width: result.report.width, height: result.report.height)
      requirements.check(&result)
      if !requirements.requirements.texts.isEmpty { result.letters = page.text().letters }
      result.faults += LogCapture.take()
      outcome.pages.append(result)
    }
    outcome.faults += requirements.check(outcome.pages)
  }
}
