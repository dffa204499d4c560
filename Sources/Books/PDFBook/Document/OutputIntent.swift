import BookExpectations
import ImageCore

/// The output intent of a PDF/A file (PDF 32000-1:2008, 14.11.5): sRGB.
enum OutputIntent {
  private static let names = [("Type", "OutputIntent"), ("S", "GTS_PDFA1")]
  private static let texts = [
    ("OutputConditionIdentifier", "sRGB IEC61966-2.1"), ("Info", "sRGB IEC61966-2.1"),
    ("RegistryName", "http://www.color.org"),
  ]

  /// The entries without the profile.
  static var entries: String { names.map { "/\($0)/\($1)" }.joined() + texts.map { "/\($0)(\($1))" }.joined() }

  /// The output intent that `imghost-verify` checks.
  static var expectation: String {
    DocumentExpectation.outputIntent(
      names.map { ($0, "/" + $1) } + texts.map { ($0, TagDigest.text($1)) },
      profile: ShortDigest(SHA256.digest(of: SRGBProfile.bytes)))
  }
}
