import BookDesign
import PictureTraits

extension DesignPage {
  /// Rounds the places of all pictures and texts and the crops of the pictures, and sorts the pictures into their order
  /// in the book, which is also the reading order of screen readers.
  ///
  /// The numbers are rounded as `--design` writes them, so that a script that declares these pages makes the same book.
  mutating func settle() {
    text = text?.rounded
    for index in slots.indices {
      slots[index].area = slots[index].area.rounded
      slots[index].crop = slots[index].crop.rounded
      slots[index].text = slots[index].text?.rounded
    }
    slots.sort { $0.picture < $1.picture }
  }

  /// Returns whether a picture covers the area of the running lines at the upper or lower edge.
  func coversEdges(of paper: DesignPaper) -> Bool {
    slots.contains { slot in
      slot.area.top * paper.height < paper.margins.top - 1
        || slot.area.bottom * paper.height > paper.height - paper.margins.bottom + 1
    }
  }

  /// Returns the page's number, or the two numbers of a spread, for messages.
  ///
  /// - Parameter before: the number of pages before the design.
  func numbers(after before: Int) -> String {
    let number = before + place + 1
    return isSpread ? "pages \(number) and \(number + 1)" : "page \(number)"
  }
}

extension UnitRectangle {
  /// The rectangle with edges rounded to a hundred-thousandth, which is a few thousandths of a millimetre on paper.
  var rounded: UnitRectangle {
    func near(_ value: Double) -> Double { (min(1, max(0, value)) * 100_000).rounded() / 100_000 }
    let (left, top) = (near(left), near(top))
    return UnitRectangle(
      left: left, top: top, width: max(0.00001, near(near(right) - left)),
      height: max(0.00001, near(near(bottom) - top)))
  }
}
