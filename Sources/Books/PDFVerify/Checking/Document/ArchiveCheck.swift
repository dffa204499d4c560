import BookExpectations
import ImageCore

/// Checks whether a document that claims PDF/A meets the standard's requirements for colours and for the file itself.
struct ArchiveCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    let (file, metadata) = (document.file, document.metadata)
    guard let part = metadata.archivalPart else { return [] }
    let claim = metadata.archivalClaim
    let files = ArchiveFileCheck(file: file, claim: claim, isFirstPart: part == 1, packet: metadata.packet)
    return ArchiveEntries(file: file, part: part).faults(document.catalogue) + files.faults()
      + (document.isDecrypted ? [.archive(.nonconforming(claim, "it is encrypted, which PDF/A forbids"))] : [])
  }
}

/// Checks that the page has no action that PDF/A forbids.
struct ArchiveActionCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let part = page.document.metadata.archivalPart else { return }
    result.faults += ArchiveEntries(file: page.file, part: part).faults(page: page.entries)
  }
}

/// Dictionary entries that every part of PDF/A requires or forbids.
private struct ArchiveEntries {
  let file: PDFFile
  let part: Int

  /// The kinds of actions that are forbidden (ISO 19005-1:2005, 6.6.1).
  private static let forbidden: Set = ["Launch", "Sound", "Movie", "ResetForm", "ImportData", "JavaScript"]

  /// Returns the document's faults. The output intent defines the meaning of device colours (6.2.2).
  func faults(_ catalogue: [String: PDFValue]) -> [Fault] {
    let intents = file.resolve(catalogue["OutputIntents"]).array ?? []
    let hasIntent = intents.contains { value in
      let intent = file.resolve(value).dictionary ?? [:]
      return file.resolve(intent["S"]).name == "GTS_PDFA1"
        && intent["DestOutputProfile"]?.reference.flatMap(file.object)?.stream != nil
    }
    // Clause 6.1.3 of all parts.
    let identifier = file.resolve(file.trailer["ID"]).array
    return (hasIntent ? [] : [.archive(.intentMissing(part))])
      + (identifier?.count == 2 ? [] : [.archive(.identifierMissing(part))])
  }

  /// Returns the faults of a page and its annotations.
  func faults(page entries: [String: PDFValue]) -> [Fault] {
    var kinds = actions(entries)
    for value in file.resolve(entries["Annots"]).array ?? [] {
      kinds.formUnion(actions(file.resolve(value).dictionary ?? [:]))
    }
    return kinds.sorted().map { .archive(.action($0, part: part)) }
  }

  private func actions(_ entries: [String: PDFValue]) -> Set<String> {
    var kinds: Set<String> = []
    let additional = file.resolve(entries["AA"]).dictionary ?? [:]
    for value in [entries["A"] ?? .null] + additional.sorted(by: { $0.key < $1.key }).map(\.value) {
      var next = value
      // Actions form chains (PDF 32000-1:2008, 12.6.2).
      for _ in 0..<16 {
        guard let action = file.resolve(next).dictionary else { break }
        if let kind = file.resolve(action["S"]).name, Self.forbidden.contains(kind) { kinds.insert(kind) }
        next = action["Next"] ?? .null
      }
    }
    return kinds
  }
}

/// Checks PDF/A's requirements for the file itself, which programs that rewrite files often violate. Clauses are those
/// of ISO 19005-1:2005.
struct ArchiveFileCheck {
  let file: PDFFile
  /// The claimed conformance, such as `1b`.
  let claim: String
  let isFirstPart: Bool
  /// The XMP packet; nil if it cannot be read.
  let packet: XMPForm?

  func faults() -> [Fault] { reasons().map { .archive(.nonconforming(claim, $0)) } }

  private func reasons() -> [String] {
    var reasons: [String] = []
    // Clause 6.1.2 of all parts.
    if !FileHeader(file.bytes).isMarkedBinary {
      reasons.append("the header is not followed by a comment of four bytes above 127, which marks the file as binary")
    }
    guard isFirstPart else { return reasons }
    // Clause 6.1.4.
    if file.hasObjectStreams {
      reasons.append("it has object streams, which part 1 forbids")
    } else if file.hasReferenceStreams {
      reasons.append("it has a cross-reference stream, which part 1 forbids")
    }
    // Clause 6.7.3.
    let info = (file.resolve(file.trailer["Info"]).dictionary ?? [:]).compactMapValues { file.text($0) }
    return reasons + (packet.map { InformationAgreement(packet: $0).differences(info) } ?? [])
  }
}
