import BookExpectations
import ImageCore

/// Checks what PDF/A requires of the file itself, which programs that rewrite files undo. Clauses are those of
/// ISO 19005-1:2005.
struct ArchiveFileCheck {
  let file: PDFFile
  /// As `1b`.
  let claim: String
  let isFirstPart: Bool
  /// Nil where it cannot be read.
  let packet: XMPForm?

  func faults() -> [Fault] { reasons().map { .archive(.nonconforming(claim, $0)) } }

  private func reasons() -> [String] {
    var reasons: [String] = []
    // 6.1.2, and so in later parts.
    if !FileHeader(file.bytes).isMarkedBinary {
      reasons.append("the header is not followed by a comment of four bytes above 127, which marks the file as binary")
    }
    guard isFirstPart else { return reasons }
    // 6.1.4.
    if file.hasObjectStreams {
      reasons.append("it has object streams, which part 1 forbids")
    } else if file.hasReferenceStreams {
      reasons.append("it has a cross-reference stream, which part 1 forbids")
    }
    // 6.7.3.
    let info = (file.resolve(file.trailer["Info"]).dictionary ?? [:]).compactMapValues { value in
      if case .string(let bytes) = file.resolve(value) { TextString.text(bytes) } else { nil }
    }
    return reasons + (packet.map { InformationAgreement(packet: $0).differences(info) } ?? [])
  }
}
