import BookExpectations

/// A page's report, its faults, and the facts that later checks need.
struct PageResult: Sendable {
  var report: PageReport
  var faults: [Fault] = []
  /// The places of the pictures, to be compared with the expected ones.
  var places: [AffineMatrix] = []
  /// The areas of the page that its pictures cover, by the pictures' numbers, in the page's units.
  var areas: [Int: PageBox] = [:]
  /// The visible part of the page, in its units; nil if readers rotate the page, or if the part is unknown.
  var visible: PageBox?
  var fonts: [FontFacts] = []
  /// The letters of the page's text; empty unless texts are required or reported.
  var letters = ""
  var thumbnail: RenderedPixels?
  /// The size of the page's unit in points.
  var unit = 1.0
  /// The size of the finished page in points; nil if the page's boxes or its UserUnit are invalid.
  var finishedSize: PageSize?
  /// Whether the remaining checks of the page are skipped.
  var isGivenUp = false

  /// - Parameter size: the size in points, after the rotation that readers apply.
  init(number: Int, size: PageSize = PageSize(width: 0, height: 0), isStructureChecked: Bool = true) {
    report = PageReport(
      number: number, width: size.width, height: size.height, pictures: [],
      isStructureChecked: isStructureChecked)
  }
}
