import BookExpectations
import ImageCore

/// Holds a page's pictures against the folder that they come from: each must be one of its files, or made of some.
struct SourceCheck {
  let sources: SourceFolder
  /// Whether the book notes what its pictures were made of.
  let notesSources: Bool

  func check(_ result: inout PageChecker.Result, _ expected: PageExpectation?) {
    for index in result.report.pictures.indices {
      let stream = result.report.pictures[index].digest.map { ShortDigest($0) }
      if let name = sources.name(of: stream) {
        result.report.pictures[index].source = name
        continue
      }
      // Its list of sources counts only for the picture that it was made for.
      let isAsMeant = result.report.pictures[index].isExpectedStream == true
      let meant = expected.flatMap { index < $0.pictures.count ? $0.pictures[index] : nil }
      check(isAsMeant ? meant : nil, index, &result)
    }
  }

  private func check(_ meant: PictureExpectation?, _ index: Int, _ result: inout PageChecker.Result)
  {
    let wanted = meant.map { ($0.source.map { [$0] } ?? []) + $0.otherSources } ?? []
    let names = wanted.compactMap { sources.name(of: $0) }
    result.report.pictures[index].source = names.isEmpty ? nil : names.joined(separator: ", ")
    let isDrawn = meant?.isDrawn == true
    let missing = wanted.count - names.count
    switch (wanted.count, missing) {
    case (0, _) where isDrawn: result.faults.append(.sourceDrawn(index + 1))
    case (0, _), (1, 1):
      result.faults.append(
        notesSources
          ? .sourceUnknown(index + 1, folder: sources.path)
          : .sourceUnnoted(index + 1, folder: sources.path))
    case (_, 1...):
      result.faults.append(
        .sourcesMissing(index + 1, missing, of: wanted.count, folder: sources.path))
    default:
      if isDrawn { result.faults.append(.sourcePartlyDrawn(index + 1)) }
    }
  }
}
