import ImageCore

/// Where the lines at the edges of a book's pages stand, and what they look like.
///
/// A header has a band of its own between the upper margin and the room for pictures, footer and page number share
/// one above the lower margin. Where pictures reach over that edge of the page, lines lie on them.
public struct RunningLines: Sendable {
  struct Line: Sendable {
    let option: String
    /// What messages call it.
    let name: String
    let style: TextStyle
    let position: RunningPosition
    /// Behind it on pictures; nil for nothing.
    let background: Colour?
    var isHeader: Bool { option == "header" }
    /// Of its letters and of the space to the pictures; points.
    var bandHeight: Double { style.size * 2 }
  }

  private let lines: [Line]
  /// The margins that were asked for, outside of the bands.
  private let margins: PageMargins
  private let binding: BindingOptions
  /// Those where lines lie on pictures.
  private let edges: CoveredEdges

  /// From arguments that have been checked.
  public init(_ arguments: Arguments, margins: PageMargins) {
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
    binding = BindingOptions(sidesOf: arguments)
  }

  /// What messages call a line: the header of a contact sheet is its title, with braces that stand for themselves.
  public static func name(of option: String, _ arguments: Arguments) -> String {
    guard option == "header", let title = arguments.optionalText("title") else { return option }
    let line = title.replacing("{", with: "{{").replacing("}", with: "}}")
    return arguments.optionalText(option) == line ? "title" : option
  }

  public var isEmpty: Bool { lines.isEmpty }

  /// The fonts that are asked for.
  public var fonts: [String] { lines.map(\.style.font) }

  /// Pages on which footer and page number would stand at the same place: `"odd"`, `"even"`, `"all"`, or nil for
  /// none.
  public var overlap: String? {
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

  /// The margins that leave the bands free.
  public var innerMargins: PageMargins {
    PageMargins(
      top: edges.upper ? margins.top : outer.top + bandHeight(ofHeader: true),
      right: margins.right,
      bottom: edges.lower ? margins.bottom : outer.bottom + bandHeight(ofHeader: false),
      left: margins.left)
  }

  /// What lines on pictures take of them at the page's lower edge; points.
  public var heightOnPictures: Double {
    let band = bandHeight(ofHeader: false)
    return edges.lower && band > 0 ? outer.bottom + band : 0
  }

  /// What lies behind the lines of a page on its pictures.
  public func labels(on covered: CoveredEdges) -> [Colour] {
    lines.compactMap { ($0.isHeader ? covered.upper : covered.lower) ? $0.background : nil }
  }

  /// Where lines of a page have a picture behind them.
  ///
  /// - Parameter pictures: what is seen of the page's.
  public func edges(under pictures: [PageRectangle], on size: PageSize) -> CoveredEdges {
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
    return CoveredEdges(
      upper: edges.upper && isCovered(true), lower: edges.lower && isCovered(false))
  }

  /// What lines keep off the page's edges, in heights of their letters: where there are no margins they would
  /// begin where the page is cut.
  private static let edge = 0.8
  /// What those on pictures keep off them, so that cutting, which may be off by a millimetre or two, leaves the boxes
  /// behind them whole: 5 mm, which printers ask for.
  private static let edgeOnPictures = 5 * 72 / 25.4

  /// The margins outside of the bands.
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

  /// Lays out the lines of one page. Where two do not fit beside each other they are shortened.
  ///
  /// - Parameters:
  ///   - texts: by option.
  ///   - page: its number, from 1.
  ///   - covered: where they have pictures behind them.
  ///   - notes: gets what could not be shown.
  public func layout(
    _ texts: [String: String], page: Int, size: PageSize, on covered: CoveredEdges = CoveredEdges(),
    with layouter: TextLayouter,
    notes: inout [TextNote]
  ) throws(PDFError) -> [PlacedText] {
    var placed: [PlacedText] = []
    for isHeader in [true, false] {
      let shown = lines.filter { $0.isHeader == isHeader && !(texts[$0.option] ?? "").isEmpty }
      var blocks: [TextBlock] = []
      for line in shown {
        blocks.append(try block(texts[line.option]!, line, page, size, with: layouter))
      }
      if shown.count == 2 { try share(shown, &blocks, texts, page, size, with: layouter) }
      for (line, block) in zip(shown, blocks) {
        notes += block.notes(page: page, option: line.name, isOnEveryPage: true)
        guard let first = block.lines.first else { continue }
        let share = line.position.alignment(isOnRight: binding.isOnRight(page)).share(
          isRightToLeft: false)
        var text = PlacedText(
          block, left: outer.left + (room(on: size) - block.width) * share,
          top: baseline(ofHeader: isHeader, on: size) + first.baseline,
          role: isHeader ? .header : .footer)
        if isHeader ? covered.upper : covered.lower { text.label = line.background }
        placed.append(text)
      }
    }
    return placed
  }

  /// Between the margins.
  private func room(on size: PageSize) -> Double {
    max(0, size.width - outer.left - outer.right)
  }

  /// The same on every page, whatever letters the lines have, and for both lines of a band: as far from the
  /// margin as most fonts' largest letters reach.
  private func baseline(ofHeader isHeader: Bool, on size: PageSize) -> Double {
    let largest = lines.filter { $0.isHeader == isHeader }.map(\.style.size).max() ?? 0
    return isHeader ? size.height - outer.top - largest * 0.93 : outer.bottom + largest * 0.25
  }

  private func block(
    _ text: String, _ line: Line, _ page: Int, _ size: PageSize, room: Double? = nil,
    with layouter: TextLayouter
  ) throws(PDFError) -> TextBlock {
    var style = line.style
    style.alignment = line.position.alignment(isOnRight: binding.isOnRight(page))
    return try layouter.block(text, style: style, width: room ?? self.room(on: size))
  }

  /// Shortens what would be written over the other line.
  private func share(
    _ shown: [Line], _ blocks: inout [TextBlock], _ texts: [String: String], _ page: Int,
    _ size: PageSize, with layouter: TextLayouter
  ) throws(PDFError) {
    func line(_ index: Int) -> (alignment: TextAlignment, width: Double) {
      (
        shown[index].position.alignment(isOnRight: binding.isOnRight(page)),
        blocks[index].lines.first?.width ?? 0
      )
    }
    let rooms = BandRooms(
      width: room(on: size), gap: shown.map(\.style.size).max()! * Self.gap
    ).rooms(line(0), line(1))
    for (index, room) in [rooms.0, rooms.1].enumerated() where line(index).width > room + 0.01 {
      blocks[index] = try block(
        texts[shown[index].option]!, shown[index], page, size, room: room, with: layouter)
    }
  }

  /// Between two lines of a band, in heights of their letters: two wide spaces.
  private static let gap = 1.5
}

/// The edges of a page at which pictures leave no white for running lines.
public struct CoveredEdges: Sendable, Hashable {
  public var upper = false
  public var lower = false

  public init(upper: Bool = false, lower: Bool = false) {
    (self.upper, self.lower) = (upper, lower)
  }

  /// Those that pictures are to reach over, but for captions' strips, from arguments that have been checked.
  init(_ arguments: Arguments, margins: PageMargins) {
    let dpi = arguments.optionalNumber("dpi") ?? PageSetup.defaultDPI
    let bleed = try? Length.list(arguments.text("bleed"), option: "bleed", dpi: dpi).first
    let kind = LayoutKind(rawValue: arguments.text("layout"))!
    let reaches =
      kind == .justified || kind == .masonry || arguments.text("fit") == PageFit.cover.rawValue
    guard reaches, bleed ?? 0 > 0 else { return }
    let hasCaptions =
      !(arguments.optionalText("caption") ?? "").isEmpty || arguments.has("captions")
    let position = CaptionPosition(rawValue: arguments.text("caption_position"))!
    upper = margins.top < 0.01 && !(hasCaptions && position == .above)
    lower = margins.bottom < 0.01 && !(hasCaptions && position == .below)
  }
}

extension TextLayouter {
  /// `layout`, with the error of the writer.
  func block(_ text: String, style: TextStyle, width: Double) throws(PDFError) -> TextBlock {
    do throws(TextError) {
      return try layout(text, style: style, width: width)
    } catch {
      throw .text(error)
    }
  }
}
