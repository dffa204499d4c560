import BookExpectations
import ImageCore

/// Compares what a document declares about itself with what it declared when it was written.
struct StatementCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard let meant = document.meant, !document.pages.isEmpty else { return [] }
    let found = document.statements.read()
    return Statements(found: found, meant: meant, packet: document.metadata.packet).faults()
  }
}

private struct Statements {
  let found: DocumentExpectation
  let meant: DocumentExpectation
  /// The XMP metadata; nil if it is missing or cannot be read.
  var packet: XMPForm?

  /// The entries of Info that any program that rewrites a file may change.
  private static let rewriters: Set = ["Producer", "Creator", "ModDate"]
  /// The maximum number of differences of the outline that are reported individually.
  private static let maximumOutline = 8

  func faults() -> [Fault] {
    var faults: [Fault] = []
    let differing = Self.differences(found.info.filter { !Self.rewriters.contains($0.key) }, meant.info)
    faults += differing.map { .document(.info($0.key, found: $0.found, meant: $0.meant)) }
    faults += Self.differences(found.catalogue, meant.catalogue).map {
      .document(.entry($0.key, found: $0.found, meant: $0.meant))
    }
    if found.metadata != meant.metadata {
      faults.append(
        .document(
          .metadata(
            isThere: found.metadata != nil, isMeant: meant.metadata != nil,
            changes: packet.map { InformationAgreement(packet: $0).changes(meant.info) } ?? [])))
    }
    return faults + outline()
  }

  /// Returns the differences in the order of the expected entries, followed by added entries.
  private static func differences(
    _ found: [DocumentExpectation.Entry], _ meant: [DocumentExpectation.Entry]
  ) -> [(key: String, found: String?, meant: String?)] {
    let texts = Dictionary(found.map { ($0.key, $0.text) }, uniquingKeysWith: { first, _ in first })
    let known = Set(meant.map(\.key))
    return meant.filter { texts[$0.key] != $0.text }.map { ($0.key, texts[$0.key], $0.text) }
      + found.filter { !known.contains($0.key) }.map { ($0.key, $0.text, nil) }
  }

  private func outline() -> [Fault] {
    guard found.outline != meant.outline else { return [] }
    if found.outline.isEmpty { return [.document(.outlineMissing)] }
    guard found.outline.count == meant.outline.count else {
      return [.document(.outlineCount(meant.outline.count, actual: found.outline.count))]
    }
    return zip(found.outline, meant.outline).enumerated().filter { $1.0 != $1.1 }
      .prefix(Self.maximumOutline)
      .map { .document(.outlineEntry($0 + 1, found: $1.0, meant: $1.1)) }
  }
}
