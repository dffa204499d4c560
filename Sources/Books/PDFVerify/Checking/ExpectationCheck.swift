import BookExpectations
import ImageCore

/// Holds what was found against what was meant.
struct ExpectationCheck: Sendable {
  let expected: VerificationExpectations
  /// Where pictures should be, by what is stored of them: page and number, from 1.
  private var places: [ShortDigest: [(page: Int, number: Int)]] = [:]
  /// Pages by their content.
  private var contents: [ShortDigest: [Int]] = [:]
  /// The first pages that should have a text, by its letters.
  private var captions: [String: [Int]] = [:]
  private static let captionPages = 4
  /// Whether a picture says what file it was made of.
  let notesSources: Bool

  init(_ expected: VerificationExpectations) {
    self.expected = expected
    notesSources = expected.pages.contains { page in
      page.pictures.contains { $0.source != nil || $0.isDrawn || !$0.otherSources.isEmpty }
    }
    for (index, page) in expected.pages.enumerated() {
      if let content = page.content { contents[content, default: []].append(index + 1) }
      for (number, picture) in page.pictures.enumerated() {
        places[picture.digest, default: []].append((index + 1, number + 1))
      }
      for caption in page.captions {
        let letters = PageText.letters(caption.text.unicodeScalars)
        if captions[letters, default: []].count < Self.captionPages {
          captions[letters, default: []].append(index + 1)
        }
      }
    }
  }

  /// What a page must be, nil beyond the last.
  func page(_ number: Int) -> PageExpectation? {
    number <= expected.pages.count ? expected.pages[number - 1] : nil
  }

  /// Whether a page should have this content.
  @Sendable func knows(content digest: ShortDigest) -> Bool { contents[digest] != nil }

  /// The only page that should have this content; nil where several do, or none.
  func page(withContent digest: ShortDigest?) -> Int? {
    let pages = digest.flatMap { contents[$0] } ?? []
    return pages.count == 1 ? pages[0] : nil
  }

  /// The page that should have a text of these letters: the given one if it should, else the first; nil where
  /// none does.
  func page(withCaption letters: String, near page: Int) -> Int? {
    guard !letters.isEmpty, let pages = captions[letters] else { return nil }
    let isOwn = expected.pages[page - 1].captions.contains {
      PageText.letters($0.text.unicodeScalars) == letters
    }
    return isOwn ? page : pages.first
  }

  /// What the pages are known by.
  var signatures: [PageSignature] { expected.pages.map(PageSignature.init) }

  /// Whether digests are those of version 2.
  var isOlder: Bool { expected.pages.contains { $0.links == nil } }

  /// Faults of the document.
  func check(pageCount: Int) -> [Fault] {
    pageCount == expected.pages.count
      ? [] : [.expectedPages(expected.pages.count, actual: pageCount)]
  }

  /// Adds one page's faults, and to its pictures whether their streams are the expected ones.
  ///
  /// - Parameter number: of the page that was meant.
  func check(_ result: inout PageChecker.Result, as number: Int) {
    guard let page = page(number) else { return }
    let (width, height) = result.boxSize
    if abs(width - page.width) > 0.01 || abs(height - page.height) > 0.01 {
      result.faults.append(
        .expectedSize(
          width: page.width, height: page.height, actualWidth: width, actualHeight: height,
          unit: result.unit))
    }
    // Lists of version 2 say nothing of links and boxes.
    if page.links != nil { checkBoxes(page.printBoxes, &result) }
    if result.report.pictures.count != page.pictures.count {
      result.faults.removeAll { $0 == .blank }
      result.faults.append(
        .expectedPictures(page.pictures.count, actual: result.report.pictures.count))
      return
    }
    for index in page.pictures.indices {
      check(page.pictures[index], of: number, &result, index)
    }
  }

  private func checkBoxes(_ meant: [Double], _ result: inout PageChecker.Result) {
    let actual = result.printBoxes
    let isSame =
      meant.count == actual.count
      && zip(meant, actual).allSatisfy { abs($0 - $1) <= 0.001 + 0.0002 * result.unit }
    if !isSame { result.faults.append(.expectedBoxes(meant, actual: actual)) }
  }

  private func check(
    _ meant: PictureExpectation, of page: Int, _ result: inout PageChecker.Result, _ index: Int
  ) {
    let number = index + 1
    let found = result.report.pictures[index]
    let isOlder = expected.pages[page - 1].links == nil
    let isExpected = (isOlder ? found.olderIdentity : found.identity) == meant.digest
    result.report.pictures[index].isExpectedStream = isExpected
    result.report.pictures[index].name = meant.name
    if !isExpected {
      let others = found.identity.flatMap { places[$0] } ?? []
      if let other = others.first(where: { $0.page == page }) {
        result.faults.append(.otherPlace(number, picture: other.number))
      } else if let other = others.first {
        result.faults.append(.otherPage(number, page: other.page))
      } else if let added = PictureAddition.allCases.first(where: {
        found.identityWithout[$0] == meant.digest
      }) {
        result.faults.append(.pictureAddition(number, "\(added.article) \(added.rawValue)"))
      } else if found.isRepacked {
        result.faults.append(.repacked(number))
      } else {
        let parts = PictureAddition.allCases.filter { found.identityWithout[$0] != nil }
        result.faults.append(.otherBytes(number, orOf: parts.map(\.rawValue)))
      }
    }
    if found.width != meant.pixelWidth || found.height != meant.pixelHeight {
      result.faults.append(
        .expectedPixelSize(
          number, width: meant.pixelWidth, height: meant.pixelHeight, actualWidth: found.width,
          actualHeight: found.height))
    }
    checkPlace(meant, result.places[index], number, unit: result.unit, &result.faults)
    if let fingerprint = meant.fingerprint, let shown = found.fingerprint {
      checkLooks(fingerprint, shown, page, number, &result.faults)
    }
  }

  private func checkPlace(
    _ meant: PictureExpectation, _ place: AffineMatrix, _ number: Int, unit: Double,
    _ faults: inout [Fault]
  ) {
    if let expected = meant.matrix.orientation, let actual = place.orientation, expected != actual {
      faults.append(.expectedOrientation(number, expected.rawValue, actual: actual.rawValue))
    }
    let (box, actual) = (meant.matrix.bounds, place.bounds)
    let isTurned = meant.matrix.orientation?.swapsSides ?? false
    let (width, height) = (box.right - box.left, box.top - box.bottom)
    guard width > 0, height > 0 else { return }
    let across = Double(isTurned ? meant.pixelHeight : meant.pixelWidth) / width
    let down = Double(isTurned ? meant.pixelWidth : meant.pixelHeight) / height
    let off = (
      x: max(abs(box.left - actual.left), abs(box.right - actual.right)),
      y: max(abs(box.bottom - actual.bottom), abs(box.top - actual.top))
    )
    // Coordinates are rounded to four decimals of the page's units.
    guard max(off.x, off.y) > 0.01 + 0.0002 * unit else { return }
    faults.append(
      .expectedPlace(
        number, expected: [box.left, box.bottom, width, height],
        actual: [
          actual.left, actual.bottom, actual.right - actual.left, actual.top - actual.bottom,
        ], pixels: max(off.x * across, off.y * down)))
  }

  private func checkLooks(
    _ meant: PixelFingerprint, _ shown: PixelFingerprint, _ page: Int, _ number: Int,
    _ faults: inout [Fault]
  ) {
    let own = shown.squaredDifference(to: meant)!
    func decibels(_ sum: Int) -> Double {
      Decibels.of(squaredError: Double(sum), samples: Double(meant.cells.count))
    }
    if own > PixelFingerprint.squaredDifferenceAt25dB {
      faults.append(.unlike(number, decibels: decibels(own)))
    }
    // From 40 dB on it looks as meant. Another page that happens to be nearer still, as in a book of plain
    // colours a step apart, is told from it by JPEG's rounding alone.
    guard own > PixelFingerprint.squaredDifferenceAt40dB else { return }
    // 3 dB nearer at least: of one photograph in two encodings either may be the nearer.
    var best = (page: page, difference: own / 2)
    for (index, other) in expected.pages.enumerated() {
      for picture in other.pictures {
        if let fingerprint = picture.fingerprint,
          let difference = shown.squaredDifference(to: fingerprint, limit: best.difference - 1)
        {
          best = (index + 1, difference)
        }
      }
    }
    guard best.page != page else { return }
    faults.append(
      .moreLike(
        number, page: best.page, decibels: decibels(best.difference), meant: decibels(own)))
  }
}
