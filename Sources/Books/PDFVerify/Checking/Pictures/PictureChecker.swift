import BookExpectations
import ImageCore

/// Checks one picture of a page: its object, its stream, and that the page shows its pixels.
struct PictureChecker {
  let context: PageContext
  /// Areas that are expected to cover the picture, such as lines and other pictures, in the page's units.
  let covers: [PageBox]
  /// The boxes of the page's texts, in the page's units. Glyphs may lie slightly outside these boxes, because readers
  /// may round the places of glyphs to whole pixels.
  let texts: [PageBox]
  /// The whole page, rendered once; nil if each of its pictures is rendered at its own scale.
  let sheet: PageSheet?
  /// Returns whether a page with a `sheet` may be rendered again. The number of renderings is limited, and each call
  /// counts as one.
  let mayRenderAgain: () -> Bool
  /// The picture's number on its page, from 1.
  let number: Int

  private var file: PDFFile { context.file }
  private var renderer: PopplerRenderer { context.renderer }
  var page: RenderingPage { context.rendering }
  var geometry: PageGeometry { context.geometry }
  private var limits: MemoryLimits { context.settings.limits }

  func check(_ draw: PictureDraw, _ faults: inout [Fault]) -> (PictureReport?, AffineMatrix?) {
    let entry = file.resolve(context.resources["XObject"]).dictionary?[draw.name]
    guard let object = entry?.reference, let picture = file.object(object) else {
      faults.append(.content(.missingResource(draw.name)))
      return (nil, nil)
    }
    if picture.dictionary["Subtype"]?.name == "Form" {
      faults.append(.picture(number, .form))
      return (nil, nil)
    }
    guard let facts = PictureFacts(object, picture.dictionary, file), let stream = picture.stream else {
      faults.append(.picture(number, .notAnImage))
      return (nil, nil)
    }
    if let fault = picture.streamFault { faults.append(fault) }
    let data = UnsafeRawBufferPointer(rebasing: file.bytes[stream])
    let identity = context.document.identities.identity(of: facts, stream: stream)
    var outcome = (comparison: Comparison.notCompared, fingerprint: PixelFingerprint?.none)
    do {
      outcome = try compare(draw, facts, data, &faults)
    } catch {
      faults.append(.picture(number, error))
    }
    let report = PictureReport(
      width: facts.width, height: facts.height, digest: identity.stream, comparison: outcome.comparison,
      fingerprint: outcome.fingerprint, identity: identity.all, identityWithout: identity.without,
      isRepacked: facts.isRepacked)
    file.mapping.release(stream)
    renderer.release(stream)
    return (report, place(draw))
  }

  /// Returns the picture's matrix in points, with the origin at the lower left corner of the MediaBox.
  private func place(_ draw: PictureDraw) -> AffineMatrix {
    let (m, unit) = (draw.matrix, geometry.unit)
    return AffineMatrix(
      m.a * unit, m.b * unit, m.c * unit, m.d * unit, (m.e - geometry.media.left) * unit,
      (m.f - geometry.media.bottom) * unit
    ).rounded
  }

  private func compare(
    _ draw: PictureDraw, _ facts: PictureFacts, _ data: UnsafeRawBufferPointer, _ faults: inout [Fault]
  ) throws(PictureFault) -> (Comparison, PixelFingerprint?) {
    let isInOrder = [.upright, .mirrored].contains(draw.matrix.orientation)
    let stored = try StoredPicture(
      facts, data: data, file: file, decodeJPEG: context.settings.decodeJPEG,
      wholePixels: isInOrder ? limits.wholePixels : .max)
    var found: [Fault] = []
    let result = Result { () throws(PictureFault) in try compare(draw, facts, stored, &found) }
    // If the picture cannot be decoded, the faults that the comparison has found are not reported.
    try stored.check()
    if stored.hasMoreRows { faults.append(.picture(number, .moreRows)) }
    faults += found
    return try result.get()
  }

  private func compare(_ draw: PictureDraw, _ facts: PictureFacts, _ stored: StoredPicture, _ faults: inout [Fault])
    throws(PictureFault) -> (Comparison, PixelFingerprint?)
  {
    guard let orientation = draw.matrix.orientation, let box = draw.matrix.box(x: 0, y: 0, width: 1, height: 1)
    else { throw .angle }
    guard !draw.isClippedOddly else { throw .oddClip }
    // Outside this range, floating-point pixel positions are not precise enough.
    guard min(box.width, box.height) >= 1e-3, max(box.width, box.height) <= 1e7 else {
      throw .notCompared("its size on the page is too small or too large")
    }
    guard !facts.hasForeignMask else {
      throw .foreign("it has a mask or a Decode array of a kind that imghost never writes")
    }
    if facts.hasOpacityInData, !PopplerVersion.drawsOpacityInData { faults.append(.picture(number, .opacityInData)) }
    let behind = facts.mask == nil ? [1, 1, 1] : context.content.reader.background(ofPicture: number - 1)
    let shown = Shown(
      facts: facts, rows: DisplayedRows(stored, orientation: orientation, background: behind ?? [1, 1, 1]),
      overWhite: DisplayedRows(stored, orientation: orientation, background: [1, 1, 1]),
      isBackgroundKnown: behind != nil)
    let rows = shown.rows
    guard rows.width <= RenderedPixels.maximumSide, rows.height <= RenderedPixels.maximumSide
    else { throw .notCompared("poppler shows at most 32,767 pixels a side") }
    guard let seen = geometry.visible.intersection(draw.clip ?? geometry.visible)?.intersection(box)
    else { throw .invisible }
    let scale = (x: Double(rows.width) / box.width, y: Double(rows.height) / box.height)
    let fewest = min(seen.width * scale.x, seen.height * scale.y)
    if !shown.isBackgroundKnown, sheet != nil || fewest < MagnifiedComparison.fewPixels {
      throw .notCompared("it is transparent, and more than a colour lies behind it")
    }
    if let sheet {
      if sheet.shows(seen), fewest >= Self.fewestScaledPixels {
        return try compareScaled(shown, box, seen, scale, sheet, &faults)
      }
      guard mayRenderAgain() else { throw .notCompared("it is too small on a page of so many pixels") }
    }
    if fewest < MagnifiedComparison.fewPixels { return try compareMagnified(shown, box, seen, scale, &faults) }
    return try compareNatively(shown, box, seen, scale, &faults)
  }

  /// A stored picture as the page shows it.
  struct Shown {
    let facts: PictureFacts
    let rows: DisplayedRows
    /// The rows over white, for fingerprints, which must not depend on what is behind a transparent picture.
    let overWhite: DisplayedRows
    /// Whether the colour behind the picture is known. Otherwise, only opaque pixels can be compared.
    let isBackgroundKnown: Bool
  }

  /// The minimum number of visible pixels across and down for a scaled comparison: two for each of the 32 cells. With
  /// fewer pixels, the edges have too much weight.
  private static let fewestScaledPixels = Double(2 * PixelFingerprint.side)

  /// Returns the columns and rows of the pixels that are fully visible.
  private static func seenPixels(
    _ seen: PageBox, _ box: PageBox, _ scale: (x: Double, y: Double), _ rows: DisplayedRows
  ) -> (columns: Range<Int>, lines: Range<Int>) {
    let columns = wholePixels((seen.left - box.left) * scale.x, (seen.right - box.left) * scale.x, limit: rows.width)
    let lines = wholePixels((box.top - seen.top) * scale.y, (box.top - seen.bottom) * scale.y, limit: rows.height)
    return (columns, lines)
  }

  /// Compares every fully visible pixel, rendered at the picture's own scale.
  private func compareNatively(
    _ shown: Shown, _ box: PageBox, _ seen: PageBox, _ scale: (x: Double, y: Double), _ faults: inout [Fault]
  ) throws(PictureFault) -> (Comparison, PixelFingerprint?) {
    let (rows, facts) = (shown.rows, shown.facts)
    let (columns, lines) = Self.seenPixels(seen, box, scale, rows)
    var comparison = PixelComparison(tolerance: Self.tolerance(facts))
    comparison.covered = coveredAreas(box, scale, width: rows.width, height: rows.height)
    var accumulator = PixelFingerprint.Accumulator(PictureLayout(width: rows.width, height: rows.height, format: .rgb8))
    try run(shown, box, scale, columns, lines, &comparison) { y, line in
      if facts.mask != nil { shown.overWhite.read(y, into: line) }
      accumulator.add(1, from: line, stride: rows.width * 3)
    }
    let area = comparison.area.map { area in
      PageBox(
        left: box.left + Double(area.columns.lowerBound) / scale.x,
        bottom: box.top - Double(area.rows.upperBound) / scale.y,
        right: box.left + Double(area.columns.upperBound) / scale.x,
        top: box.top - Double(area.rows.lowerBound) / scale.y)
    }
    let verdict = judge(comparison, facts, seen, nil, at: area, &faults)
    return (verdict, accumulator.finish())
  }

  /// Returns the areas of a picture where something else is expected to cover it, in pixels from its upper left corner.
  /// The scale is in pixels per page unit.
  func coveredAreas(_ box: PageBox, _ scale: (x: Double, y: Double), width: Int, height: Int) -> [PixelArea] {
    let around = (x: 2 / scale.x, y: 2 / scale.y)
    let texts = texts.map { text in
      PageBox(
        left: text.left - around.x, bottom: text.bottom - around.y, right: text.right + around.x,
        top: text.top + around.y)
    }
    return (covers + texts).compactMap { $0.intersection(box) }.map { cover in
      PixelArea(
        columns: Self.touchedPixels((cover.left - box.left) * scale.x, (cover.right - box.left) * scale.x, width),
        rows: Self.touchedPixels((box.top - cover.top) * scale.y, (box.top - cover.bottom) * scale.y, height))
    }
  }

  private func compareScaled(
    _ shown: Shown, _ box: PageBox, _ seen: PageBox, _ scale: (x: Double, y: Double),
    _ sheet: PageSheet, _ faults: inout [Fault]
  ) throws(PictureFault) -> (Comparison, PixelFingerprint?) {
    let (columns, lines) = Self.seenPixels(seen, box, scale, shown.rows)
    // Rounding the part to whole pixels ensures that the same area of the page and of the stored picture is compared.
    let part = PageBox(
      left: box.left + Double(columns.lowerBound) / scale.x,
      bottom: box.top - Double(lines.upperBound) / scale.y,
      right: box.left + Double(columns.upperBound) / scale.x,
      top: box.top - Double(lines.lowerBound) / scale.y)
    let scaled = ScaledComparison(sheet: sheet, seen: part, covers: covers + texts)
    guard let result = scaled.run(shown.rows, columns: columns, lines: lines) else { throw hidden(seen) }
    let least = PixelFingerprint.squaredDifferenceAt25dB
    let samples = PixelFingerprint.side * PixelFingerprint.side * 3
    guard result.decibels >= Decibels.of(squaredError: Double(least), samples: Double(samples)) else {
      faults.append(.picture(number, .unlikeStored(decibels: result.decibels)))
      return (.different, result.shown)
    }
    return (.scaled(decibels: result.decibels), result.shown)
  }

  /// Renders the picture in bands, so that a large picture does not need a second buffer of its size, and compares them
  /// row by row with the stored picture.
  private func run(
    _ shown: Shown, _ box: PageBox, _ scale: (x: Double, y: Double), _ columns: Range<Int>, _ lines: Range<Int>,
    _ comparison: inout PixelComparison, _ each: (_ y: Int, _ line: UnsafeMutablePointer<UInt8>) -> Void
  ) throws(PictureFault) {
    let (rows, facts) = (shown.rows, shown.facts)
    let bandHeight = max(1, min(rows.height, limits.bandPixels / rows.width))
    var line = [UInt8](repeating: 0, count: rows.width * 3)
    for start in stride(from: 0, to: rows.height, by: bandHeight) {
      let count = min(bandHeight, rows.height - start)
      guard
        let rendered = page.render(
          left: box.left - geometry.visible.left,
          top: geometry.visible.top - box.top + Double(start) / scale.y,
          scaleX: scale.x, scaleY: scale.y, width: rows.width, height: count)
      else { throw .notCompared("there is not enough memory to render it") }
      line.withUnsafeMutableBufferPointer { line in
        for y in start..<start + count {
          rows.read(y, into: line.baseAddress!)
          if !shown.isBackgroundKnown {
            rows.adopt(rendered.row(y - start), whereTransparentIn: y, into: line.baseAddress!)
          }
          if lines.contains(y) {
            comparison.add(
              row: y, columns: columns, rendered: rendered.row(y - start), stored: line.baseAddress!,
              replacing: facts.mask == nil && facts.colourSpace != .cmyk)
          }
          each(y, line.baseAddress!)
        }
      }
    }
  }

  /// Returns the fault of a picture whose pixels could not be compared, although the page shows the area `seen`.
  private func hidden(_ seen: PageBox) -> PictureFault {
    let isCovered = (covers + texts).contains { $0.intersection(seen) != nil }
    return .notCompared(isCovered ? "it is hidden by what lies over it" : "too little of it can be seen")
  }

  /// - Parameters:
  ///   - seen: the visible part of the picture.
  ///   - view: how the picture was magnified; nil if it was not.
  ///   - area: the area of the pixels that differ, in the page's units.
  func judge(
    _ comparison: PixelComparison, _ facts: PictureFacts, _ seen: PageBox,
    _ view: MagnifiedComparison?, at area: PageBox? = nil, _ faults: inout [Fault]
  ) -> Comparison {
    if comparison.compared == 0 {
      faults.append(.picture(number, hidden(seen)))
      return .notCompared
    }
    if comparison.isBlank {
      faults.append(.picture(number, .blank))
      return .different
    }
    if facts.colourSpace == .cmyk, comparison.decibels >= Self.roughDecibels {
      return .rough(decibels: comparison.decibels)
    }
    guard comparison.different == 0 else {
      if let view {
        faults.append(
          .picture(
            number,
            .magnifiedPixels(
              share: Double(comparison.different) / Double(comparison.compared),
              most: comparison.most, x: comparison.first.x / view.across,
              y: comparison.first.y / view.down)))
        return .different
      }
      faults.append(
        .picture(
          number,
          .pixels(
            different: comparison.different, of: comparison.compared, most: comparison.most, x: comparison.first.x,
            y: comparison.first.y, area: area)))
      return .different
    }
    if comparison.tolerance > 0 { return .within(comparison.most) }
    return facts.hasProfile ? .equalWithoutProfile : .equal
  }

  /// Returns the largest accepted difference of a sample: usually 0; 1 for 16-bit pictures, which poppler rounds
  /// differently; 2 with a soft mask, because cairo rounds when it multiplies and divides by the opacity.
  static func tolerance(_ facts: PictureFacts) -> Int {
    if facts.mask != nil { return 2 }
    return facts.bits == 16 ? 1 : 0
  }

  /// The lowest acceptable PSNR of a CMYK picture. Poppler converts CMYK with a polynomial: compared with the plain
  /// formula, correctly shown photographs measured 17 to 27 dB, whether or not their black was in K.
  private static let roughDecibels = 12.0

  /// Returns the pixels that lie at least partly between two edges, plus one on each side, because edges are
  /// antialiased.
  private static func touchedPixels(_ first: Double, _ last: Double, _ limit: Int) -> Range<Int> {
    let start = max(0, Int(first.rounded(.down)) - 1)
    return start..<max(start, min(limit, Int(last.rounded(.up)) + 1))
  }

  /// Returns the pixels that lie completely between two edges.
  private static func wholePixels(_ first: Double, _ last: Double, limit: Int) -> Range<Int> {
    let start = max(0, Int((first - 0.001).rounded(.up)))
    let end = min(limit, Int((last + 0.001).rounded(.down)))
    return start..<max(start, end)
  }
}

// MARK: - Magnified

extension PictureChecker {
  /// Compares the visible part of a picture with the stored pixels if that part is only a few pixels wide or high.
  ///
  /// - Parameters:
  ///   - box: the box of the whole picture, in the page's units; `seen` is the box of its visible part.
  ///   - scale: pixels per unit.
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
    comparison.covered = coveredAreas(box, step, width: rows.width * view.across, height: rows.height * view.down)
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
    return (verdict, shown.overWhite.fingerprint(0..<rows.width, 0..<rows.height))
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
  /// Returns the fingerprint of a part of the picture.
  func fingerprint(_ columns: Range<Int>, _ lines: Range<Int>) -> PixelFingerprint? {
    var accumulator = PixelFingerprint.Accumulator(
      PictureLayout(width: columns.count, height: lines.count, format: .rgb8))
    var line = [UInt8](repeating: 0, count: width * 3)
    line.withUnsafeMutableBufferPointer { line in
      for y in lines {
        read(y, into: line.baseAddress!)
        accumulator.add(1, from: line.baseAddress! + columns.lowerBound * 3, stride: 0)
      }
    }
    return accumulator.finish()
  }
}
