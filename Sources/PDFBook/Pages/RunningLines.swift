import ImageCore

/// Where the lines at the edges of a book's pages stand, and what they look like.
///
/// A header has a band of its own between the upper margin and the room for pictures, footer and page number share
/// one above the lower margin.
public struct RunningLines: Sendable {
  struct Line: Sendable {
    let option: String
    let style: TextStyle
    let position: RunningPosition
    var isHeader: Bool { option == "header" }
    /// Of its letters and of the space to the pictures; points.
    var bandHeight: Double { style.size * 2 }
  }

  private let lines: [Line]
  /// The margins that were asked for, outside of the bands.
  private let margins: PageMargins

  /// From arguments that have been checked.
  public init(_ arguments: Arguments, margins: PageMargins) {
    lines = TextParameters.runningLines.compactMap { option in
      guard let text = arguments.optionalText(option), !text.isEmpty else { return nil }
      return Line(
        option: option, style: TextStyle(runningLine: option, of: arguments),
        position: RunningPosition(rawValue: arguments.text("\(option)_align"))!)
    }
    self.margins = margins
  }

  public var isEmpty: Bool { lines.isEmpty }

  /// The fonts that are asked for.
  public var fonts: [String] { lines.map(\.style.font) }

  /// Whether footer and page number would be written over each other.
  public var overlap: Bool {
    Set(lines.filter { !$0.isHeader }.map(\.position)).count < lines.filter { !$0.isHeader }.count
  }

  private func bandHeight(ofHeader isHeader: Bool) -> Double {
    lines.filter { $0.isHeader == isHeader }.map(\.bandHeight).max() ?? 0
  }

  /// The margins that leave the bands free.
  public var innerMargins: PageMargins {
    PageMargins(
      top: margins.top + bandHeight(ofHeader: true), right: margins.right,
      bottom: margins.bottom + bandHeight(ofHeader: false), left: margins.left)
  }

  /// Lays out the lines of one page.
  ///
  /// - Parameters:
  ///   - texts: by option.
  ///   - page: its number, from 1.
  ///   - notes: gets what could not be shown.
  public func layout(
    _ texts: [String: String], page: Int, size: PageSize, with layouter: TextLayouter,
    notes: inout [String]
  ) throws(PDFError) -> [PlacedText] {
    var placed: [PlacedText] = []
    let width = size.width - margins.left - margins.right
    for line in lines {
      guard let text = texts[line.option], !text.isEmpty else { continue }
      var style = line.style
      style.alignment = line.position.alignment(onPage: page)
      let block = try layouter.block(text, style: style, width: width)
      notes += block.notes(page: page, what: line.option)
      let top =
        line.isHeader ? size.height - margins.top : margins.bottom + block.height
      placed.append(
        PlacedText(
          block, left: margins.left, top: top, role: line.isHeader ? .header : .footer))
    }
    return placed
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
