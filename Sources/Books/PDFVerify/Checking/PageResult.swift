import BookExpectations

/// A page's report and its faults.
struct PageResult: Sendable {
  var report: PageReport
  var faults: [Fault] = []
  /// The places of the pictures, for comparing with what was expected.
  var places: [AffineMatrix] = []
  /// The parts of the page that its pictures cover, by their numbers, in its units.
  var areas: [Int: PageBox] = [:]
  /// The part that readers show, in the page's units; nil where they turn it, or it is not known.
  var visible: PageBox?
  /// Fonts the page uses.
  var fonts: [FontFacts] = []
  /// The page's text, where texts are required.
  var letters = ""
  var thumbnail: RenderedPixels?
  /// Points to a unit of the page.
  var unit = 1.0
  /// Points; nil where the page has no boxes that could be read.
  var finishedSize: PageSize?
  /// Whether the rest of the page cannot be checked.
  var isGivenUp = false

  /// - Parameter size: points, as readers turn the page.
  init(number: Int, size: PageSize = PageSize(width: 0, height: 0), isStructureChecked: Bool = true) {
    report = PageReport(
      number: number, width: size.width, height: size.height, pictures: [],
      isStructureChecked: isStructureChecked)
  }
}
