import BookExpectations
import ImageCore

/// Holds what a document says about itself against what it was written to say.
struct DocumentCheck {
  let found: DocumentExpectation
  let meant: DocumentExpectation
  /// What the XMP metadata say; nil where there are none, or they cannot be read.
  var packet: XMPForm?

  /// Entries of Info that whatever rewrites a file may set.
  private static let rewriters: Set = ["Producer", "Creator", "ModDate"]
  /// Differences of the outline that are told one by one.
  private static let maximumOutline = 8

  func run() -> [Fault] {
    var faults: [Fault] = []
    let differing = Self.differences(
      found.info.filter { !Self.rewriters.contains($0.key) }, meant.info)
    faults += differing.map { .documentInfo($0.key, found: $0.found, meant: $0.meant) }
    let catalogue = found.catalogue.filter {
      (meant.fonts != nil || !DocumentExpectation.newerKeys.contains($0.key))
        && (meant.knowsTags || !DocumentExpectation.newestKeys.contains($0.key))
    }
    faults += Self.differences(catalogue, meant.catalogue).map {
      .documentEntry($0.key, found: $0.found, meant: $0.meant)
    }
    if found.metadata != meant.metadata {
      faults.append(
        .documentMetadata(
          isThere: found.metadata != nil, isMeant: meant.metadata != nil,
          changes: packet.map { InformationAgreement(packet: $0).changes(meant.info) } ?? []))
    }
    return faults + outline()
  }

  /// In the order they were meant, then what was added.
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
    if found.outline.isEmpty { return [.outlineMissing] }
    guard found.outline.count == meant.outline.count else {
      return [.outlineCount(meant.outline.count, actual: found.outline.count)]
    }
    return zip(found.outline, meant.outline).enumerated().filter { $1.0 != $1.1 }
      .prefix(Self.maximumOutline)
      .map { .outlineEntry($0 + 1, found: $1.0, meant: $1.1) }
  }
}
