import ImageCore

/// An embedded font, with a digest of everything that affects how its text is shown and read.
public struct FontExpectation: Sendable, Hashable {
  /// The name without the subset tag.
  public let name: String
  public let digest: ShortDigest

  public init(_ name: String, digest: ShortDigest) { (self.name, self.digest) = (name, digest) }

  /// Makes the expectation of a composite font (PDF 32000-1:2008, 9.7). Object numbers and compression are ignored.
  ///
  /// - Parameters:
  ///   - program: the uncompressed font file.
  ///   - glyphMap: the uncompressed CIDToGIDMap; empty for none.
  ///   - widths: the default width, followed by the numbers and brackets of the list of widths.
  ///   - toUnicode: the uncompressed map to characters.
  ///   - entries: all other entries of its three dictionaries and of its program's, in the form of `TagDigest`.
  ///   - codeSet: the uncompressed CIDSet.
  public init(
    _ name: String, program: [UInt8], glyphMap: [UInt8], widths: [String], toUnicode: [UInt8], entries: String = "",
    codeSet: [UInt8] = []
  ) {
    var hash = SHA256()
    let widths = Array(widths.joined(separator: " ").utf8)
    for part in [program, glyphMap, widths, toUnicode, Array(entries.utf8), codeSet] {
      hash.update(SHA256.digest(of: part).bytes)
    }
    self.init(name, digest: ShortDigest(hash.finish()))
  }

  /// Returns a width in the form for `widths`.
  public static func width(_ number: Double) -> String { Points.text(number) }
}
