/// Converts the system's paths to text and back without loss.
///
/// Names may contain bytes that are not UTF-8, which a `String` cannot represent. Each such byte is replaced by a
/// character of the last private use area (U+10FF80 to U+10FFFF), and so is each byte of a real character in that
/// range. All paths in the program are texts in this form: paths from the system, a script or the command line are
/// converted to it, and the functions in PathCalls.swift pass the original bytes to the system. Messages show a byte
/// that is not UTF-8 as `\xe9`, and JSON as `\udce9`, as in Python.
public enum PathBytes {
  /// The difference between a substitute character and its byte.
  private static let distance: UInt32 = 0x10ff00

  /// Returns the text for a path from the system, which is NUL-terminated.
  public static func text(_ path: UnsafePointer<CChar>) -> String {
    if let text = String(validatingCString: path) { return self.text(of: text) }
    return text(UnsafeBufferPointer(start: path, count: strlen(path)).map { UInt8(bitPattern: $0) })
  }

  /// Returns the text for a path from a user or a script.
  public static func text(of path: String) -> String {
    containsMark(path) ? text(Array(path.utf8)) : path
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var result = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var rest = bytes[...]
    while true {
      switch parser.parseScalar(from: &input) {
      case .emptyInput: return String(result)
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        if scalar.value < distance + 0x80 {
          result.append(scalar)
        } else {
          result.append(contentsOf: rest.prefix(encoded.count).map(substitute))
        }
        rest = rest.dropFirst(encoded.count)
      case .error(let length):
        result.append(contentsOf: rest.prefix(length).map(substitute))
        rest = rest.dropFirst(length)
      }
    }
  }

  private static func substitute(_ byte: UInt8) -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(distance + UInt32(byte)) else {
      preconditionFailure("every byte has its character")
    }
    return scalar
  }

  /// Returns the text for a path's bytes.
  public static func text(bytes: some Sequence<UInt8>) -> String { text(Array(bytes)) }

  /// Returns the byte that a substitute character represents; nil for any other character.
  @inlinable
  public static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    scalar.value >= 0x10ff80 ? UInt8(scalar.value - 0x10ff00) : nil
  }

  /// Returns the character for a byte that is not UTF-8; nil for a byte below 128.
  public static func scalar(for byte: UInt8) -> Unicode.Scalar? { byte < 0x80 ? nil : substitute(byte) }

  /// Returns a text for people, with a question mark for each byte that is not UTF-8.
  public static func readable(_ path: String) -> String {
    guard containsMark(path) else { return path }
    return String(String.UnicodeScalarView(path.unicodeScalars.map { byte(of: $0) == nil ? $0 : "?" }))
  }

  /// Calls `body` with the path's original bytes, followed by a zero byte.
  public static func withBytes<Result>(of path: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard containsMark(path) else { return path.withCString(body) }
    return (bytes(of: path) + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
    }
  }

  /// Copies the path's original bytes into memory that the caller frees; wraps `strdup(3)`.
  static func copied(_ path: String) -> UnsafeMutablePointer<CChar>? { withBytes(of: path) { strdup($0) } }

  /// Returns whether a path may have substitute characters: whether it contains the byte with which their UTF-8 begins.
  public static func containsMark(_ path: String) -> Bool {
    path.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0xf4, bytes.count) != nil } ?? false
    } ?? path.utf8.contains(0xf4)
  }

  /// Returns the path's original bytes.
  public static func bytes(of path: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in path.unicodeScalars {
      if scalar.value >= distance + 0x80 {
        bytes.append(UInt8(scalar.value - distance))
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar)!)
      }
    }
    return bytes
  }
}
