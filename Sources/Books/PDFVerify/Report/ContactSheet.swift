import CPoppler

/// A picture of up to 20,000 pages at a small size, with their numbers below. Pages with errors have a red frame and a
/// cross; those with warnings have an amber frame. A missing page is a dashed red frame with a cross, and with the
/// page's expected number inside.
struct ContactSheet {
  private enum Mark { case fine, warned, wrong, missing }
  private struct Cell {
    let number: Int
    let mark: Mark
    let picture: RenderedPixels?
  }

  private let cells: [Cell]
  /// The longer side of a page in pixels.
  private let side: Int
  private let columns: Int
  private var gap: Int { max(10, side / 8) }
  private var labelHeight: Double { Double(max(10, side / 14)) }

  /// Returns the longer side of a page in pixels. It is smaller for more pages, which limits the size of the sheet.
  static func side(pages: Int) -> Int {
    switch pages {
    case ...60: 240
    case ...300: 160
    case ...2_000: 80
    default: 32
    }
  }

  init(_ report: VerificationReport, thumbnails: [Int: RenderedPixels]) {
    let wrong = Set(report.findings.filter { $0.severity == .error }.compactMap(\.page))
    let warned = Set(report.findings.filter { $0.severity == .warning }.compactMap(\.page))
    let there = report.pages.count
    var cells = (0..<max(there, wrong.max() ?? 0)).map { index in
      let number = index + 1
      let mark: Mark =
        number > there
        ? .missing : wrong.contains(number) ? .wrong : warned.contains(number) ? .warned : .fine
      return Cell(number: number, mark: mark, picture: thumbnails[number])
    }
    cells = Self.adding(Self.lost(report, count: cells.count), to: cells)
    if cells.isEmpty { cells = [Cell(number: 1, mark: .missing, picture: nil)] }
    self.cells = Array(cells.prefix(20_000))
    side = Self.side(pages: self.cells.count)
    let count = self.cells.count
    columns = max(1, min(count, Int((Double(count) * 1.4).squareRoot().rounded(.up))))
  }

  /// Returns the missing pages. If only their count is known, the last pages of the book are assumed to be missing.
  private static func lost(_ report: VerificationReport, count: Int) -> [MissingPage] {
    let meant = report.expectedPageCount ?? 0
    guard report.missingPages.isEmpty, meant > count else { return report.missingPages }
    return (count + 1...meant).map { MissingPage(number: $0, after: count) }
  }

  /// Returns the cells of the pages, with a cell for each missing page after the page that should precede it.
  private static func adding(_ lost: [MissingPage], to cells: [Cell]) -> [Cell] {
    var result: [Cell] = []
    var rest = lost.sorted { ($0.after, $0.number) < ($1.after, $1.number) }[...]
    for place in 0...cells.count {
      while let page = rest.first, page.after == place || place == cells.count {
        result.append(Cell(number: page.number, mark: .missing, picture: nil))
        rest = rest.dropFirst()
      }
      if place < cells.count { result.append(cells[place]) }
    }
    return result
  }

  /// Draws the sheet; nil if memory is short.
  func draw() -> RenderedPixels? {
    // A row is as tall as its tallest page, so a row of landscape pages takes less height.
    let rows = stride(from: 0, to: cells.count, by: columns).map { start in
      let row = cells[start..<min(cells.count, start + columns)]
      return (cells: row, pageHeight: row.indices.map { size($0).height }.max()!)
    }
    let below = Int(labelHeight * 2.2)
    let height = rows.reduce(gap) { $0 + $1.pageHeight + below + gap }
    guard let sheet = RenderedPixels(width: columns * (side + gap) + gap, height: height) else { return nil }
    let context = cairo_create(sheet.surface)!
    defer { cairo_destroy(context) }
    cairo_set_source_rgb(context, 0.93, 0.93, 0.93)
    cairo_paint(context)
    var y = gap
    for row in rows {
      for (column, place) in row.cells.indices.enumerated() {
        draw(place, on: context, x: Double(gap + column * (side + gap)), bottom: Double(y + row.pageHeight))
      }
      y += row.pageHeight + below + gap
    }
    sheet.finish()
    return sheet
  }

  /// Returns a page's size on the sheet; a page without a picture has the size of the nearest one before it that has a
  /// picture, or else of the first one that has a picture.
  private func size(_ place: Int) -> (width: Int, height: Int) {
    let picture = cells[...place].last { $0.picture != nil }?.picture ?? cells.first { $0.picture != nil }?.picture
    return (picture?.width ?? side * 3 / 4, picture?.height ?? side)
  }

  private func draw(_ place: Int, on context: OpaquePointer, x: Double, bottom: Double) {
    let room = Double(side)
    let (cell, size) = (cells[place], size(place))
    let (width, height) = (Double(size.width), Double(size.height))
    // The lower edges of the pages in a row are aligned.
    let (left, top) = (x + ((room - width) / 2).rounded(.down), bottom - height)
    if let picture = cell.picture {
      cairo_set_source_rgba(context, 0, 0, 0, 0.25)
      cairo_rectangle(context, left + 1, top + 1, width + 1, height + 1)
      cairo_fill(context)
      cairo_set_source_surface(context, picture.surface, left, top)
      cairo_rectangle(context, left, top, width, height)
      cairo_fill(context)
    } else {
      cairo_set_source_rgb(context, 1, 1, 1)
      cairo_rectangle(context, left, top, width, height)
      cairo_fill(context)
    }
    frame(cell.mark, on: context, left, top, width, height)
    setColour(cell.mark, on: context, plain: 0.25)
    // Page numbers are below the pages; the number of a missing page is inside its frame.
    let baseline = cell.mark == .missing ? bottom - (height - labelHeight) / 2 : bottom + labelHeight * 1.8
    label(cell.number, on: context, centre: x + room / 2, baseline: baseline)
  }

  private func label(
    _ number: Int, on context: OpaquePointer, centre: Double, baseline: Double
  ) {
    cairo_select_font_face(context, "Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    cairo_set_font_size(context, labelHeight / Self.digitHeight)
    var extents = cairo_text_extents_t()
    cairo_text_extents(context, "\(number)", &extents)
    cairo_move_to(context, centre - extents.x_advance / 2, baseline)
    cairo_show_text(context, "\(number)")
  }
  /// The height of digits relative to the font size.
  private static let digitHeight = 0.72

  private func frame(
    _ mark: Mark, on context: OpaquePointer, _ left: Double, _ top: Double, _ width: Double, _ height: Double
  ) {
    guard mark != .fine else { return }
    let line = max(2, Double(side) / 50)
    setColour(mark, on: context, plain: 0)
    cairo_set_line_width(context, line)
    if mark == .missing {
      let dash = [line * 3, line * 2]
      cairo_set_dash(context, dash, 2, 0)
    }
    cairo_rectangle(
      context, left - line / 2, top - line / 2, width + line, height + line)
    cairo_stroke(context)
    cairo_set_dash(context, nil, 0, 0)
    guard mark != .warned else { return }
    // A disc in the upper right corner, with a cross in it, distinguishes errors from warnings without colour.
    let radius = max(6, Double(side) / 16)
    cairo_arc(context, left + width, top, radius, 0, 2 * .pi)
    cairo_fill(context)
    cairo_set_source_rgb(context, 1, 1, 1)
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    cairo_set_line_width(context, radius / 3.2)
    let arm = radius * 0.4
    for direction in [1.0, -1.0] {
      cairo_move_to(context, left + width - arm, top - arm * direction)
      cairo_line_to(context, left + width + arm, top + arm * direction)
    }
    cairo_stroke(context)
  }

  private func setColour(_ mark: Mark, on context: OpaquePointer, plain: Double) {
    switch mark {
    case .fine: cairo_set_source_rgb(context, plain, plain, plain)
    case .warned: cairo_set_source_rgb(context, 0.80, 0.50, 0)
    case .wrong, .missing: cairo_set_source_rgb(context, 0.82, 0.07, 0.10)
    }
  }
}

extension VerificationReport {
  /// Draws all pages at a small size with their numbers, and marks pages with errors in red.
  ///
  /// The report must come from a verifier with `drawsPages`.
  ///
  /// - Parameters:
  ///   - size: called once, before the first row.
  ///   - row: called with each row from the top, three bytes per pixel.
  /// - Returns: false if memory is short.
  public func drawContactSheet<Failure: Error>(
    size: (_ width: Int, _ height: Int) throws(Failure) -> Void, row: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard let sheet = ContactSheet(self, thumbnails: thumbnails.pictures).draw() else { return false }
    try size(sheet.width, sheet.height)
    var line = [UInt8](repeating: 0, count: sheet.width * 3)
    for y in 0..<sheet.height {
      let pixels = sheet.row(y)
      for x in 0..<sheet.width {
        line[x * 3] = UInt8(pixels[x] >> 16 & 0xff)
        line[x * 3 + 1] = UInt8(pixels[x] >> 8 & 0xff)
        line[x * 3 + 2] = UInt8(pixels[x] & 0xff)
      }
      try line.withUnsafeBufferPointer { (line) throws(Failure) in
        try row(UnsafeRawBufferPointer(line))
      }
    }
    return true
  }
}

/// Small pictures of pages, by page number. Comparisons of reports ignore them, because they are not part of the
/// printed report.
struct Thumbnails: Sendable, Hashable {
  var pictures: [Int: RenderedPixels] = [:]

  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
