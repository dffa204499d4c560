/// The reason why a JPEG of 12 bits cannot be decoded.
public enum ExtendedFault: Error, Sendable, Equatable {
  /// The file ends before its picture does.
  case truncated
  case damaged(String)
  case unsupported(String)
  /// The file cannot be read.
  case unreadable
}
