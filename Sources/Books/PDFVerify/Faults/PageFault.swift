/// A fault of a page's entries or size.
enum PageFault: FaultKind {
  case mediaBox(String)
  case cropBox
  /// A UserUnit and the resulting size of the page in points. `meant` is nil if no size is expected.
  case userUnit(Double, PageSize, meant: PageSize?)
  /// The page's Rotate; nil if it is not a number.
  case rotation(Double?)
  case box(String, String)
  case blank
  /// The memory in bytes that rendering would take.
  case memory(Int, limit: Int)
  /// The memory in bytes that rendering at full scale would take. The page was compared at a reduced scale.
  case scaled(Int, limit: Int)
  case notAsWritten(String)
  /// Sizes in points; `unit` is the number of points per unit of the page.
  case size(PageSize, actual: PageSize, unit: Double)
  /// The TrimBox followed by the BleedBox; empty if missing.
  case boxes([Double], actual: [Double])
  case pictureCount(Int, actual: Int)

  var severity: Severity {
    switch self {
    case .blank: .warning
    case .userUnit(_, _, let meant): meant == nil ? .warning : .error
    case .scaled: .note
    default: .error
    }
  }

  var text: String {
    switch self {
    case .mediaBox(let reason): "the MediaBox \(reason)"
    case .cropBox: "the CropBox is not a rectangle inside the MediaBox"
    case .userUnit(let unit, let size, let meant):
      "the page's UserUnit \(unit == 1 ? "is missing" : "is " + FaultText.number(unit, decimals: 4)), "
        + "which makes it \(size.text) points"
        + (meant.map { " instead of " + $0.text } ?? "; without one, sides end at 14,400")
    case .rotation(let degrees):
      "the page's Rotate is \(degrees.map { FaultText.number($0, decimals: 2) } ?? "not a number"); "
        + "it must be a multiple of 90"
    case .box(let name, let reason): "the \(name) \(reason)"
    case .blank: "the page is blank"
    case .memory(let bytes, let limit):
      "the page was not compared: rendering it takes about \(FaultText.megabytes(bytes)), and "
        + "\(FaultText.megabytes(limit)) may be used; allow more with --memory"
    case .scaled(let bytes, let limit):
      "the page was compared at a smaller scale: at its pictures' own scale, rendering takes about "
        + "\(FaultText.megabytes(bytes)), and \(FaultText.megabytes(limit)) may be used"
    case .notAsWritten(let what): "the page is not as it was written: \(what)"
    case .size(let size, let actual, let unit):
      "the page is \(actual.text) points instead of \(size.text)"
        + FaultText.cause(unit, meant: max(size.width, size.height))
    case .boxes([], let actual):
      "there are a TrimBox and a BleedBox, \(Self.boxes(actual)); the page was written without"
    case .boxes(let expected, []):
      "the TrimBox and the BleedBox are missing; they were written as \(Self.boxes(expected))"
    case .boxes(let expected, let actual):
      "the TrimBox and the BleedBox are \(Self.boxes(actual)) instead of \(Self.boxes(expected))"
    case .pictureCount(let count, let actual):
      "the page shows \(FaultText.count(actual, "picture")) instead of \(count)"
    }
  }

  private static func boxes(_ boxes: [Double]) -> String {
    "\(FaultText.place(Array(boxes[..<4]))) and \(FaultText.place(Array(boxes[4...])))"
  }
}
