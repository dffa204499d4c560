/// The SHA-256 of the files that a picture was made of, so that it can be compared with a folder of sources.
public struct PictureSources: Sendable, Hashable {
  /// The file that it began with; nil if its stream is that file, if it began with none, or unknown.
  public var first: SHA256Digest?
  /// Further files, each once, such as a watermark.
  public var others: [SHA256Digest] = []
  /// Whether a part of it comes from no file: a plain area, or a plugin's drawing.
  public var isDrawn = false

  public init(first: SHA256Digest? = nil) { self.first = first }
}
