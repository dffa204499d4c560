import ImageCore
import TextShaping

/// The places and styles of the header, section heading, footer and page number on a book's pages.
///
/// The header and the section heading share a band between the upper margin and the content area. The footer and the
/// page number share a band above the lower margin. Where pictures extend to the edge of the page, the lines lie on the
/// pictures.
package struct RunningLines: Sendable {
  struct Line: Sendable {
    let option: String
    /// The name in messages.
    let name: String
    var style: TextStyle
    let position: RunningPosition
    /// The colour behind the line on pictures; nil for none.
    let background: Colour?
    var isHeader: Bool { option == "header" || option == "section_heading" }
    /// The height of the line and of the space that separates it from the pictures, in points.
    var bandHeight: Double { style.size * 2 }
  }

  private let lines: [Line]
  /// The margins from the options. The bands lie between these margins and the content area.
  private let margins: PageMargins
  private let binding: BindingOptions
  /// The edges at which lines lie on pictures.
  private let edges: CoveredEdges
  /// The step of the baseline grid for the lines; nil for none.
  private let gridStep: Double?

  /// Creates running lines from arguments that have been checked.
  package init(_ arguments: Arguments, margins: PageMargins) {
    lines = TextParameters.runningLines.compactMap { option in
      guard let text = arguments.optionalText(option), !text.isEmpty else { return nil }
      return Line(
        option: option, name: Self.name(of: option, arguments),
        style: TextStyle(runningLine: option, of: arguments),
        position: RunningPosition(rawValue: arguments.text("\(option)_align"))!,
        background: arguments.colour("\(option)_background").visible)
    }
    edges = CoveredEdges(arguments, margins: margins)
    self.margins = margins
    gridStep = arguments.optionalNumber(BaselineGrid.argument)
    binding = BindingOptions(sidesOf: arguments)
  }

  /// Returns a line's name in messages, which is the name of its option. For the header of a contact sheet, it is
  /// `title`, because the sheet uses its title as the header, with braces escaped.
  package static func name(of option: String, _ arguments: Arguments) -> String {
    guard option == "header", let title = arguments.optionalText("title") else { return option }
    let line = title.replacing("{", with: "{{").replacing("}", with: "}}")
    return arguments.optionalText(option) == line ? "title" : option
  }

  package var isEmpty: Bool { lines.isEmpty }

  /// The fonts that the options name.
  package var fonts: [String] { lines.map(\.style.font) }

  /// The pages on which footer and page number would overlap: `"odd"`, `"even"` or `"all"`; nil for none.
  package var overlap: String? {
    let below = lines.filter { !$0.isHeader }
    guard below.count == 2 else { return nil }
    func isSame(_ page: Int) -> Bool {
      below[0].position.alignment(isOnRight: binding.isOnRight(page))
        == below[1].position.alignment(isOnRight: binding.isOnRight(page))
    }
    return switch (isSame(1), isSame(2)) {
    case (true, true): "all"
    case (true, false): "odd"
    case (false, true): "even"
    case (false, false): nil
    }
  }

  private func bandHeight(ofHeader isHeader: Bool) -> Double {
    lines.filter { $0.isHeader == isHeader }.map(\.bandHeight).max() ?? 0
  }

  /// The margins of the content area, which include the bands except where lines lie on pictures.
  package var contentMargins: PageMargins {
    PageMargins(
      top: edges.upper ? margins.top : contentTop,
      right: margins.right,
      bottom: edges.lower ? margins.bottom : outer.bottom + bandHeight(ofHeader: false),
      left: margins.left)
  }

  /// The distance of the content area from the page's upper edge, including the header's band. With a header and a
  /// baseline grid, the area begins on a line of the grid.
  private var contentTop: Double {
    let band = bandHeight(ofHeader: true)
    guard let gridStep, band > 0 else { return outer.top + band }
    return ((outer.top + band - 0.01) / gridStep).rounded(.up) * gridStep
  }

  /// The height above the page's lower edge up to which lines cover pictures, in points; 0 if none do.
  package var heightOnPictures: Double {
    let band = bandHeight(ofHeader: false)
    return edges.lower && band > 0 ? outer.bottom + band : 0
  }

  /// Returns the background colours of the lines that lie on pictures of a page.
  package func backgrounds(on covered: CoveredEdges) -> [Colour] {
    lines.compactMap { ($0.isHeader ? covered.upper : covered.lower) ? $0.background : nil }
  }

  /// Returns the edges of a page where lines have a picture behind them.
  ///
  /// - Parameter pictures: the visible rectangles of the page's pictures.
  package func edges(under pictures: [PageRectangle], on size: PageSize) -> CoveredEdges {
    func isCovered(_ isHeader: Bool) -> Bool {
      let height = bandHeight(ofHeader: isHeader)
      let band = PageRectangle(
        left: 0, bottom: isHeader ? size.height - outer.top - height : outer.bottom,
        width: size.width, height: height)
      return pictures.contains {
        let common = $0.intersection(band)
        return common.width > 0.01 && common.height > 0.01
      }
    }
    return CoveredEdges(upper: edges.upper && isCovered(true), lower: edges.lower && isCovered(false))
  }

  /// The minimum distance of lines from the page's edges, as a multiple of their font size. Without it, lines on a page
  /// without margins would begin exactly at the trim edge.
  private static let edge = 0.8
  /// The minimum distance of lines on pictures from the page's edges: 5 mm, as printers recommend. Trimming may be off
  /// by a millimetre or two, and must not cut into the boxes behind the lines.
  private static let edgeOnPictures = 5 * 72 / 25.4

  /// The margins outside the bands: the requested ones, or the minimum distances from the page's edges if these are
  /// larger.
  private var outer: PageMargins {
    func largest(_ isHeader: Bool) -> Double {
      lines.filter { $0.isHeader == isHeader }.map(\.style.size).max() ?? 0
    }
    func edge(_ isHeader: Bool) -> Double {
      let isOnPictures = isHeader ? edges.upper : edges.lower
      let size = largest(isHeader)
      return max(Self.edge * size, isOnPictures && size > 0 ? Self.edgeOnPictures : 0)
    }
    let beside = max(edge(true), edge(false))
    return PageMargins(
      top: max(margins.top, edge(true)), right: max(margins.right, beside),
      bottom: max(margins.bottom, edge(false)), left: max(margins.left, beside))
  }

  /// Lays out the lines of one page. If two lines do not fit next to each other, one or both are shortened.
  ///
  /// - Parameters:
  ///   - texts: the texts by option.
  ///   - page: the page's number, from 1.
  ///   - covered: the edges where the lines have pictures behind them.
  ///   - ground: the page's colour. Lines that cannot be read on it become black or white.
  ///   - notes: receives a note for each text that is not shown in full.
  package func layout(
    _ texts: [String: String], page: Int, size: PageSize, on covered: CoveredEdges = CoveredEdges(),
    ground: Colour? = nil, with layouter: TextLayouter, notes: inout [TextNote]
  ) throws(PDFError) -> [PlacedText] {
    var placed: [PlacedText] = []
    for isHeader in [true, false] {
      let isCovered = isHeader ? covered.upper : covered.lower
      let shown = lines.filter { $0.isHeader == isHeader && !(texts[$0.option] ?? "").isEmpty }.map { line in
        var line = line
        if let ground, !isCovered { line.style = line.style.readable(on: ground) }
        return line
      }
      var blocks: [TextBlock] = []
      for line in shown { blocks.append(try block(texts[line.option]!, line, page, size, with: layouter)) }
      if shown.count == 2 { try share(shown, &blocks, texts, page, size, with: layouter) }
      for (line, block) in zip(shown, blocks) {
        notes += block.notes(page: page, option: line.name, isOnEveryPage: true)
        guard let first = block.lines.first else { continue }
        let share = line.position.alignment(isOnRight: binding.isOnRight(page)).fractionBefore(isRightToLeft: false)
        var text = PlacedText(
          block, left: outer.left + (width(on: size) - block.width) * share,
          top: baseline(ofHeader: isHeader, on: size) + first.baseline,
          role: isHeader ? .header : .footer)
        if isCovered { text.background = line.background }
        placed.append(text)
      }
    }
    return placed
  }

  private func width(on size: PageSize) -> Double { max(0, size.width - outer.left - outer.right) }

  /// Returns the baseline, which is the same on every page and for both lines of a band. Its distance from the margin
  /// leaves room for the tallest letters of most fonts, or in a footer for descenders.
  private func baseline(ofHeader isHeader: Bool, on size: PageSize) -> Double {
    let largest = lines.filter { $0.isHeader == isHeader }.map(\.style.size).max() ?? 0
    let baseline = isHeader ? size.height - outer.top - largest * 0.93 : outer.bottom + largest * 0.25
    guard let gridStep, largest > 0 else { return baseline }
    let grid = BaselineGrid(step: gridStep, height: size.height)
    // Snapping to the grid must not bring lines too close to the page's edges.
    let (nearest, edge) = (grid.nearest(baseline), largest * Self.edge)
    if isHeader { return nearest + largest > size.height - edge ? nearest - gridStep : nearest }
    return nearest < edge ? grid.atOrAbove(edge) : nearest
  }

  private func block(
    _ text: String, _ line: Line, _ page: Int, _ size: PageSize, width: Double? = nil, with layouter: TextLayouter
  ) throws(PDFError) -> TextBlock {
    var style = line.style
    style.alignment = line.position.alignment(isOnRight: binding.isOnRight(page))
    return try layouter.block(text, style: style, width: width ?? self.width(on: size))
  }

  /// Shortens one or both lines of a band if they would overlap.
  private func share(
    _ shown: [Line], _ blocks: inout [TextBlock], _ texts: [String: String], _ page: Int, _ size: PageSize,
    with layouter: TextLayouter
  ) throws(PDFError) {
    func line(_ index: Int) -> (alignment: TextAlignment, width: Double) {
      (shown[index].position.alignment(isOnRight: binding.isOnRight(page)), blocks[index].lines.first?.width ?? 0)
    }
    let widths = SharedBand(
      width: width(on: size), gap: shown.map(\.style.size).max()! * Self.gap
    ).widths(line(0), line(1))
    for (index, width) in [widths.0, widths.1].enumerated() where line(index).width > width + 0.01 {
      blocks[index] = try block(texts[shown[index].option]!, shown[index], page, size, width: width, with: layouter)
    }
  }

  /// The space between two lines of a band, as a multiple of the larger font size: two wide spaces.
  private static let gap = 1.5
}

/// The edges of a page that pictures cover, so that running lines lie on the pictures.
package struct CoveredEdges: Sendable, Hashable {
  package var upper = false
  package var lower = false

  package init(upper: Bool = false, lower: Bool = false) { (self.upper, self.lower) = (upper, lower) }

  /// Finds the edges of pages to which pictures extend, except where captions lie between the pictures and the edge.
  /// The arguments must have been checked.
  init(_ arguments: Arguments, margins: PageMargins) {
    let dpi = arguments.optionalNumber("dpi") ?? PageSetup.defaultDPI
    let bleed = try? Length.list(arguments.text("bleed"), option: "bleed", dpi: dpi).first
    let kind = LayoutKind(rawValue: arguments.text("layout"))!
    let coversPage = kind.fillsPages || arguments.text("fit") == PageFit.cover.rawValue
    guard coversPage, bleed ?? 0 > 0 else { return }
    let hasCaptions = !(arguments.optionalText("caption") ?? "").isEmpty || arguments.has("captions")
    let position = CaptionPosition(rawValue: arguments.text("caption_position"))!
    upper = margins.top < 0.01 && !(hasCaptions && position == .above)
    lower = margins.bottom < 0.01 && !(hasCaptions && position == .below)
  }
}

extension TextLayouter {
  /// Calls `layout` and converts its error to a `PDFError`.
  func block(_ text: String, style: TextStyle, width: Double) throws(PDFError) -> TextBlock {
    do throws(TextError) {
      return try layout(text, style: style, width: width)
    } catch {
      throw .text(error)
    }
  }
}

/// Divides the width of a header or footer between two running lines, in points.
///
/// A line that is short enough keeps its width, and the other gets the rest. Thus a long footer never shortens the page
/// number next to it.
struct SharedBand {
  let width: Double
  /// The space between two lines.
  let gap: Double

  /// Returns the widths of two lines with different alignments: left, right or centred.
  func widths(_ first: (alignment: TextAlignment, width: Double), _ second: (alignment: TextAlignment, width: Double))
    -> (Double, Double)
  {
    if first.alignment == .centre {
      let widths = widths(centre: first.width, side: second.width)
      return (widths.centre, widths.side)
    }
    if second.alignment == .centre {
      let widths = widths(centre: second.width, side: first.width)
      return (widths.side, widths.centre)
    }
    let both = max(0, width - gap)
    if first.width + second.width <= both { return (first.width, second.width) }
    if first.width <= both / 2 { return (first.width, both - first.width) }
    if second.width <= both / 2 { return (both - second.width, second.width) }
    return (both / 2, both / 2)
  }

  /// Returns the widths of a centred line and of the line next to it. The centred line keeps equal space free on both
  /// sides.
  private func widths(centre: Double, side: Double) -> (centre: Double, side: Double) {
    let all = max(0, width - 2 * gap)
    if centre + 2 * side <= all { return (centre, side) }
    if side <= all / 3 { return (all - 2 * side, side) }
    if centre <= all / 3 { return (centre, (all - centre) / 2) }
    return (all / 3, all / 3)
  }
}
