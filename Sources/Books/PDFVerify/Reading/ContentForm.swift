import BookExpectations
import ImageCore

/// The streams of a page's content, which form one (PDF 32000-1:2008, 7.8.2): programs that rewrite files join them
/// with line ends between them.
struct ContentForm {
  /// The uncompressed streams.
  let parts: [[UInt8]]

  /// The joined streams, with a line feed after each that does not end in one.
  var joined: [UInt8] { joined { $0.last != 10 } }

  /// Returns the digest that identifies the content.
  func digest(known: (ShortDigest) -> Bool) -> ShortDigest {
    let own = Self.digest(joined)
    if parts.count < 2 || known(own) { return own }
    // Older books use the digest of this form.
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
