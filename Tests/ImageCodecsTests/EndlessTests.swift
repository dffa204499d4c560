import ImageCodecs
import ImageCore
import Synchronization
import Testing

/// Files that lack nothing but their end marker or chunk are read with a note; files that lack a pixel are not.
@Suite struct EndlessTests {
  private static let note = "the end marker is missing; every pixel is there"

  @Test(arguments: Fixture.jpegs) func missingEnds(_ name: String) throws {
    let bytes = Fixture.bytes(name)
    let whole = try decode(bytes)
    let body = Array(bytes.dropLast(2))
    #expect(try Noted.decode(bytes).notes == [])
    let others: [[UInt8]] = [[], [0xff], [0, 0], Array(repeating: 0, count: 512), Array(repeating: 0, count: 200_000)]
    for end in others {
      let (pixels, notes) = try Noted.decode(body + end)
      #expect(pixels == whole && notes == [Self.note], "\(end.count)")
    }
    // A part of it needs no end, and another size comes to the same end.
    if name == "baseline-420.jpg" { #expect(try Noted.decode(body, DecodeOptions(shrink: 2)).notes == [Self.note]) }
  }

  /// Wherever a file is cut, with zeros in the place of the rest or without: it is refused, or every pixel is right.
  @Test(arguments: Fixture.jpegs + ["progressive", "restarts"], [0, 2_000]) func cuts(_ name: String, _ zeros: Int)
    throws
  {
    let bytes =
      switch name {
      case "progressive": try encode(.waves(40, 30, .rgb8), JPEGCodec(), [("progressive", .boolean(true))])
      case "restarts": JPEGScan(restartInterval: 2).encode(.waves(50, 50, .rgb8))
      default: Fixture.bytes(name)
      }
    let whole = try decode(bytes)
    var accepted = 0
    for end in stride(from: bytes.count - 3, to: max(20, bytes.count - 3_000), by: -1) {
      guard let pixels = try? decode(bytes[..<end] + [UInt8](repeating: 0, count: zeros)) else { continue }
      accepted += 1
      #expect(pixels == whole, "\(end)")
    }
    // Padding bits alone may take a byte.
    #expect(accepted <= 2)
  }

  /// Arithmetic coding may end anywhere, so that nothing tells what is missing.
  @Test func arithmeticCoding() {
    let bytes = Fixture.bytes("arithmetic.jpg")
    #expect(throws: PictureError.codec(.truncated)) { try decode(Array(bytes.dropLast(2))) }
  }

  @Test(arguments: [false, true]) func missingEndChunks(_ isInterlaced: Bool) throws {
    let bytes = try encode(.waves(61, 40, .rgb8), PNGCodec(), [("interlaced", .boolean(isInterlaced))])
    let whole = try decode(bytes)
    let body = Array(bytes.dropLast(12))
    for end: [UInt8] in [[], [0], [0, 0, 0, 0, 73, 69, 78], Array(repeating: 0, count: 300)] {
      let (pixels, notes) = try Noted.decode(body + end)
      #expect(pixels == whole && notes == ["the end chunk is missing; every pixel is there"], "\(end)")
    }
    #expect(throws: PictureError.codec(.truncated)) { try decode(Array(body.dropLast())) }
    #expect(throws: PictureError.self) { try decode(body.dropLast(4) + [UInt8](repeating: 0, count: 99)) }
  }

  /// Pixels that are missing behind a whole chunk.
  @Test func cutsBetweenChunks() throws {
    var builder = PNGBuilder(width: 30, height: 20, bits: 8, colourType: 2)
    builder.chunkSize = 40
    let bytes = builder.file { UInt8(truncatingIfNeeded: $0 &* $0) }
    for chunks in 1...5 {
      #expect(throws: PictureError.codec(.truncated)) { try decode(Array(bytes[..<(33 + 52 * chunks)])) }
    }
  }
}

/// A picture with the notes of its decoder.
enum Noted {
  static func decode(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws
    -> (pixels: Pixels, notes: [String])
  {
    let sink = PooledSink(reserving: bytes.count)
    bytes.withUnsafeBytes { try? sink.write($0) }
    let file = try InputFile(sink.bytes, label: "memory")
    let codec = try CodecList.recognise(file)
    let notes = Mutex<[String]>([])
    let context = OperationContext.serial.noting { text in notes.withLock { $0.append(text) } }
    let source = try codec.makeDecoder(file, header: codec.readHeader(file), options: options, context: context)
    let buffer = PixelBuffer(source.layout)
    try source.read(source.layout.height, into: buffer.base, stride: buffer.stride)
    var pixels: [UInt8] = []
    for row in 0..<source.layout.height {
      pixels += UnsafeRawBufferPointer(start: buffer.row(row), count: source.layout.rowByteCount)
    }
    return (Pixels(layout: source.layout, bytes: pixels), notes.withLock { $0 })
  }
}
