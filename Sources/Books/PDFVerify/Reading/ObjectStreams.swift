import Synchronization

/// The objects inside object streams (PDF 32000-1:2008, 7.5.7). The streams that were read most recently stay
/// uncompressed in memory.
final class ObjectStreams: Sendable {
  /// One uncompressed stream.
  final class Contents: Sendable {
    private let bytes: [UInt8]
    /// The approximate memory of the stream, in bytes.
    var size: Int { bytes.count + places.count * 40 }
    /// Offsets of objects, by their numbers.
    let places: [Int: Int]

    /// Reads the table at the start of the stream; nil if its numbers are invalid.
    init?(_ bytes: [UInt8], _ entries: [String: PDFValue]) {
      guard let count = entries["N"]?.integer, let first = entries["First"]?.integer,
        count >= 0, first >= 0, first <= bytes.count, count <= bytes.count
      else { return nil }
      var places: [Int: Int] = [:]
      let isWhole = bytes.withUnsafeBytes { bytes in
        var lexer = PDFLexer(UnsafeRawBufferPointer(rebasing: bytes[..<first]))
        for _ in 0..<count {
          guard let number = lexer.integer(), let offset = lexer.integer(), offset >= 0, offset < bytes.count - first
          else { return false }
          places[number] = first + offset
        }
        return true
      }
      guard isWhole else { return nil }
      self.bytes = bytes
      self.places = places
    }

    func value(_ number: Int, _ generations: [Int: Int]) -> PDFValue? { read(number, generations)?.value }

    /// Returns an object's value, and the key of an entry that occurs twice in one of its dictionaries.
    func read(_ number: Int, _ generations: [Int: Int]) -> (value: PDFValue, doubledKey: String?)? {
      guard let place = places[number] else { return nil }
      return bytes.withUnsafeBytes { bytes in
        var lexer = PDFLexer(bytes, at: place, generations: generations)
        return lexer.value().map { ($0, lexer.doubledKey) }
      }
    }
  }

  private struct Kept {
    var contents: [Int: Contents] = [:]
    var order: [Int] = []
    var bytes = 0
  }
  private let kept = Mutex(Kept())
  /// The maximum number of streams that are kept. Streams written by imghost contain a few hundred small objects each.
  private static let maximumKept = 8
  /// The maximum number of bytes of all kept streams.
  private static let maximumBytes = 64 << 20

  /// Returns the contents of a stream. `load` reads the stream if it is not in memory.
  func contents(of stream: Int, load: () -> Contents?) -> Contents? {
    if let known = kept.withLock({ $0.contents[stream] }) { return known }
    guard let contents = load() else { return nil }
    kept.withLock { kept in
      guard kept.contents[stream] == nil else { return }
      kept.bytes += contents.size
      while !kept.order.isEmpty, kept.order.count == Self.maximumKept || kept.bytes > Self.maximumBytes {
        let oldest = kept.contents.removeValue(forKey: kept.order.removeFirst())
        kept.bytes -= oldest?.size ?? 0
      }
      kept.contents[stream] = contents
      kept.order.append(stream)
    }
    return contents
  }
}
