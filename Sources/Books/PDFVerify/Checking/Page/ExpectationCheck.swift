import BookExpectations
import ImageCore

/// Compares a page's size, boxes and pictures with those that were written.
struct ExpectationCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let expectations = page.document.expectations, let expected = page.expected, let number = page.meantNumber
    else { return }
    let (actual, size) = (page.geometry.size, PageSize(width: expected.width, height: expected.height))
    if abs(actual.width - size.width) > 0.01 || abs(actual.height - size.height) > 0.01 {
      result.faults.append(.page(.size(size, actual: actual, unit: result.unit)))
    }
    checkBoxes(page.geometry, expected.printBoxes, &result)
    guard result.report.pictures.count == expected.pictures.count else {
      result.faults.removeAll { $0 == .page(.blank) }
      result.faults.append(.page(.pictureCount(expected.pictures.count, actual: result.report.pictures.count)))
      return
    }
    let pictures = WrittenPictureCheck(expectations: expectations, page: number)
    for index in expected.pictures.indices { pictures.check(expected.pictures[index], &result, index) }
  }

  private func checkBoxes(
    _ geometry: PageGeometry, _ meant: [Double], _ result: inout PageResult
  ) {
    let actual = geometry.printBoxes
    let isSame =
      meant.count == actual.count
      && zip(meant, actual).allSatisfy { abs($0 - $1) <= 0.001 + 0.0002 * geometry.unit }
    if !isSame { result.faults.append(.page(.boxes(meant, actual: actual))) }
  }
}

/// Compares a picture with the one that was written in its place.
private struct WrittenPictureCheck {
  let expectations: ExpectationIndex
  /// The number of the corresponding expected page, from 1.
  let page: Int

  func check(_ meant: PictureExpectation, _ result: inout PageResult, _ index: Int) {
    let number = index + 1
    let found = result.report.pictures[index]
    let isExpected = found.identity == meant.digest
    result.report.pictures[index].isExpectedStream = isExpected
    result.report.pictures[index].name = meant.name
    if !isExpected { result.faults.append(.writtenPicture(number, difference(of: found, from: meant))) }
    if found.width != meant.pixelWidth || found.height != meant.pixelHeight {
      result.faults.append(
        .writtenPicture(
          number,
          .pixelSize(
            width: meant.pixelWidth, height: meant.pixelHeight, actualWidth: found.width, actualHeight: found.height)))
    }
    checkPlace(meant, result.places[index], number, unit: result.unit, &result.faults)
    if let fingerprint = meant.fingerprint, let shown = found.fingerprint {
      checkLooks(fingerprint, shown, number, &result.faults)
    }
  }

  /// Returns the difference between the stored bytes and those that were written.
  private func difference(of found: PictureReport, from meant: PictureExpectation) -> WrittenPictureFault {
    if let other = expectations.place(of: found.identity, near: page) {
      return other.page == page ? .ofOtherPlace(other.number) : .ofOtherPage(other.page)
    }
    if let added = PictureAddition.allCases.first(where: {
      found.identityWithout[$0] == meant.digest
    }) {
      return .addition("\(added.article) \(added.rawValue)")
    }
    if found.isRepacked { return .repacked }
    let parts = PictureAddition.allCases.filter { found.identityWithout[$0] != nil }
    return .otherBytes(orOf: parts.map(\.rawValue))
  }

  private func checkPlace(
    _ meant: PictureExpectation, _ place: AffineMatrix, _ number: Int, unit: Double, _ faults: inout [Fault]
  ) {
    if let expected = meant.matrix.orientation, let actual = place.orientation, expected != actual {
      faults.append(.writtenPicture(number, .orientation(expected.rawValue, actual: actual.rawValue)))
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
    let there = [actual.left, actual.bottom, actual.right - actual.left, actual.top - actual.bottom]
    faults.append(
      .writtenPicture(
        number,
        .place(
          [box.left, box.bottom, width, height], actual: there,
          pixels: max(off.x * across, off.y * down))))
  }

  private func checkLooks(_ meant: PixelFingerprint, _ shown: PixelFingerprint, _ number: Int, _ faults: inout [Fault])
  {
    let own = shown.squaredDifference(to: meant)!
    func decibels(_ sum: Int) -> Double {
      Decibels.of(squaredError: Double(sum), samples: Double(meant.cells.count))
    }
    if own > PixelFingerprint.squaredDifferenceAt25dB {
      faults.append(.writtenPicture(number, .unlike(decibels: decibels(own))))
    }
    // At 40 dB and above, the picture looks as expected. In a book of plain colours that differ by one step, another
    // page may even be more similar, because only JPEG's rounding distinguishes the pages.
    guard own > PixelFingerprint.squaredDifferenceAt40dB else { return }
    // Another page must be at least 3 dB more similar: if two pages have encodings of one photograph, chance may decide
    // which is more similar.
    var best = (page: page, difference: own / 2)
    for (index, other) in expectations.expected.pages.enumerated() {
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
      .writtenPicture(number, .moreLike(page: best.page, decibels: decibels(best.difference), meant: decibels(own))))
  }
}
