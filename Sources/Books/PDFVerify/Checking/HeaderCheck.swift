/// Holds the version that a file states against what it is made of, and against what it was written as.
struct HeaderCheck {
  private let file: PDFFile
  private let header: FileHeader
  /// The catalogue's, which stands over the header's where it is the later (PDF 32000-1:2008, 7.5.2).
  private let catalogued: String?

  init(_ file: PDFFile) {
    self.file = file
    header = FileHeader(file.bytes)
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    catalogued = file.resolve(catalogue["Version"]).name
  }

  /// What holds.
  private var version: StatedVersion? {
    [header.version, catalogued.flatMap { StatedVersion($0) }].compactMap { $0 }.max()
  }

  /// Whether a program that keeps the rules wrote it anew: the second part of its identifier is another one then
  /// (14.4).
  private var isRewritten: Bool {
    let identifier = (file.resolve(file.trailer["ID"]).array ?? []).map { file.resolve($0) }
    return identifier.count == 2 && identifier[0] != identifier[1]
  }

  /// - Parameter meant: the version it was written as; nil where nobody says.
  func faults(meant: String?) -> [Fault] {
    guard header.version != nil else { return [.header(.unknown(header.text))] }
    if let catalogued, StatedVersion(catalogued) == nil {
      return [.header(.unknownInCatalogue(catalogued))]
    }
    guard let version else { return [] }
    if file.needsReferenceStreams, let needed = StatedVersion("1.5"), version < needed {
      return [.header(.tooOld("\(version)"))]
    }
    guard let meant, let written = StatedVersion(meant), version != written,
      version < written || !isRewritten
    else { return [] }
    // Programs that rewrite files write what they always write, and readers pass over it.
    if version < written { return [.header(.lowered("\(version)", meant: meant))] }
    return [.header(.changed("\(version)", meant: meant))]
  }
}

/// What can be wrong with the version that a file states.
enum HeaderFault: Sendable, Equatable {
  case unknown(String)
  case unknownInCatalogue(String)
  case tooOld(String)
  case changed(String, meant: String)
  case lowered(String, meant: String)
}

extension HeaderFault: CustomStringConvertible {
  var description: String {
    switch self {
    case .unknown(let text):
      "the header states the version \(Fault.quoted(text)), which PDF does not have (1.0 to 1.7, 2.0)"
    case .unknownInCatalogue(let text):
      "the catalogue states the version \(Fault.quoted(text)), which PDF does not have (1.0 to 1.7, 2.0)"
    case .tooOld(let version):
      "the file states PDF \(version), and has a cross-reference stream, which came with PDF 1.5"
    case .changed(let version, let meant):
      "the file states PDF \(version); it was written as PDF \(meant)"
    case .lowered(let version, let meant):
      "the file states PDF \(version), and was written as PDF \(meant); readers pass over that"
    }
  }
}
