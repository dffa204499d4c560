import BookExpectations
import ImageCore

/// Checks each picture of the page: its object, its stream, and that the page shows its pixels.
struct PicturesCheck: PageCheck {
  /// The minimum number of times that a page with too many pixels may be rendered again, for pictures that are too
  /// small to be compared on the whole rendered page. A page that takes too much memory is never rendered again.
  private static let fewestRenders = 2

  func check(_ page: PageContext, _ result: inout PageResult) {
    let draws = page.content.reader.draws
    let texts = texts(of: page)
    let (pixels, most) = (pixelCount(draws, page), page.settings.nativePixels)
    let isTooMuch = page.mustBeSmall || draws.count > 1 && pixels > most / draws.count
    let sheet = isTooMuch ? PageSheet(page.rendering, visible: page.geometry.visible) : nil
    if page.mustBeSmall {
      let (bytes, limit) = (page.cost.bytes, page.settings.limits.bytes)
      guard sheet != nil else {
        result.faults.append(.page(.memory(bytes, limit: limit)))
        result.isGivenUp = true
        return
      }
      result.faults.append(.page(.scaled(bytes, limit: limit)))
    }
    let covers = Covers(draws, isTrusted(page) ? page.content.reader.overlays : [])
    var rendersLeft = page.mustBeSmall ? 0 : max(Self.fewestRenders, most / max(1, pixels))
    for (index, draw) in draws.enumerated() {
      result.areas[index + 1] = draw.box
      let checker = PictureChecker(
        context: page, covers: covers.over(index) + draw.corners, texts: texts, sheet: sheet,
        mayRenderAgain: {
          rendersLeft -= 1
          return rendersLeft >= 0
        }, number: index + 1)
      let (report, place) = checker.check(draw, &result.faults)
      guard let report, let place else { continue }
      result.report.pictures.append(report)
      result.places.append(place)
    }
  }

  /// Returns whether everything that covers a picture counts as expected, as on an unchanged page and on a page without
  /// an expectation.
  private func isTrusted(_ page: PageContext) -> Bool { page.isAsWritten || page.expected == nil }

  /// Returns the boxes of texts that may overlap pictures.
  private func texts(of page: PageContext) -> [PageBox] {
    let (geometry, expected) = (page.geometry, page.expected)
    // Expectations do not contain page numbers, which are written when the book is finished.
    let hasLaterTexts = expected != nil && expected?.content == nil
    if expected == nil || hasLaterTexts, page.content.reader.hasTextOverPictures {
      return page.rendering.text().glyphs.map {
        $0.box.moved(by: geometry.visible).expanded(by: $0.box.height * 0.3)
      }
    }
    return page.isAsWritten ? expected?.captions.map { textBox($0, geometry) } ?? [] : []
  }

  private func textBox(_ caption: CaptionExpectation, _ geometry: PageGeometry) -> PageBox {
    let unit = geometry.unit
    return PageBox(
      left: geometry.media.left + caption.left / unit,
      bottom: geometry.media.bottom + caption.bottom / unit,
      right: geometry.media.left + (caption.left + caption.width) / unit,
      top: geometry.media.bottom + (caption.bottom + caption.height) / unit
    ).expanded(by: caption.height * 0.3 / unit)
  }

  /// Returns the number of pixels of all pictures. Poppler decodes all of them each time it renders the page.
  private func pixelCount(_ draws: [PictureDraw], _ page: PageContext) -> Int {
    let file = page.file
    let names = file.resolve(page.resources["XObject"]).dictionary ?? [:]
    return draws.reduce(0) { sum, draw in
      guard let number = names[draw.name]?.reference, let object = file.object(number),
        let facts = PictureFacts(number, object.dictionary, file)
      else { return sum }
      return sum + facts.width * facts.height
    }
  }
}

/// Areas that cover pictures: later pictures, and expected overlays.
private struct Covers {
  private let boxes: [(box: PageBox?, whole: PageBox?)]
  private let overlays: [(draws: Int, box: PageBox)]

  init(_ draws: [PictureDraw], _ overlays: [(draws: Int, box: PageBox)]) {
    boxes = draws.map { ($0.box, $0.whole) }
    self.overlays = overlays
  }

  func over(_ index: Int) -> [PageBox] {
    guard let whole = boxes[index].whole else { return [] }
    let later = boxes[(index + 1)...].compactMap(\.box)
    let laterOverlays = overlays.filter { $0.draws > index }.map(\.box)
    return (later + laterOverlays).filter { $0.intersection(whole) != nil }
  }
}
