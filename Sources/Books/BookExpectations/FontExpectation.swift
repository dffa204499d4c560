import ImageCore

/// An embedded font, and a digest of all by which its text is shown and read.
public struct FontExpectation: Sendable, Hashable {
  /// The name without the tag of a subset.
  public let name: String
  public let digest: ShortDigest

  public init(_ name: String, digest: ShortDigest) { (self.name, self.digest) = (name, digest) }

  /// The expectation of a composite font (PDF 32000-1:2008, 9.7). Objects' numbers and compression do not count.
  ///
  /// - Parameters:
  ///   - program: the font file, unpacked.
  ///   - glyphMap: the CIDToGIDMap, unpacked; empty for none.
  ///   - widths: the default width, then the numbers and brackets of the list of widths.
  ///   - toUnicode: the map to characters, unpacked.
  ///   - entries: all others of its three dictionaries and of its program's, as `TagDigest` has them.
  ///   - codeSet: the CIDSet, unpacked.
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

  /// Returns a width as `widths` has it.
  public static func width(_ number: Double) -> String { Points.text(number) }
}
