import BookExpectations
import ImageCore
import TextShaping

/// A block of text on a page.
package struct PlacedText: Sendable, Hashable {
  package var block: TextBlock
  /// The block's upper left corner as it is read, in points from the page's lower left corner.
  package var left: Double
  package var top: Double
  package var role: TextRole
  package var turn: TextTurn
  /// The language as a BCP 47 tag; empty for the document's.
  package var language = ""
  /// The colour behind its lines; nil for none. Not for rotated text.
  package var background: Colour?

  package init(_ block: TextBlock, left: Double, top: Double, role: TextRole = .paragraph, turn: TextTurn = .none) {
    self.block = block
    self.left = left
    self.top = top
    self.role = role
    self.turn = turn
  }
}

/// The rotation of a block on the page.
package enum TextTurn: String, Sendable, Hashable, CaseIterable {
  case none
  /// From top to bottom, as on spines of English books: the letters' feet are on the left.
  case down
  /// From bottom to top: the letters' feet are on the right.
  case up
}

/// The role of a text in a tagged book.
package enum TextRole: Sendable, Hashable {
  case paragraph
  case heading
  /// The caption of the picture at an index in the page's placements.
  case caption(Int)
  /// A text that repeats on every page and is not read aloud.
  case header, footer
}

/// The vertical position of a block in a higher rectangle.
package enum TextPosition: String, Sendable, Hashable, CaseIterable {
  case top
  case middle
  case bottom

  /// The fraction of the free height that lies below a title. In the optical middle, half as much again lies
  /// below as above.
  var fractionBelow: Double {
    switch self {
    case .top: 1
    case .middle: 0.6
    case .bottom: 0
    }
  }
}

extension PlacedText {
  /// Places a block in a rectangle of the width it was laid out for.
  package init(
    _ block: TextBlock, in rectangle: PageRectangle, position: TextPosition = .top
  ) {
    let room = rectangle.height - block.height
    let above =
      switch position {
      case .top: 0.0
      case .middle: room / 2
      case .bottom: room
      }
    self.init(
      block, left: rectangle.left, top: rectangle.bottom + rectangle.height - above)
  }

  /// The box of its lines on the page.
  package var coverage: PageRectangle {
    let first = block.lines.map(\.left).min() ?? 0
    let last = block.lines.map { $0.left + $0.width }.max() ?? 0
    let (length, height) = (last - first, block.height)
    return switch turn {
    case .none:
      PageRectangle(left: left + first, bottom: top - height, width: length, height: height)
    case .down:
      PageRectangle(left: left - height, bottom: top - last, width: height, height: length)
    case .up: PageRectangle(left: left, bottom: top + first, width: height, height: length)
    }
  }

  /// The text that `imghost-verify` looks for; nil if nothing is drawn.
  var expectation: CaptionExpectation? {
    guard block.lines.contains(where: { !$0.text.isEmpty }) else { return nil }
    let box = coverage
    return CaptionExpectation(block.text, left: box.left, bottom: box.bottom, width: box.width, height: box.height)
  }

  /// Returns the text moved by a distance.
  package func moved(_ right: Double, _ up: Double) -> PlacedText {
    var other = self
    (other.left, other.top) = (left + right, top + up)
    return other
  }
}
