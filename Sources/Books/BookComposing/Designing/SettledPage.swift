import BookDesign
import ImageCore
import PDFBook
import PictureTraits

/// A page of a designed book, or two facing ones, as a script can declare it.
///
/// Places and parts of pictures are rounded to numbers that a script writes with a few digits, so that declaring the
/// pages of a plan results in the same pages.
struct SettledPage {
  struct Slot {
    var picture: Int
    /// The area in shares of the page, or of both pages, from the upper left corner.
    var area: UnitRectangle
    /// The part of the upright picture that is shown.
    var crop: UnitRectangle
    /// The place of the caption next to the picture; nil for the usual place of captions in the book.
    var text: UnitRectangle?
  }

  var slots: [Slot]
  var isSpread: Bool
  var text: PageText?
  /// The place of the text next to pictures, in the same shares as slots; nil on a page of text.
  var textArea: UnitRectangle?
  var background: Colour?
  /// Whether the page requests a tint from the colours of its pictures.
  var isTinted = false
  /// The group of a page of text; nil for none.
  var group: Int?
  /// The number of the page, or of the first of two, from 1.
  var number: Int
  /// The name of the template, and the reasons for the design of the page.
  var template: String
  var reasons: [String]

  /// - Parameter declared: the places that the script states; empty for none.
  init(_ page: DesignPage, declared: [UnitRectangle], on paper: DesignPaper) {
    number = paper.pagesBefore + page.place + 1
    isSpread = page.isSpread
    (template, reasons) = (page.template, page.reasons)
    let width = paper.width * (isSpread ? 2 : 1)
    slots = page.slots.enumerated().map { index, slot in
      let box = slot.rectangle
      func share(_ box: DesignRectangle) -> UnitRectangle {
        UnitRectangle(
          left: box.left / width, top: box.top / paper.height, width: box.width / width,
          height: box.height / paper.height)
      }
      let area = index < declared.count ? declared[index] : share(box)
      return Slot(
        picture: slot.picture, area: area.rounded, crop: slot.crop.rounded, text: slot.text.map { share($0).rounded })
    }
    // The pictures are sorted as in scripts, and are read aloud in this order.
    slots.sort { $0.picture < $1.picture }
  }

  /// Returns whether a picture covers the place of lines at the upper or the lower edge.
  func coversEdges(of paper: DesignPaper) -> Bool {
    slots.contains { slot in
      slot.area.top * paper.height < paper.margins.top - 1
        || slot.area.bottom * paper.height > paper.height - paper.margins.bottom + 1
    }
  }

  /// Moves pictures so that their captions lie on the baseline grid.
  ///
  /// - Parameter properties: returns whether a picture has a caption, and whether it may be cut slightly.
  mutating func putOnGrid(of layout: BookLayout, _ properties: (Int) -> (hasCaption: Bool, mayCut: Bool)) {
    let size = layout.designedPageSize
    let width = size.width * (isSpread ? 2 : 1)
    for (index, cell) in cells(on: size).enumerated() {
      let (hasCaption, mayCut) = properties(cell.picture)
      guard hasCaption, cell.text == nil else { continue }
      let area = layout.onGrid(cell, mayCut: mayCut).area
      slots[index].area =
        UnitRectangle(
          left: area.left / width, top: 1 - (area.bottom + area.height) / size.height, width: area.width / width,
          height: area.height / size.height
        ).rounded
    }
  }

  /// Adds a text next to the pictures.
  ///
  /// - Parameter area: the area in shares of the page.
  mutating func place(_ text: PageText, in area: UnitRectangle, of size: PageSize) {
    let area = area.rounded
    textArea = area
    self.text = text
    self.text?.area = PageRectangle(
      left: area.left * size.width, bottom: (1 - area.bottom) * size.height, width: area.width * size.width,
      height: area.height * size.height)
  }

  /// Returns the pictures with their places on the page, measured from its lower edge.
  func cells(on size: PageSize) -> [DesignedCell] {
    let width = size.width * (isSpread ? 2 : 1)
    func place(_ area: UnitRectangle) -> PageRectangle {
      PageRectangle(
        left: area.left * width, bottom: (1 - area.bottom) * size.height, width: area.width * width,
        height: area.height * size.height)
    }
    return slots.map { slot in
      DesignedCell(
        picture: slot.picture, area: place(slot.area),
        shown: PageRectangle(
          left: slot.crop.left, bottom: 1 - slot.crop.bottom, width: slot.crop.width, height: slot.crop.height),
        text: slot.text.map(place))
    }
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
