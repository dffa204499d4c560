/// Compares the version that a file declares with the features that it uses, and with the version that it had when it
/// was written.
struct HeaderCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    StatedHeader(document.file).faults(meant: document.meant?.version)
  }
}

private struct StatedHeader {
  private let file: PDFFile
  private let header: FileHeader
  /// The catalogue's version, which overrides the header's if it is later (PDF 32000-1:2008, 7.5.2).
  private let catalogued: String?

  init(_ file: PDFFile) {
    self.file = file
    header = FileHeader(file.bytes)
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    catalogued = file.resolve(catalogue["Version"]).name
  }

  /// The effective version: the later of the header's and the catalogue's.
  private var version: StatedVersion? {
    [header.version, catalogued.flatMap { StatedVersion($0) }].compactMap { $0 }.max()
  }

  /// Whether a conforming program has rewritten the file, which changes the second part of its identifier (14.4).
  private var isRewritten: Bool {
    let identifier = (file.resolve(file.trailer["ID"]).array ?? []).map { file.resolve($0) }
    return identifier.count == 2 && identifier[0] != identifier[1]
  }

  /// - Parameter meant: the version that the file had when it was written; nil if unknown.
  func faults(meant: String?) -> [Fault] {
    guard header.version != nil else { return [.header(.unknown(header.text))] }
    if let catalogued, StatedVersion(catalogued) == nil { return [.header(.unknownInCatalogue(catalogued))] }
    guard let version else { return [] }
    if file.needsReferenceStreams, let needed = StatedVersion("1.5"), version < needed {
      return [.header(.tooOld("\(version)"))]
    }
    guard let meant, let written = StatedVersion(meant), version != written, version < written || !isRewritten
    else { return [] }
    // Programs that rewrite files may declare an older version, which readers ignore.
    if version < written { return [.header(.lowered("\(version)", meant: meant))] }
    return [.header(.changed("\(version)", meant: meant))]
  }
}
