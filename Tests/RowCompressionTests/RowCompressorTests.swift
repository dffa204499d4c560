import CZlib
import ImageCore
import RowCompression
import TestSupport
import Testing

/// zlib inflates the compressed rows, and the stream depends neither on the batches of rows nor on the workers.
@Suite struct RowCompressorTests {
  /// Gray rows.
  struct Content: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let width: Int
    let bytes: [UInt8]

    var height: Int { bytes.count / width }
  }

  static let contents: [Content] = {
    var random = SplitMix(20_261_123)
    let noise = (0..<600_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let letters = (0..<400_000).map { $0 % 97 < 10 ? UInt8(truncatingIfNeeded: $0 % 97 * 31) : 0 }
    return [
      Content(testDescription: "one sample", width: 1, bytes: [7]),
      Content(
        testDescription: "zeros", width: 500, bytes: [UInt8](repeating: 0, count: 300_000)),
      Content(testDescription: "noise", width: 777, bytes: Array(noise[..<(777 * 700)])),
      Content(
        testDescription: "slopes", width: 3_000,
        bytes: (0..<900_000).map { UInt8(truncatingIfNeeded: $0 / 7) }),
      Content(
        testDescription: "letters and noise", width: 1_000,
        bytes: letters + noise[..<270_000] + letters),
      // Longer than a piece.
      Content(testDescription: "long rows", width: 200_000, bytes: Array(noise)),
    ]
  }()

  private static let efforts: [RowCompressor.Effort] = [.chosen, .level(0), .level(1), .level(9)]

  @Test(arguments: contents, efforts)
  func zlibInflatesIt(_ content: Content, _ effort: RowCompressor.Effort) throws {
    for kind in [RowFilter.Kind.none, nil] {
      let filter = Self.filter(content, kind)
      var expected = [UInt8](repeating: 0, count: filter.filteredByteCount * content.height)
      filter.filter(content.height, from: content.bytes, stride: content.width, above: nil, into: &expected)
      let made = try Self.compressed(content, filter, effort, atOnce: content.height, .serial)
      #expect(Self.inflated(made, expected.count) == expected)
    }
  }

  @Test(arguments: contents, efforts)
  func bytesFollowFromTheRows(_ content: Content, _ effort: RowCompressor.Effort) throws {
    let filter = Self.filter(content, nil)
    let made = try Self.compressed(content, filter, effort, atOnce: content.height, .serial)
    for atOnce in [1, 7, 100] {
      for parallelism in [1, 2, 3, 40] {
        let context = Self.backwards(parallelism)
        let other = try Self.compressed(content, filter, effort, atOnce: atOnce, context)
        #expect(other == made, "\(atOnce) rows, \(parallelism) workers")
      }
    }
  }

  /// Noise is compressed by runs only, and repetitions with level 4, also across the ends of pieces.
  @Test func effortIsChosen() throws {
    let content = Self.contents[4]
    let letters = Content(testDescription: "letters", width: 1_000, bytes: Array(content.bytes[..<400_000]))
    let filter = Self.filter(letters, .some(.none))
    let chosen = try Self.compressed(letters, filter, .chosen, atOnce: 9, .serial)
    let usual = try Self.compressed(letters, filter, .level(4), atOnce: 9, .serial)
    #expect(chosen == usual)
    // The same noise again and again, which only runs are looked for in.
    let noise = Array(Self.contents[2].bytes[..<1_000])
    let repeated = Content(testDescription: "repeated noise", width: 1_000, bytes: (0..<300).flatMap { _ in noise })
    #expect(try Self.compressed(repeated, filter, .chosen, atOnce: 300, .serial).count > 290_000)
    // Each piece finds it in the one before.
    #expect(try Self.compressed(repeated, filter, .level(4), atOnce: 300, .serial).count < 6_000)
  }

  @Test func failuresOfTheWriterComeBack() {
    let content = Self.contents[2]
    let compressor = RowCompressor(Self.filter(content, nil), height: content.height)
    var parts = 0
    let failure = PictureError.file(FileError(.write, path: "a.png", code: 28))
    #expect(throws: failure) {
      for row in 0..<content.height {
        try content.bytes[(row * content.width)...].withUnsafeBytes { bytes in
          try compressor.add(1, from: bytes.baseAddress!, stride: 0) { (_) throws(PictureError) in
            parts += 1
            if parts == 3 { throw failure }
          }
        }
      }
    }
    #expect(parts == 3)
  }

  /// However long a piece takes, none begins after a job has been cancelled.
  @Test func cancellationEndsIt() {
    let content = Self.contents[2]
    let context = OperationContext(
      parallelism: 2, parallelFor: { count, body in for index in 0..<count { body(index) } }, isCancelled: { true })
    let compressor = RowCompressor(Self.filter(content, nil), height: content.height, context: context)
    var parts = 0
    #expect(throws: PictureError.cancelled) {
      try content.bytes.withUnsafeBytes { bytes in
        try compressor.add(content.height, from: bytes.baseAddress!, stride: content.width) { _ in parts += 1 }
      }
      try compressor.finish { _ in parts += 1 }
    }
    #expect(parts == 0)
  }

  /// Two megabytes of rows, however many workers there are and however long rows are, unless one is longer.
  @Test func memoryIsBounded() {
    for width in [1, 1_000, 100_000, 5_000_000] {
      for parallelism in [1, 2, 16, 1_000] {
        let filter = RowFilter(
          RowFilter.Bands(width: width, sampleBytes: 1, bands: 0..<1, of: 1))
        let most = 2 * max(2 << 20, filter.filteredByteCount) + width + (64 << 10)
        let count = RowCompressor.byteCount(filter, height: 1 << 30, parallelism: parallelism)
        #expect(count <= most && count >= 120 << 10)
      }
    }
  }

  private static func filter(_ content: Content, _ kind: RowFilter.Kind?) -> RowFilter {
    RowFilter(RowFilter.Bands(width: content.width, sampleBytes: 1, bands: 0..<1, of: 1), kind: kind)
  }

  private static func compressed(
    _ content: Content, _ filter: RowFilter, _ effort: RowCompressor.Effort, atOnce: Int, _ context: OperationContext
  ) throws -> [UInt8] {
    let compressor = RowCompressor(
      filter, height: content.height, effort: effort, context: context)
    var output: [UInt8] = []
    try content.bytes.withUnsafeBytes { bytes in
      for row in stride(from: 0, to: content.height, by: atOnce) {
        try compressor.add(
          min(atOnce, content.height - row), from: bytes.baseAddress! + row * content.width, stride: content.width
        ) { output += $0 }
      }
    }
    try compressor.finish { output += $0 }
    return output
  }

  /// So many workers, of which the last is always the first.
  private static func backwards(_ parallelism: Int) -> OperationContext {
    OperationContext(
      parallelism: parallelism, parallelFor: { count, body in for index in (0..<count).reversed() { body(index) } },
      isCancelled: { false })
  }

  /// Wraps `uncompress`; nil where it is no zlib stream or of another size.
  private static func inflated(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: count + 1)
    var size = UInt(output.count)
    guard uncompress(&output, &size, bytes, UInt(bytes.count)) == Z_OK, size == count else { return nil }
    return Array(output[..<count])
  }
}
