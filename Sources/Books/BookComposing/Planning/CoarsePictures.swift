import ImageCore

/// Pictures whose resolution on the page is below a book's 'min_dpi'.
struct CoarsePictures: Sendable {
  let least: Double
  private var count = 0
  private var worst: (index: Int, dpi: Double)?

  init(least: Double) { self.least = least }

  /// Counts the picture with this index if its resolution is too low. A difference of a thousandth is tolerated,
  /// because sizes on pages are rounded.
  mutating func add(_ index: Int, _ dpi: Double) {
    guard dpi * 1.001 < least else { return }
    count += 1
    if worst.map({ dpi < $0.dpi }) ?? true { worst = (index, dpi) }
  }

  /// Returns one note for the whole book; nil if all pictures have a sufficient resolution.
  ///
  /// - Parameter pictures: the number of pictures in the book.
  func note(of pictures: Int, naming name: (Int) -> String) -> String? {
    guard let worst else { return nil }
    let dpi = ParameterValue.text((worst.dpi * 10).rounded(.down) / 10)
    let wanted = "\(ParameterValue.text(least)) pixels per inch of 'min_dpi'"
    let what =
      count == 1
      ? "\(name(worst.index)) is shown at \(dpi), fewer than the \(wanted)"
      : "\(count) of \(pictures) pictures are shown at fewer than the \(wanted), "
        + "\(name(worst.index)) at the fewest, \(dpi)"
    return what
      + (count == 1 ? "; show it smaller, or take a larger file" : "; show them smaller, or take larger files")
  }
}
