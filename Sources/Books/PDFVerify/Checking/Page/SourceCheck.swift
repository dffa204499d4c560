import BookExpectations
import ImageCore

/// Compares a page's pictures with the folder of sources: each must be one of its files, or be made from some of them.
struct SourceCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let sources = page.settings.sources else { return }
    PictureSources(sources: sources, notesSources: page.document.expectations?.notesSources == true).check(
      &result, page.expected)
  }
}

private struct PictureSources {
  let sources: SourceFolder
  /// Whether the book records the source files of its pictures.
  let notesSources: Bool

  func check(_ result: inout PageResult, _ expected: PageExpectation?) {
    for index in result.report.pictures.indices {
      let stream = result.report.pictures[index].digest.map { ShortDigest($0) }
      if let name = sources.name(of: stream) {
        result.report.pictures[index].source = name
        continue
      }
      // Recorded sources are valid only for the picture that was recorded with them.
      let isAsMeant = result.report.pictures[index].isExpectedStream == true
      let meant = expected.flatMap { index < $0.pictures.count ? $0.pictures[index] : nil }
      check(isAsMeant ? meant : nil, index, &result)
    }
  }

  private func check(_ meant: PictureExpectation?, _ index: Int, _ result: inout PageResult) {
    let wanted = meant.map { ($0.source.map { [$0] } ?? []) + $0.otherSources } ?? []
    let names = wanted.compactMap { sources.name(of: $0) }
    result.report.pictures[index].source = names.isEmpty ? nil : names.joined(separator: ", ")
    let isDrawn = meant?.isDrawn == true
    let missing = wanted.count - names.count
    switch (wanted.count, missing) {
    case (0, _) where isDrawn: result.faults.append(.source(.drawn(index + 1)))
    case (0, _), (1, 1):
      result.faults.append(
        notesSources
          ? .source(.unknown(index + 1, folder: sources.path))
          : .source(.unnoted(index + 1, folder: sources.path)))
    case (_, 1...):
      result.faults.append(.source(.missing(index + 1, missing, of: wanted.count, folder: sources.path)))
    default:
      if isDrawn { result.faults.append(.source(.partlyDrawn(index + 1))) }
    }
  }
}
