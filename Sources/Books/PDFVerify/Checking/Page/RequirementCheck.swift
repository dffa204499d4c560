/// Compares a document with the caller's requirements.
struct RequirementCheck: PageCheck, ResultCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    let requirements = page.settings.requirements
    result.faults += requirements.faults(of: result)
    requirements.read(page.rendering, into: &result)
  }

  func check(_ document: DocumentContext, _ pages: inout [PageResult]) -> [Fault] {
    document.settings.requirements.faults(of: pages)
  }
}

extension Requirements {
  /// Reads a page's text if a requirement or the report needs it.
  func read(_ page: RenderingPage, into result: inout PageResult) {
    guard !texts.isEmpty || givesTexts else { return }
    let text = page.text()
    result.letters = text.letters
    if givesTexts { result.report.text = text.string }
  }

  func faults(of result: PageResult) -> [Fault] {
    var faults: [Fault] = []
    if let size, let actual = result.finishedSize, !size.isMet(by: actual) {
      faults.append(.page(.size(size, actual: actual, unit: result.unit)))
    }
    guard let least = leastResolution else { return faults }
    for (index, place) in result.places.enumerated() {
      let picture = result.report.pictures[index]
      let across = Double(picture.width) * 72 / (place.a * place.a + place.b * place.b).squareRoot()
      let down = Double(picture.height) * 72 / (place.c * place.c + place.d * place.d).squareRoot()
      // Sides are rounded to whole pixels, so a resolution that is 0.1 % too low is accepted.
      if min(across, down) < least * 0.999 {
        faults.append(.writtenPicture(index + 1, .resolution(min(across, down), least: least, unit: result.unit)))
      }
    }
    return faults
  }

  func faults(of results: [PageResult]) -> [Fault] {
    let isComplete = pages == nil || pages == results.count
    let count = isComplete ? [] : [Fault.document(.pageCount(pages ?? 0, actual: results.count))]
    return count + missingTexts(results.map(\.letters))
  }

  /// Returns the faults of required texts. Each text is searched for after the end of the previous one.
  private func missingTexts(_ pages: [String]) -> [Fault] {
    var faults: [Fault] = []
    var page = 0
    var place = pages.first?.startIndex
    for text in texts {
      let wanted = PageText.letters(text.unicodeScalars)
      guard !wanted.isEmpty else { continue }
      var found: (page: Int, end: String.Index)?
      for candidate in page..<max(page, pages.count) {
        let start = candidate == page ? place! : pages[candidate].startIndex
        if let range = pages[candidate][start...].firstRange(of: wanted) {
          found = (candidate, range.upperBound)
          break
        }
      }
      if let found {
        (page, place) = (found.page, found.end)
      } else if let other = pages.firstIndex(where: {
        PageText.contains($0, wanted, inAnyOrder: PageText.mayChangeOrder(text))
      }) {
        // Text that readers reorder has no defined position.
        let isInOrder = other >= page && pages[other].firstRange(of: wanted) == nil
        if !isInOrder { faults.append(.document(.textEarlier(text, page: other + 1))) }
      } else {
        faults.append(.document(.textMissing(text)))
      }
    }
    return faults
  }
}
