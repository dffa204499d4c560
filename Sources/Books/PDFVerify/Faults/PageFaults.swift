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

/// A page's content that is damaged, malformed or changed.
enum ContentFault: FaultKind {
  case missing
  /// The page declares that it has no content.
  case empty
  case filter(String)
  case damaged
  case malformed(at: Int)
  case unknownOperator(String)
  case unbalanced(String, String, Int)
  case operands(String)
  case outsideText(String)
  case marksCrossText
  /// The content exceeds a limit for rendering with poppler.
  case limit(String)
  /// `q` is nested more deeply than readers are required to support.
  case deepNesting(Int)
  case missingResource(String)
  case changed
  case ofPage(Int)

  var severity: Severity {
    switch self {
    case .empty: .note
    case .filter, .deepNesting: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .missing: "the page's content is missing"
    case .empty: "the page has no content"
    case .filter(let name): "the page's content is compressed with \(name) and was not checked"
    case .damaged: "the page's compressed content is damaged"
    case .malformed(let offset): "the page's content is malformed at its byte \(offset)"
    case .unknownOperator(let name): "the page's content has the unknown operator '\(name)'"
    case .unbalanced(let first, let second, let count):
      "the page's content has \(count) '\(first)' without '\(second)'"
    case .operands(let name):
      "the page's content gives the operator '\(name)' operands it does not take"
    case .outsideText(let name): "the page's content has '\(name)' outside 'BT' and 'ET'"
    case .marksCrossText:
      "the page's content has marks that begin outside a text object and end inside it"
    case .limit(let what): "the page was not rendered: its content \(what)"
    case .deepNesting(let depth):
      "the page's content nests 'q' \(depth) deep; readers need not support more than 28"
    case .missingResource(let name): "the page draws '\(name)', which its resources do not have"
    case .changed: "the page's content was changed after it was written"
    case .ofPage(let page): "the page has the content meant for page \(page)"
    }
  }
}

/// A fault of a font. Its string is the font's name in the page's resources, or in the font itself.
enum FontFault: FaultKind {
  case missing(String)
  case notAFont(String)
  case standard(String)
  case notEmbedded(String)
  case notEmbeddedInArchive(String, part: Int)
  case damaged(String, String)
  case notSearchable(String)
  case changed(String)
  case added(String)
  case lost(String)

  var severity: Severity {
    switch self {
    case .standard: .note
    case .notSearchable: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .missing(let name):
      "the page sets text in font '\(name)', which its resources do not have"
    case .notAFont(let name): "the page's font '\(name)' is not a font"
    case .standard(let name):
      "the font \(name) is not embedded; readers use their own, or a similar one"
    case .notEmbedded(let name): "the font \(name) is not embedded; readers may show another"
    case .notEmbeddedInArchive(let name, let part):
      "the font \(name) is not embedded, which PDF/A-\(part) requires"
    case .damaged(let name, let reason): "the font \(name) cannot be used: \(reason)"
    case .notSearchable(let name):
      "text in the font \(name) cannot be searched: the font has no map from glyphs to characters (ToUnicode)"
    case .changed(let name): "the font \(name) is not as it was written"
    case .added(let name): "the book was written without the font \(name)"
    case .lost(let name): "the font \(name), which the book was written with, is no longer used"
    }
  }
}

/// A fault in the structure of a tagged document, or in one page's tags (PDF 32000-1:2008, 14.7 and 14.8).
enum TagFault: FaultKind {
  case broken(String)
  case pageBroken(String)
  /// The number of figures without alternative text, and the page of the first one; 0 if unknown.
  case noAlternative(Int, page: Int)
  /// A difference from the tags that the book should have, in elements outside pages.
  case structure(String)
  /// A difference from the tags that the page should have.
  case changed
  /// The page's tags follow those of the given page, or come first if it is nil, but were written in another place.
  case order(after: Int?)
  /// Marked content that belongs to no element.
  case unowned(Int)
  case untagged
  /// A wrong alternative text of a picture, given by its number on the page.
  case alternative(Int, expected: String, found: String?)

  var severity: Severity {
    switch self {
    case .noAlternative, .unowned, .untagged: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .broken(let reason): "the structure of the tagged document is broken: \(reason)"
    case .pageBroken(let reason): "the page's part of the structure is broken: \(reason)"
    case .noAlternative(1, let page):
      "a figure\(page > 0 ? " on page \(page)" : "") has no alternative text"
    case .noAlternative(let count, let page):
      "\(count) figures have no alternative text" + (page > 0 ? ", the first on page \(page)" : "")
    case .structure(let reason): "the structure of tags is not as it was written: \(reason)"
    case .changed:
      "the page's tags are not as they were written: types, order, texts or places of their elements"
    case .order(let page?):
      "the page's tags come after those of page \(page); they were written elsewhere"
    case .order(nil): "the page's tags come first; they were written elsewhere"
    case .unowned(let mark): "no element of the structure has the page's MCID \(mark)"
    case .untagged: "the page has content that is neither tagged nor an artifact"
    case .alternative(let number, let expected, nil):
      "the alternative text \(FaultText.quoted(expected)) of picture \(number) is missing"
    case .alternative(let number, let expected, let found?):
      "the alternative text of picture \(number) is \(FaultText.quoted(found)) instead of " + FaultText.quoted(expected)
    }
  }
}

/// A fault of a text on a page with expectations.
enum CaptionFault: FaultKind {
  case lost(String)
  case place(String)
  /// The text is as written, but extends beyond the page.
  case cut(String)
  case outside(String)
  case reads(String, found: String)
  /// Another text of the book is in the expected place. `page` is where that text belongs; nil for another place on
  /// this page.
  case ofOther(String, found: String, page: Int?)

  var text: String {
    switch self {
    case .lost(let text): "the text \(FaultText.quoted(text)) is missing"
    case .place(let text): "the text \(FaultText.quoted(text)) is not where it was put"
    case .cut(let text): "the page's edge cuts the text \(FaultText.quoted(text))"
    case .outside(let text): "the text \(FaultText.quoted(text)) lies outside what the page shows"
    case .reads(let text, let found):
      "the text \(FaultText.quoted(text)) reads \(FaultText.quoted(found))"
    case .ofOther(let text, let found, let page):
      "where the text \(FaultText.quoted(text)) should be is \(FaultText.quoted(found)), which belongs "
        + (page.map { "on page \($0)" } ?? "elsewhere on this page")
    }
  }
}

/// A difference between a page's links and those that were written, or an added annotation of another kind. Numbers are
/// those of the written links on the page, from 1.
enum LinkFault: FaultKind {
  case address(Int, String, meant: String)
  case place(Int, String, actual: [Double], expected: [Double])
  case missing(String)
  case added(String)
  case annotationAdded(String)

  var text: String {
    switch self {
    case .address(let number, let target, let meant):
      "link \(number) leads to \(FaultText.quoted(target)); it was written to lead to " + FaultText.quoted(meant)
    case .place(let number, let address, let actual, let expected):
      "link \(number) to \(FaultText.quoted(address)) lies at \(FaultText.place(actual)) instead of "
        + FaultText.place(expected)
    case .missing(let address): "the link to \(FaultText.quoted(address)) is missing"
    case .added(let target): "the link to \(FaultText.quoted(target)) was added"
    case .annotationAdded(let kind):
      "the page was written without an annotation of the kind \(kind)"
    }
  }
}
