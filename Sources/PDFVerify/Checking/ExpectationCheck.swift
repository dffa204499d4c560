import ImageCore

/// Holds what was found against what was meant.
struct ExpectationCheck {
  let expected: VerificationExpectations
  /// Pages by the digest of a picture they should show.
  private var pagesByDigest: [SHA256Digest: [Int]] = [:]

  init(_ expected: VerificationExpectations) {
    self.expected = expected
    for (index, page) in expected.pages.enumerated() {
      for picture in page.pictures { pagesByDigest[picture.digest, default: []].append(index + 1) }
    }
  }

  /// Faults of the document.
  func check(pageCount: Int) -> [Fault] {
    pageCount == expected.pages.count
      ? [] : [.expectedPages(expected.pages.count, actual: pageCount)]
  }

  /// Adds one page's faults, and to its pictures whether their streams are the expected ones.
  func check(_ result: inout PageChecker.Result) {
    let number = result.report.number
    guard number <= expected.pages.count else { return }
    let page = expected.pages[number - 1]
    let (width, height) = (result.report.width, result.report.height)
    if abs(width - page.width) > 0.01 || abs(height - page.height) > 0.01 {
      result.faults.append(
        .expectedSize(
          width: page.width, height: page.height, actualWidth: width, actualHeight: height))
    }
    if result.report.pictures.count != page.pictures.count {
      result.faults.removeAll { $0 == .blank }
      result.faults.append(
        .expectedPictures(page.pictures.count, actual: result.report.pictures.count))
      return
    }
    for index in page.pictures.indices {
      check(page.pictures[index], &result, index)
    }
  }

  private func check(
    _ meant: PictureExpectation, _ result: inout PageChecker.Result, _ index: Int
  ) {
    let (number, page) = (index + 1, result.report.number)
    let found = result.report.pictures[index]
    let isExpected = found.digest == meant.digest
    result.report.pictures[index].isExpectedStream = isExpected
    if !isExpected {
      let other = found.digest.flatMap { pagesByDigest[$0]?.first { $0 != page } }
      result.faults.append(other.map { .otherPage(number, page: $0) } ?? .otherBytes(number))
    }
    if found.width != meant.pixelWidth || found.height != meant.pixelHeight {
      result.faults.append(
        .expectedPixelSize(
          number, width: meant.pixelWidth, height: meant.pixelHeight, actualWidth: found.width,
          actualHeight: found.height))
    }
    checkPlace(meant, result.places[index], number, &result.faults)
    if let fingerprint = meant.fingerprint, let shown = found.fingerprint {
      checkLooks(fingerprint, shown, page, number, &result.faults)
    }
  }

  private func checkPlace(
    _ meant: PictureExpectation, _ place: PicturePlace, _ number: Int, _ faults: inout [Fault]
  ) {
    if let orientation = place.orientation, orientation != meant.orientation {
      faults.append(
        .expectedOrientation(number, meant.orientation.rawValue, actual: orientation.rawValue))
    }
    let box = [meant.left, meant.bottom, meant.width, meant.height]
    guard place.box.count == 4 else { return }
    let isTurned = meant.orientation.swapsSides
    let across = Double(isTurned ? meant.pixelHeight : meant.pixelWidth) / meant.width
    let down = Double(isTurned ? meant.pixelWidth : meant.pixelHeight) / meant.height
    let off = zip(zip(box, place.box), [across, down, across, down]).map { pair, scale in
      abs(pair.0 - pair.1) * scale
    }
    // Coordinates are rounded to four decimals; a quarter of a pixel is far from both.
    if let most = off.max(), most > 0.25 {
      faults.append(.expectedPlace(number, expected: box, actual: place.box, pixels: most))
    }
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
    var best = (page: page, difference: own)
    for (index, other) in expected.pages.enumerated() {
      for picture in other.pictures {
        if let fingerprint = picture.fingerprint,
          let difference = shown.squaredDifference(to: fingerprint, limit: best.difference - 1)
        {
          best = (index + 1, difference)
        }
      }
    }
    guard best.difference < own, best.page != page else { return }
    faults.append(
      .moreLike(
        number, page: best.page, decibels: decibels(best.difference), meant: decibels(own)))
  }
}
