import PictureTraits

/// Drawings of templates with text characters, for terminals.
extension PageTemplate {
  private static let columns = 20
  private static let rows = 10

  /// The template as lines of equal length: the page with each slot and its number.
  package var drawing: [String] {
    let (columns, rows) = (Self.columns * pageCount, Self.rows)
    var letters = [[Character]](repeating: [Character](repeating: " ", count: columns), count: rows)
    /// Draws the outline of a rectangle with characters, including the given columns and rows.
    func box(
      _ left: Int, _ top: Int, _ right: Int, _ bottom: Int, corner: Character, _ across: Character, _ down: Character
    ) {
      for column in left...right { for row in [top, bottom] { letters[row][column] = across } }
      for row in top...bottom { for column in [left, right] { letters[row][column] = down } }
      for row in [top, bottom] { for column in [left, right] { letters[row][column] = corner } }
    }
    box(0, 0, columns - 1, rows - 1, corner: ".", ".", ".")
    if isSpread { for row in 0..<rows { letters[row][columns / 2] = "." } }
    let edge = area == .page ? (across: 0, down: 0) : (across: 2, down: 1)
    func place(_ share: Double, _ edge: Int, _ length: Int) -> Int {
      edge + Int((share * Double(length - 1 - 2 * edge)).rounded())
    }
    for text in slots.compactMap(\.text) + [text].compactMap(\.self) {
      let (left, right) = (place(text.left, edge.across, columns), place(text.right, edge.across, columns))
      let (top, bottom) = (place(text.top, edge.down, rows), place(text.bottom, edge.down, rows))
      for row in stride(from: top + 1, to: bottom, by: 1) where right - left > 2 {
        for column in (left + 1)..<right { letters[row][column] = "=" }
      }
    }
    for (index, slot) in slots.enumerated() {
      let shape = slot.rectangle
      let (left, right) = (place(shape.left, edge.across, columns), place(shape.right, edge.across, columns))
      let (top, bottom) = (place(shape.top, edge.down, rows), place(shape.bottom, edge.down, rows))
      box(left, top, right, bottom, corner: "+", "-", "|")
      let number = Array(String(index + 1))
      guard bottom - top > 1, right - left > number.count else { continue }
      for (offset, digit) in number.enumerated() {
        letters[(top + bottom) / 2][(left + right + 1 - number.count) / 2 + offset] = digit
      }
    }
    return letters.map { String($0) }
  }
}

extension DesignStyle {
  /// The assumed number of columns of a terminal.
  private static let width = 79

  /// The style's templates with their names and drawings, side by side as far as they fit, without a final line end.
  package var drawings: String {
    var lines = ["\(name): \(summary)"]
    var row: [[String]] = []
    func width(_ block: [String]) -> Int { block.map(\.count).max() ?? 0 }
    func flush() {
      for line in 0..<(row.map(\.count).max() ?? 0) {
        let parts = row.map { block in
          let text = line < block.count ? block[line] : ""
          return text + String(repeating: " ", count: width(block) - text.count)
        }
        var text = parts.joined(separator: "    ")
        while text.last == " " { text.removeLast() }
        lines.append(text)
      }
      row = []
    }
    for template in templates {
      let block = ["", template.name] + template.drawing
      if row.reduce(width(block), { $0 + width($1) + 4 }) > Self.width { flush() }
      row.append(block)
    }
    flush()
    return lines.joined(separator: "\n")
  }
}
