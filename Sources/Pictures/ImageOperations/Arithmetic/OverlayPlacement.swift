import ImageCore

struct OverlayPlacement: Sendable {
  private enum Place: Sendable {
    case at(left: Int, top: Int)
    case gravity(Gravity)
  }

  private let place: Place
  private let tiles: Bool

  /// - Throws: `unsuitable` if both a position and a gravity are given.
  init(left: Int?, top: Int?, gravity: String?, tiles: Bool) throws(OperationError) {
    self.tiles = tiles
    if left != nil || top != nil {
      guard gravity == nil else { throw .unsuitable("'gravity' cannot be given together with 'left' or 'top'") }
      place = .at(left: left ?? 0, top: top ?? 0)
    } else {
      place = .gravity(gravity.flatMap(Gravity.init(name:)) ?? .centre)
    }
  }

  /// Creates the position of an overlay that is drawn once.
  init(left: Int, top: Int) { (place, tiles) = (.at(left: left, top: top), false) }

  /// Adjacent columns of the overlay, and the column of the base on which the first of them is drawn.
  struct Run: Sendable, Equatable {
    let from: Int
    let to: Int
    let count: Int
  }

  /// Returns the overlay's row that is drawn on row `y` of the base; nil if there is none.
  func row(_ y: Int, overlay: PictureLayout, base: PictureLayout) -> Int? {
    let row = y - origin(overlay, base).top
    if tiles { return row.modulo(overlay.height) }
    return (0..<overlay.height).contains(row) ? row : nil
  }

  /// Returns the runs of the overlay's columns, from left to right. They are the same for every row of the base.
  func runs(overlay: PictureLayout, base: PictureLayout) -> [Run] {
    let left = origin(overlay, base).left
    guard tiles else {
      let start = max(0, left)
      let end = min(base.width, left + overlay.width)
      return start < end ? [Run(from: start - left, to: start, count: end - start)] : []
    }
    var runs: [Run] = []
    var x = 0
    while x < base.width {
      let from = (x - left).modulo(overlay.width)
      let count = min(overlay.width - from, base.width - x)
      runs.append(Run(from: from, to: x, count: count))
      x += count
    }
    return runs
  }

  private func origin(_ overlay: PictureLayout, _ base: PictureLayout) -> (left: Int, top: Int) {
    switch place {
    case .at(let left, let top): (left, top)
    case .gravity(let gravity):
      (
        // If the space around the overlay is odd, the extra pixel is on its left and above it, as in sharp.
        gravity.offset(base.width - overlay.width, gravity.x, roundUp: true),
        gravity.offset(base.height - overlay.height, gravity.y, roundUp: true)
      )
    }
  }
}
