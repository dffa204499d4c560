import BookExpectations
import ImageCore

/// The streams of a page's content, which are one (PDF 32000-1:2008, 7.8.2): programs that rewrite files put them
/// together, with an end of line between two.
struct ContentForm {
  /// The streams, unpacked.
  let parts: [[UInt8]]

  /// The streams, with a line feed between two where the first does not end in one.
  var joined: [UInt8] { joined { $0.last != 10 } }

  /// Returns the digest by which the content is recognized.
  func digest(known: (ShortDigest) -> Bool) -> ShortDigest {
    let own = Self.digest(joined)
    if parts.count < 2 || known(own) { return own }
    // The form that older books use.
    let parted = Self.digest(joined { _ in true })
    return known(parted) ? parted : own
  }

  private static func digest(_ bytes: [UInt8]) -> ShortDigest { ShortDigest(SHA256.digest(of: bytes)) }

  private func joined(_ isParted: ([UInt8]) -> Bool) -> [UInt8] {
    parts.reduce(into: []) { bytes, part in
      if !bytes.isEmpty, isParted(bytes) { bytes.append(10) }
      bytes += part
    }
  }
}
