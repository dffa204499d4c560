import ImageCore

/// The packs of one book, which are read side by side, in the order of the book's pictures.
///
/// Consecutive pictures are usually in the same pack. The number of open packs is limited, because there may be a
/// thousand.
struct PackSet {
  private var packs: [PagePackReader] = []
  /// The indices of packs in `packs`. The keys are the indices of the pictures that the packs contain next.
  private var next: [Int: Int] = [:]
  private var current = 0
  /// An upper bound for the number of open packs.
  private var openCount = 0
  private static let mostOpen = 32

  /// - Parameter open: opens a pack by its path.
  /// - Throws: `PictureError` if a pack cannot be read or is damaged.
  init(paths: [String], open: @escaping PagePackReader.Opener) throws(PictureError) {
    packs.reserveCapacity(paths.count)
    for path in paths {
      var pack = try PagePackReader(path: path, open: open)
      if let index = pack.nextIndex { next[index] = packs.count }
      pack.close()
      packs.append(pack)
    }
  }

  var isEmpty: Bool { packs.isEmpty }

  /// Returns a picture; nil if no pack contains it. Pictures of a pack must be requested in order.
  mutating func take(_ index: Int) throws(PictureError) -> PagePackReader.Entry? {
    if packs.isEmpty || packs[current].nextIndex != index {
      guard let other = next[index] else { return nil }
      current = other
      if !packs[other].isOpen {
        if openCount == Self.mostOpen { closeAll() }
        openCount += 1
      }
    }
    next[index] = nil
    let entry = try packs[current].take()
    if let later = packs[current].nextIndex {
      next[later] = current
    } else if packs[current].isOpen {
      packs[current].close()
      openCount -= 1
    }
    return entry
  }

  private mutating func closeAll() {
    for index in packs.indices { packs[index].close() }
    openCount = 0
  }
}
