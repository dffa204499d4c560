import ImageCore

extension PictureChecker {
  /// Compares the visible part of a picture of few pixels with the stored pixels.
  ///
  /// - Parameters:
  ///   - box: of the whole picture, and `seen` of what can be seen of it; in the page's units.
  ///   - scale: pixels to a unit.
  func compareMagnified(
    _ shown: Shown, _ box: PageBox, _ seen: PageBox, _ scale: (x: Double, y: Double), _ faults: inout [Fault]
  ) throws(PictureFault) -> (Comparison, PixelFingerprint?) {
    let rows = shown.rows
    guard
      let view = MagnifiedComparison(
        (rows.width, rows.height),
        x: (seen.left - box.left) * scale.x...(seen.right - box.left) * scale.x,
        y: (box.top - seen.top) * scale.y...(box.top - seen.bottom) * scale.y)
    else { throw .notCompared("too little of it can be seen") }
    let step = (x: scale.x * Double(view.across), y: scale.y * Double(view.down))
    var comparison = PixelComparison(tolerance: Self.tolerance(shown.facts))
    comparison.covered = coveredAreas(
      box, (box.left, box.top), step, width: rows.width * view.across,
      height: rows.height * view.down)
    for tile in view.tiles {
      let left = box.left + Double(tile.columns.lowerBound) / step.x
      let top = box.top - Double(tile.rows.lowerBound) / step.y
      guard
        let rendered = page.render(
          left: left - geometry.visible.left, top: geometry.visible.top - top, scaleX: step.x, scaleY: step.y,
          width: tile.columns.count, height: tile.rows.count)
      else { throw .notCompared("there is not enough memory to render it") }
      compare(rendered, tile, with: rows, view, &comparison)
    }
    let verdict = judge(comparison, shown.facts, seen, view, &faults)
    return (verdict, shown.overWhite.fingerprint())
  }

  private func compare(
    _ rendered: RenderedPixels, _ tile: (columns: Range<Int>, rows: Range<Int>), with rows: DisplayedRows,
    _ view: MagnifiedComparison, _ comparison: inout PixelComparison
  ) {
    let columns = view.seenColumns.clamped(to: tile.columns)
    var line = [UInt8](repeating: 0, count: rows.width * 3)
    var wide = [UInt8](repeating: 0, count: tile.columns.count * 3)
    for y in view.seenRows.clamped(to: tile.rows) {
      line.withUnsafeMutableBufferPointer { rows.read(y / view.down, into: $0.baseAddress!) }
      for (index, x) in tile.columns.enumerated() {
        let pixel = x / view.across * 3
        for band in 0..<3 { wide[index * 3 + band] = line[pixel + band] }
      }
      wide.withUnsafeMutableBufferPointer {
        comparison.add(
          row: y, columns: columns, from: tile.columns.lowerBound,
          rendered: rendered.row(y - tile.rows.lowerBound), stored: $0.baseAddress!)
      }
    }
  }
}

extension DisplayedRows {
  /// Returns the fingerprint of the whole picture.
  func fingerprint() -> PixelFingerprint? {
    let layout = PictureLayout(width: width, height: height, format: .rgb8)
    var accumulator = PixelFingerprint.Accumulator(layout)
    var line = [UInt8](repeating: 0, count: layout.rowByteCount)
    line.withUnsafeMutableBufferPointer { line in
      for y in 0..<height {
        read(y, into: line.baseAddress!)
        accumulator.add(1, from: line.baseAddress!, stride: 0)
      }
    }
    return accumulator.finish()
  }
}
