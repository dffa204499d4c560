/// What a picture was made of, by the SHA-256 of whole files, so that it can be held against a folder of sources.
public struct PictureSources: Sendable, Hashable {
  /// The file that it began with; nil where its stream is that file, where it began with none, or unknown.
  public var first: SHA256Digest?
  /// Further ones, each once: what was put on it or beside it.
  public var others: [SHA256Digest] = []
  /// Whether a part of it comes from no file: a plain area, or what a plugin drew.
  public var isDrawn = false

  public init(first: SHA256Digest? = nil) { self.first = first }
}
