import BookExpectations
import ImageCore

/// Checks that the page has its texts in the expected places.
struct CaptionCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let expectations = page.document.expectations, let expected = page.expected, let number = page.meantNumber
    else { return }
    // If a page has another page's content, this is reported once and not for each caption. If the pictures are the
    // page's own, only its captions may have been exchanged, and each is reported.
    let hasOwnPictures =
      expected.pictures.map(\.digest) == result.report.pictures.map(\.identity)
    guard page.contentOwner == nil || hasOwnPictures else { return }
    Captions(
      geometry: page.geometry, expectations: expectations, page: number,
      ownText: { ContentText(page.entries, page.file) }
    ).check(expected.captions, on: page.rendering, isAsWritten: page.isAsWritten, &result.faults)
  }
}

private struct Captions {
  let geometry: PageGeometry
  let expectations: ExpectationIndex
  /// The number of the expected page, from 1.
  let page: Int
  /// Returns the page's text according to its content. Used if poppler does not find the whole text.
  let ownText: () -> ContentText

  /// - Parameter isAsWritten: whether the page's content is unchanged since it was written.
  func check(_ captions: [CaptionExpectation], on page: RenderingPage, isAsWritten: Bool, _ faults: inout [Fault]) {
    guard !captions.isEmpty, !geometry.isTurned else { return }
    let text = page.text()
    var onPage: String?
    var own: ContentText?
    for caption in captions {
      let wanted = PageText.letters(caption.text.unicodeScalars)
      let inAnyOrder = PageText.mayChangeOrder(caption.text)
      let found = text.text(in: box(caption))
      let letters = PageText.letters(found.unicodeScalars)
      if PageText.contains(letters, wanted, inAnyOrder: inAnyOrder) { continue }
      let near = PageText.letters(page.text(in: box(caption)).text(in: box(caption)).unicodeScalars)
      if PageText.contains(near, wanted, inAnyOrder: inAnyOrder) { continue }
      if isAsWritten, let cut = cut(caption) {
        faults.append(cut)
        continue
      }
      // Poppler has its own rules for the order of right-to-left text and combining marks, and loses some neighbouring
      // characters.
      if isAsWritten {
        let text = own ?? ownText()
        own = text
        if isThere(caption, wanted, in: text) { continue }
      }
      let everything = onPage ?? text.letters
      onPage = everything
      if let owner = expectations.page(withCaption: letters, near: self.page) {
        faults.append(.caption(.ofOther(caption.text, found: found, page: owner == self.page ? nil : owner)))
      } else if PageText.contains(everything, wanted, inAnyOrder: inAnyOrder) {
        faults.append(.caption(.place(caption.text)))
      } else if letters.isEmpty {
        faults.append(.caption(.lost(caption.text)))
      } else {
        faults.append(.caption(.reads(caption.text, found: found)))
      }
    }
  }

  /// Returns whether the page's content draws a caption's text in the expected place. Right-to-left text is drawn in
  /// visual order.
  private func isThere(_ caption: CaptionExpectation, _ wanted: String, in own: ContentText) -> Bool {
    let visible = geometry.visible
    let found = own.text(in: box(caption).moved(by: visible))
    return PageText.contains(
      PageText.letters(found.unicodeScalars), wanted,
      inAnyOrder: PageText.mayChangeOrder(caption.text))
  }

  /// Returns the fault of a caption whose lines extend beyond the visible area; nil if they lie inside it.
  private func cut(_ caption: CaptionExpectation) -> Fault? {
    let lines = box(caption, around: 0)
    let shown = PageBox(left: 0, bottom: 0, right: geometry.visible.width, top: geometry.visible.height)
    guard !shown.contains(lines, tolerance: 0.01) else { return nil }
    return shown.intersection(lines) == nil ? .caption(.outside(caption.text)) : .caption(.cut(caption.text))
  }

  /// Returns the box of the caption's lines with a small margin, in page units from the lower left corner of the
  /// visible area.
  func box(_ caption: CaptionExpectation) -> PageBox {
    box(caption, around: max(0.5, min(3, caption.height * 0.15)))
  }

  private func box(_ caption: CaptionExpectation, around: Double) -> PageBox {
    let left = (caption.left - around) / geometry.unit - geometry.visible.left + geometry.media.left
    let bottom = (caption.bottom - around) / geometry.unit - geometry.visible.bottom + geometry.media.bottom
    return PageBox(
      left: left, bottom: bottom, right: left + (caption.width + 2 * around) / geometry.unit,
      top: bottom + (caption.height + 2 * around) / geometry.unit)
  }
}
