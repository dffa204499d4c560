/// The source files of a picture, identified by the SHA-256 digests of whole files, for comparison with a folder of
/// sources.
public struct PictureSources: Sendable, Hashable {
  /// The first source file; nil if it is unknown, if there is none, or if the stored stream is that file itself.
  public var first: SHA256Digest?
  /// Further source files without duplicates, such as those of overlays.
  public var others: [SHA256Digest] = []
  /// Whether a part of the picture does not come from a file, such as a plain area, or pixels from a plugin.
  public var isDrawn = false

  public init(first: SHA256Digest? = nil) { self.first = first }
}
