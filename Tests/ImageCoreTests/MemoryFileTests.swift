import ImageCore
import Platform
import Testing

@Suite struct MemoryFileTests {
  /// Small and large files, read in both ways that codecs use.
  @Test(arguments: [0, 1, 100, 200_000])
  func holdsItsBytes(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let sink = PooledSink(reserving: 1)
    try bytes.withUnsafeBytes { try sink.write($0) }
    let file = try InputFile(sink.bytes, label: "test")
    #expect(file.byteCount == count)
    #expect(try file.bytes(at: 0, count: count) == bytes)
    var read = [UInt8](repeating: 0, count: count)
    #expect(read.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, count, 0) } == count)
    #expect(read == bytes)
  }
}
