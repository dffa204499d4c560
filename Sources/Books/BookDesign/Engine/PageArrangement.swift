import PictureTraits

/// An arrangement of any number of pictures, which a declared page may use instead of a template.
package enum PageArrangement: String, Sendable, Hashable, CaseIterable {
  /// Cells of equal size.
  case grid
  /// Rows of equal width; nothing is cut off.
  case justified
  /// Columns of equal height; nothing is cut off.
  case masonry

  /// The largest share of a picture that a cell of a grid may cut off, if that loses little attention.
  private static let mostCut = 0.4

  /// The maximum number of rows or columns.
  private static let mostLines = 24

  /// Returns the templates that arrange a number of pictures: at most one for each number of rows or columns.
  func templates(for count: Int) -> [PageTemplate] {
    (1...min(count, Self.mostLines)).compactMap { lines in
      switch self {
      case .grid: grid(count, columns: lines)
      case .justified: template(Self.lines(count, in: lines) { $0 })
      case .masonry: template(Self.lines(count, in: lines, \.transposed))
      }
    }
  }

  private func template(_ rectangles: [UnitRectangle]) -> PageTemplate {
    PageTemplate(name: rawValue, slots: rectangles.map { TemplateSlot($0, crop: 0) })
  }

  /// Returns a grid; nil if fewer columns would suffice for the same number of rows.
  private func grid(_ count: Int, columns: Int) -> PageTemplate? {
    let rows = (count + columns - 1) / columns
    guard rows == 1 || (count + rows - 1) / rows == columns else { return nil }
    let (width, height) = (1 / Double(columns), 1 / Double(rows))
    let slots = (0..<count).map { place in
      TemplateSlot(
        UnitRectangle(
          left: Double(place % columns) * width, top: Double(place / columns) * height, width: width, height: height),
        crop: Self.mostCut)
    }
    return PageTemplate(name: rawValue, slots: slots, flexes: false)
  }

  /// Returns the slots of rows whose numbers of pictures differ by at most one. The last row has the most.
  private static func lines(_ count: Int, in lines: Int, _ turned: (UnitRectangle) -> UnitRectangle) -> [UnitRectangle]
  {
    var slots: [UnitRectangle] = []
    for line in 0..<lines {
      let own = count * (line + 1) / lines - count * line / lines
      let (width, height) = (1 / Double(own), 1 / Double(lines))
      slots += (0..<own).map {
        UnitRectangle(left: Double($0) * width, top: Double(line) * height, width: width, height: height)
      }
    }
    return slots.map(turned)
  }
}

extension UnitRectangle {
  /// The rectangle with rows and columns exchanged.
  fileprivate var transposed: UnitRectangle { UnitRectangle(left: top, top: left, width: height, height: width) }
}
