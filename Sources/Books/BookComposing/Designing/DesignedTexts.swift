import BookDesign
import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits

/// The fixed pages of a design and the texts of its pages, which are measured before the design is made.
struct DesignedTexts {
  /// A page that the design must not change.
  struct Fixed {
    /// The page, with only those of its pictures that can be in the book.
    var page: DeclaredPage
    var text: PageText?
    /// The height of the text above the pictures with the space below it, in points; 0 for none.
    var textHeight = 0.0
    /// The page's index among the pages that the script declared; nil for a page with the opener of a section.
    var declared: Int?
  }

  private(set) var fixed: [Fixed] = []
  private(set) var sections: [Range<Int>] = []
  /// The texts above the first pictures of sections; nil for none.
  private(set) var openers: [PageText?] = []
  /// The heights of the texts in `openers` with the space below them, in points; 0 for none.
  private(set) var heights: [Double] = []

  private let layout: BookLayout
  private let size: PageSize
  private let width: Double
  private var layouter = LateLayouter()

  /// - Parameters:
  ///   - layout: the layout, which has the sizes of the texts.
  ///   - width: the width of the content area in points.
  init(_ sequence: BookSequence, _ layout: BookLayout, width: Double) throws(PDFError) {
    (self.layout, self.width) = (layout, width)
    size = layout.designedPageSize
    for section in sequence.sections { try add(section, sequence) }
  }

  private mutating func add(_ section: BookSequence.Section, _ sequence: BookSequence) throws(PDFError) {
    let opener = section.chapter.map(BookSequence.opener)
    var isOpened = false
    var range: Range<Int>?
    for part in section.parts {
      switch part {
      case .pictures(let pictures):
        range = (range?.lowerBound ?? pictures.lowerBound)..<pictures.upperBound
      case .page(let index, let pictures):
        if range == nil, !isOpened, let opener {
          var page = DeclaredPage(pictures: pictures.lowerBound..<pictures.lowerBound)
          page.group = section.group
          fixed.append(Fixed(page: page, text: opener))
          isOpened = true
        }
        if !pictures.isEmpty { range = (range?.lowerBound ?? pictures.lowerBound)..<pictures.upperBound }
        try add(sequence, index, pictures)
      }
    }
    guard let range else { return }
    sections.append(range)
    openers.append(isOpened ? nil : opener)
    heights.append(isOpened ? 0 : try opener.map { (text) throws(PDFError) in try height(of: text) } ?? 0)
  }

  private mutating func add(_ sequence: BookSequence, _ index: Int, _ pictures: Range<Int>) throws(PDFError) {
    var page = sequence.pages[index]
    let text = page.hasText ? sequence.texts[index] : nil
    if pictures.count != page.pictures.count {
      // If a picture is lost, a template or slots for all pictures no longer fit.
      (page.template, page.slots, page.textArea, page.isSpread) = (nil, [], nil, false)
    }
    page.pictures = pictures
    var made = Fixed(page: page, text: text, declared: index)
    if let text, !pictures.isEmpty, page.textArea == nil { made.textHeight = try height(of: text) }
    fixed.append(made)
  }

  /// The space between a text and the pictures below it, as a multiple of the text's line height.
  private static let spaceBelow = 1.5

  private mutating func height(of text: PageText) throws(PDFError) -> Double {
    try height(of: text, width: width) + spaceBelow
  }

  private mutating func height(of text: PageText, width: Double) throws(PDFError) -> Double {
    try layout.height(of: text, width: width, on: size, with: layouter.ready())
  }

  private var spaceBelow: Double { Self.spaceBelow * (layout.type ?? PageType(on: size)).baseline }

  /// The space between a text's area and the pictures, in points, as a reserve for rounding.
  private static let slack = 0.5

  /// Returns the place of a text at the top of a page, in shares of the page.
  ///
  /// The text begins at the left edge of the pictures below it, unless it would then take more lines, or have less than
  /// a quarter of the width.
  ///
  /// - Parameters:
  ///   - height: the text's height with the space below it.
  ///   - block: the left and right edges of the pictures, in points.
  mutating func place(
    of text: PageText, height: Double, above block: ClosedRange<Double>, on paper: DesignPaper, page: Int
  ) throws(PDFError) -> UnitRectangle {
    let (left, lines) = (paper.leftMargin(of: page), height - spaceBelow)
    var best = (left: left, width: width)
    for right in [block.upperBound, left + width] {
      let room = right - block.lowerBound
      guard block.lowerBound > left, room > width / 4, try self.height(of: text, width: room) <= lines + 0.01 else {
        continue
      }
      best = (block.lowerBound, room)
      break
    }
    return UnitRectangle(
      left: best.left / size.width, top: paper.margins.top / size.height, width: best.width / size.width,
      height: (height - Self.slack) / size.height)
  }
}
