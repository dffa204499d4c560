/// Everything that can be wrong with a PDF, by what is wrong. Each kind has a file of its own in this folder, with its
/// facts, their severity and their sentences.
enum Fault: Error, Sendable, Equatable {
  case file(FileFault)
  case encryption(EncryptionFault)
  case table(TableFault)
  case header(HeaderFault)
  /// A fault that readers repair in silence. It is an error where the standard leaves them nothing to repair it by,
  /// and in a book that says how it was written.
  case structure(StructureFault, isError: Bool = false)
  case form(FormFault)
  case linearization(LinearizationFault)
  case poppler(PopplerFault)
  case tree(TreeFault)
  case archive(ArchiveFault)
  case print(PrintFault)
  case document(DocumentFault)
  case expectations(ExpectationsFault)
  case order(OrderFault)
  case page(PageFault)
  case content(ContentFault)
  case tags(TagFault)
  case font(FontFault)
  /// A picture by its number on the page, from 1.
  case picture(Int, PictureFault)
  case writtenPicture(Int, WrittenPictureFault)
  case source(SourceFault)
  case caption(CaptionFault)
  case link(LinkFault)
}

/// One kind of fault.
protocol FaultKind: Sendable, Equatable {
  var severity: Severity { get }
  /// One sentence without its full stop. It does not name the page; the report does.
  var text: String { get }
}

extension Fault: CustomStringConvertible {
  var severity: Severity {
    switch self {
    case .file(let fault): fault.severity
    case .encryption(let fault): fault.severity
    case .table(let fault): fault.severity
    case .header(let fault): fault.severity
    case .structure(_, let isError): isError ? .error : .warning
    case .form(let fault): fault.severity
    case .linearization(let fault): fault.severity
    case .poppler(let fault): fault.severity
    case .tree(let fault): fault.severity
    case .archive(let fault): fault.severity
    case .print(let fault): fault.severity
    case .document(let fault): fault.severity
    case .expectations(let fault): fault.severity
    case .order(let fault): fault.severity
    case .page(let fault): fault.severity
    case .content(let fault): fault.severity
    case .tags(let fault): fault.severity
    case .font(let fault): fault.severity
    case .picture(_, let fault): fault.severity
    case .writtenPicture(_, let fault): fault.severity
    case .source(let fault): fault.severity
    case .caption(let fault): fault.severity
    case .link(let fault): fault.severity
    }
  }

  /// One sentence without its full stop, which does not name the page.
  var text: String {
    switch self {
    case .file(let fault): fault.text
    case .encryption(let fault): fault.text
    case .table(let fault): fault.text
    case .header(let fault): fault.text
    case .structure(let fault, _): fault.text
    case .form(let fault): fault.text
    case .linearization(let fault): fault.text
    case .poppler(let fault): fault.text
    case .tree(let fault): fault.text
    case .archive(let fault): fault.text
    case .print(let fault): fault.text
    case .document(let fault): fault.text
    case .expectations(let fault): fault.text
    case .order(let fault): fault.text
    case .page(let fault): fault.text
    case .content(let fault): fault.text
    case .tags(let fault): fault.text
    case .font(let fault): fault.text
    case .picture(let number, let fault): fault.text(ofPicture: number)
    case .writtenPicture(let number, let fault): fault.text(ofPicture: number)
    case .source(let fault): fault.text
    case .caption(let fault): fault.text
    case .link(let fault): fault.text
    }
  }

  var description: String { text }

  /// The part of the page that it is about, in the page's units, where it knows that itself.
  var area: PageBox? { if case .picture(_, .pixels(_, _, _, _, _, let area)) = self { area } else { nil } }

  /// The picture it is about, by its number on the page; nil for other faults.
  var picture: Int? {
    switch self {
    case .picture(let number, _), .writtenPicture(let number, _): number
    default: nil
    }
  }

  /// Returns its sentence with the file that the picture was made of: `picture 2 (photos/sea.jpg) lies …`.
  ///
  /// - Parameter names: files of the page's pictures; empty where unknown.
  func text(naming names: [String]) -> String {
    guard let number = picture, number > 0, number <= names.count, !names[number - 1].isEmpty
    else { return text }
    // The first picture that a sentence names is the one it is about.
    return text.replacing("picture \(number)", with: "picture \(number) (\(names[number - 1]))", maxReplacements: 1)
  }

  /// Returns the fault as it counts in a book that says how it was written. There, some things are wrong that are
  /// merely unusual in other files.
  func asWritten() -> Fault {
    switch self {
    case .poppler(.message(let text)) where PopplerFault.isError(text): .poppler(.error(text))
    case .structure(let fault, _): .structure(fault, isError: true)
    case .file(.trailing(let count)) where count <= FileFault.toleratedTrailing: .file(.added(count))
    case .archive(.intentMissing(let part)): .archive(.intentLost(part))
    case .archive(.nonconforming(let claim, let reason)): .archive(.lost(claim, reason))
    case .picture(let number, .foreign(let reason)): .page(.notAsWritten("picture \(number): \(reason)"))
    case .content(.empty): .content(.missing)
    case .tags(.untagged): .page(.notAsWritten("it has content that is neither tagged nor an artifact"))
    case .tags(.unowned(let mark)): .page(.notAsWritten("no element of the structure has its MCID \(mark)"))
    default: self
    }
  }
}

/// A document that claims PDF/X and does not conform to it (ISO 15930). A claim is the value of GTS_PDFXVersion.
enum PrintFault: FaultKind {
  /// Carries the claim, a clause, and the part of the standard.
  case nonconforming(String, String, part: String)

  var severity: Severity { .error }

  var text: String {
    switch self {
    case .nonconforming(let claim, let reason, let part):
      "the document claims \(claim) but does not conform: \(reason) (\(part))"
    }
  }
}

/// A linearised file that says wrong things about itself (PDF 32000-1:2008, Annex F).
enum LinearizationFault: FaultKind {
  case wrong(String)
  /// Bytes that were added to the file.
  case lost(Int)

  var severity: Severity {
    switch self {
    case .wrong: .error
    case .lost: .warning
    }
  }

  var text: String {
    switch self {
    case .wrong(let what): "the linearisation dictionary \(what)"
    case .lost(let count):
      "the file is no longer linearised: \(FaultText.count(count, "byte")) "
        + "\(count == 1 ? "was" : "were") added to it"
    }
  }
}

/// A link that is not as it was written, by its number on the page.
enum LinkFault: FaultKind {
  case address(Int, String, meant: String)
  case place(Int, String, actual: [Double], expected: [Double])
  case missing(String)
  case added(String)
  case annotationAdded(String)

  var severity: Severity { .error }

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

/// Pages in another order than they were written; numbers from 1.
enum OrderFault: FaultKind {
  case added
  case copied(Int)
  case swapped(Int)
  /// The number that the page was written with.
  case moved(Int)
  /// Numbers that the pages were written with.
  case lost(ClosedRange<Int>)
  case moreLost(Int)

  var severity: Severity { .error }

  var text: String {
    switch self {
    case .added: "the page was added after the book was written"
    case .copied(let page): "the page is a second copy of page \(page)"
    case .swapped(let page): "the page changed places with page \(page)"
    case .moved(let page): "the page was moved; it was written as page \(page)"
    case .lost(let pages) where pages.count == 1: "page \(pages.lowerBound) is missing"
    case .lost(let pages): "pages \(pages.lowerBound) to \(pages.upperBound) are missing"
    case .moreLost(let count):
      "\(FaultText.count(count, "more page")) \(count == 1 ? "is" : "are") missing"
    }
  }
}

/// A text that a page was written with.
enum CaptionFault: FaultKind {
  case lost(String)
  case place(String)
  /// The text is as it was written, but the page ends before it does.
  case cut(String)
  case outside(String)
  case reads(String, found: String)
  /// Another text of the book is there: one of that page, or of another place on this page where nil.
  case ofOther(String, found: String, page: Int?)

  var severity: Severity { .error }

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

/// A page tree that does not lead to all pages (PDF 32000-1:2008, 7.7.3).
enum TreeFault: FaultKind {
  case noCatalogue
  case noPageTree
  case noPages
  case node(object: Int)
  case pageTwice(object: Int)
  case parent(object: Int, expected: Int)
  case count(object: Int, stated: Int?, actual: Int)

  var severity: Severity { .error }

  var text: String {
    switch self {
    case .noCatalogue: "there is no document catalogue"
    case .noPageTree: "the document catalogue has no page tree"
    case .noPages: "the document has no pages"
    case .node(let object): "the page tree is broken at object \(object)"
    case .pageTwice(let object):
      "the page tree has object \(object) twice; each page must be an object of its own"
    case .parent(let object, let expected):
      "object \(object) of the page tree does not name its parent, object \(expected)"
    case .count(let object, let stated, let actual):
      "object \(object) of the page tree counts \(stated.map { "\($0)" } ?? "no") pages; "
        + "there \(actual == 1 ? "is" : "are") \(actual)"
    }
  }
}

/// A version of PDF that the file states and should not.
enum HeaderFault: FaultKind {
  case unknown(String)
  case unknownInCatalogue(String)
  case tooOld(String)
  case changed(String, meant: String)
  case lowered(String, meant: String)

  var severity: Severity {
    switch self {
    case .lowered: .warning
    case .unknown, .unknownInCatalogue, .tooOld, .changed: .error
    }
  }

  var text: String {
    switch self {
    case .unknown(let version):
      "the header states the version \(FaultText.quoted(version)), which PDF does not have " + "(1.0 to 1.7, 2.0)"
    case .unknownInCatalogue(let version):
      "the catalogue states the version \(FaultText.quoted(version)), which PDF does not have " + "(1.0 to 1.7, 2.0)"
    case .tooOld(let version):
      "the file states PDF \(version) and has a cross-reference stream, which came with PDF 1.5"
    case .changed(let version, let meant):
      "the file states PDF \(version); it was written as PDF \(meant)"
    case .lowered(let version, let meant):
      "the file states PDF \(version) and was written as PDF \(meant); readers ignore that"
    }
  }
}

/// A complaint of poppler's, or a difference between what it reads and what the verifier reads.
enum PopplerFault: FaultKind {
  case refuses(String)
  case message(String)
  /// A message that poppler calls an error, in a book that says how it was written.
  case error(String)
  /// Lines of poppler's that are left out.
  case more(Int)
  case pageCount(own: Int, poppler: Int)

  /// Whether a message of poppler's says that something is wrong.
  static func isError(_ message: String) -> Bool {
    ["Syntax error", "Internal error", "Unknown error"].contains { message.hasPrefix($0) }
  }

  var severity: Severity {
    switch self {
    case .message, .more: .warning
    case .refuses, .error, .pageCount: .error
    }
  }

  var text: String {
    switch self {
    case .refuses(let reason): "poppler cannot open the file: \(reason)"
    case .message(let text), .error(let text): "poppler says: \(text)"
    case .more(let count): "poppler says \(FaultText.count(count, "more line"))"
    case .pageCount(let own, let poppler):
      "poppler counts \(FaultText.count(poppler, "page")); the page tree has \(own)"
    }
  }
}

/// A document that claims PDF/A and does not conform to it (ISO 19005). A part is a number such as 2, a claim a part
/// with its level, such as `2b`.
enum ArchiveFault: FaultKind {
  case intentMissing(Int)
  /// The same in a book that says how it was written.
  case intentLost(Int)
  case identifierMissing(Int)
  case action(String, part: Int)
  case nonconforming(String, String)
  /// The same in a book that says how it was written.
  case lost(String, String)

  var severity: Severity {
    switch self {
    case .intentMissing: .warning
    case .intentLost, .identifierMissing, .action, .nonconforming, .lost: .error
    }
  }

  var text: String {
    switch self {
    case .intentMissing(let part), .intentLost(let part):
      "the document claims PDF/A-\(part) but has no output intent, which says what its colours mean"
    case .identifierMissing(let part):
      "the document claims PDF/A-\(part) but its trailer has no ID, which PDF/A requires"
    case .action(let kind, let part):
      "the page has an action of the kind \(kind), which PDF/A-\(part) forbids"
    case .nonconforming(let claim, let reason):
      "the document claims PDF/A-\(claim) but does not conform: \(reason)"
    case .lost(let claim, let reason):
      "the document no longer conforms to PDF/A-\(claim): \(reason)"
    }
  }
}
