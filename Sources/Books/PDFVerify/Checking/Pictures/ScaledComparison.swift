import ImageCore

/// Compares a stored picture with its reduced appearance on a rendered page, both averaged to 32 by 32 cells.
struct ScaledComparison {
  let sheet: PageSheet
  /// The box of the picture's visible part on the page.
  let seen: PageBox
  /// The boxes of things that are expected to cover the picture.
  let covers: [PageBox]

  /// - Parameters:
  ///   - columns: the visible columns of the displayed picture.
  ///   - lines: its visible rows.
  /// - Returns: the similarity, and the fingerprint of the page's pixels in the box `seen`; nil if too little of the
  ///   picture is visible, or if covers hide all of it.
  func run(
    _ rows: DisplayedRows, columns: Range<Int>, lines: Range<Int>
  ) -> (decibels: Double, shown: PixelFingerprint)? {
    let area = sheet.area(of: seen)
    guard !area.columns.isEmpty, !area.rows.isEmpty, !columns.isEmpty, !lines.isEmpty,
      let shown = shown(area), let stored = rows.fingerprint(columns, lines)
    else { return nil }
    let isCovered = coveredCells()
    var sum = 0
    var count = 0
    for cell in isCovered.indices where !isCovered[cell] {
      for index in cell * 3..<cell * 3 + 3 {
        let difference = Int(shown.cells[index]) - Int(stored.cells[index])
        sum += difference * difference
      }
      count += 3
    }
    guard count > 0 else { return nil }
    return (Decibels.of(squaredError: Double(sum), samples: Double(count)), shown)
  }

  private func shown(_ area: PixelArea) -> PixelFingerprint? {
    let layout = PictureLayout(
      width: area.columns.count, height: area.rows.count, format: .rgb8)
    var accumulator = PixelFingerprint.Accumulator(layout)
    var line = [UInt8](repeating: 0, count: layout.rowByteCount)
    for y in area.rows {
      let pixels = sheet.pixels.row(y) + area.columns.lowerBound
      for x in 0..<layout.width {
        line[x * 3] = UInt8(pixels[x] >> 16 & 0xff)
        line[x * 3 + 1] = UInt8(pixels[x] >> 8 & 0xff)
        line[x * 3 + 2] = UInt8(pixels[x] & 0xff)
      }
      line.withUnsafeBytes { accumulator.add(1, from: $0.baseAddress!, stride: 0) }
    }
    return accumulator.finish()
  }

  /// Returns which cells something else is expected to cover, row by row from the top.
  private func coveredCells() -> [Bool] {
    let side = PixelFingerprint.side
    let (width, height) = (seen.width / Double(side), seen.height / Double(side))
    // Each box is marked at its corners. Summing over rows and columns then gives the number of boxes over each cell.
    var counts = [Int](repeating: 0, count: (side + 1) * (side + 1))
    for cover in covers {
      guard let part = cover.intersection(seen) else { continue }
      let left = max(0, Int((part.left - seen.left) / width))
      let right = min(side - 1, Int((part.right - seen.left) / width))
      let top = max(0, Int((seen.top - part.top) / height))
      let bottom = min(side - 1, Int((seen.top - part.bottom) / height))
      guard left <= right, top <= bottom else { continue }
      counts[top * (side + 1) + left] += 1
      counts[top * (side + 1) + right + 1] -= 1
      counts[(bottom + 1) * (side + 1) + left] -= 1
      counts[(bottom + 1) * (side + 1) + right + 1] += 1
    }
    for y in 0..<side { for x in 1..<side { counts[y * (side + 1) + x] += counts[y * (side + 1) + x - 1] } }
    for y in 1..<side { for x in 0..<side { counts[y * (side + 1) + x] += counts[(y - 1) * (side + 1) + x] } }
    return (0..<side * side).map { counts[$0 / side * (side + 1) + $0 % side] > 0 }
  }
}
