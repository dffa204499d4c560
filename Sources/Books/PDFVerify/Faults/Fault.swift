/// A fault of a PDF. Each kind is an enum in this folder, which defines its facts, severities and sentences.
enum Fault: Error, Sendable, Equatable {
  case file(FileFault)
  case encryption(EncryptionFault)
  case table(TableFault)
  case header(HeaderFault)
  /// A fault that readers repair silently. It is an error if the standard does not define the repair, or if the file is
  /// a book with expectations.
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
  /// A fault of the picture with this number on the page, from 1.
  case picture(Int, PictureFault)
  case writtenPicture(Int, WrittenPictureFault)
  case source(SourceFault)
  case caption(CaptionFault)
  case link(LinkFault)
}

/// One kind of fault.
protocol FaultKind: Sendable, Equatable {
  /// The severity; an error by default.
  var severity: Severity { get }
  /// One sentence without its full stop. The report adds the page number.
  var text: String { get }
}

extension FaultKind {
  var severity: Severity { .error }
}

extension Fault: CustomStringConvertible {
  /// The fault as its kind; nil for faults of the structure and of pictures, which `severity` and `text` handle
  /// separately.
  private var kind: (any FaultKind)? {
    switch self {
    case .file(let fault): fault
    case .encryption(let fault): fault
    case .table(let fault): fault
    case .header(let fault): fault
    case .form(let fault): fault
    case .linearization(let fault): fault
    case .poppler(let fault): fault
    case .tree(let fault): fault
    case .archive(let fault): fault
    case .print(let fault): fault
    case .document(let fault): fault
    case .expectations(let fault): fault
    case .order(let fault): fault
    case .page(let fault): fault
    case .content(let fault): fault
    case .tags(let fault): fault
    case .font(let fault): fault
    case .source(let fault): fault
    case .caption(let fault): fault
    case .link(let fault): fault
    case .structure, .picture, .writtenPicture: nil
    }
  }

  var severity: Severity {
    switch self {
    case .structure(_, let isError): isError ? .error : .warning
    case .picture(_, let fault): fault.severity
    case .writtenPicture(_, let fault): fault.severity
    default: kind!.severity
    }
  }

  /// One sentence without its full stop. The report adds the page number.
  var text: String { text(naming: []) }

  var description: String { text }

  /// The affected area of the page, in the page's units; nil if the fault does not record it.
  var area: PageBox? { if case .picture(_, .pixels(_, _, _, _, _, let area)) = self { area } else { nil } }

  /// The number of the affected picture on the page; nil for other faults.
  var picture: Int? {
    switch self {
    case .picture(let number, _), .writtenPicture(let number, _): number
    default: nil
    }
  }

  /// Returns the sentence, with the picture's source file: `picture 2 (photos/sea.jpg) lies …`.
  ///
  /// - Parameter names: the files of the page's pictures, in drawing order; an empty name for an unknown file.
  func text(naming names: [String]) -> String {
    func file(_ number: Int) -> String? {
      number > 0 && number <= names.count && !names[number - 1].isEmpty ? names[number - 1] : nil
    }
    return switch self {
    case .structure(let fault, _): fault.text
    case .picture(let number, let fault): fault.text(ofPicture: number, from: file(number))
    case .writtenPicture(let number, let fault): fault.text(ofPicture: number, from: file(number))
    default: kind!.text
    }
  }

  /// Returns the fault as it counts in a book with expectations, where some faults are errors that are only warnings or
  /// notes in other files.
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

/// The severity of a fault.
public enum Severity: String, Sendable, Hashable {
  /// The PDF is wrong.
  case error
  /// Something is unusual or could not be checked.
  case warning
  /// Nothing is wrong; the finding is only for information.
  case note
}
