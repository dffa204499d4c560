import ImageCodecs
import ImageCore
import Platform
import TestSupport
import Testing

/// The decoders of this process stop when their time is over.
@Suite struct DecodingTimeTests {
  /// A picture of noise in a format.
  private static func file(_ codec: any PictureCodec, _ options: [(String, ParameterValue)], width: Int = 64)
    throws -> [UInt8]
  {
    let layout = try PictureLayout.checked(width: width, height: width, format: .rgb8)
    var random = SplitMix(7)
    let bytes = (0..<layout.rowByteCount * layout.height).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return try encode(Pixels(layout: layout, bytes: bytes), codec, options)
  }

  /// Reads a file in strips of eight rows, with a time limit.
  private static func read(_ bytes: [UInt8], within time: DecodingTime) throws {
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      let codec = try CodecList.recognise(file)
      let header = try codec.readHeader(file)
      let decoder = try time.run { () throws(PictureError) in
        try codec.makeDecoder(
          file, header: header, options: DecodeOptions(), context: OperationContext.serial.timed(time))
      }
      let strip = PixelBuffer(decoder.layout.with(width: decoder.layout.width, height: 8))
      for _ in 0..<decoder.layout.height / 8 {
        try time.run { () throws(PictureError) in try decoder.read(8, into: strip.base, stride: strip.stride) }
      }
    }
  }

  /// The formats of this process, and those of their forms that are decoded in one call.
  private static let options: [(String, [(String, ParameterValue)])] = [
    ("jpeg", []), ("jpeg", [("progressive", .boolean(true))]), ("png", []), ("png", [("interlaced", .boolean(true))]),
    ("bmp", []), ("ppm", []),
  ]

  @Test func eachFormatEnds() throws {
    for (name, options) in Self.options {
      let codec = try #require(CodecList.all.first { $0.name == name || $0.extensions.contains(name) })
      let bytes = try Self.file(codec, options)
      #expect(throws: Never.self, "\(name)") { try Self.read(bytes, within: DecodingTime(limit: 600)) }
      #expect(throws: PictureError.codec(.overtime(seconds: 0)), "\(name)") {
        try Self.read(bytes, within: DecodingTime(limit: 0))
      }
    }
  }

  /// All scans of a progressive JPEG are read in one call, and so are all passes of an interlaced PNG.
  @Test(arguments: sampled([1, 3])) func aLongCallEnds(_ index: Int) throws {
    let (name, options) = Self.options[index]
    let codec = try #require(CodecList.all.first { $0.name == name })
    let bytes = try Self.file(codec, options, width: 1024)
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      let header = try codec.readHeader(file)
      let time = DecodingTime(limit: 0.002)
      let decoder = try codec.makeDecoder(
        file, header: header, options: DecodeOptions(), context: OperationContext.serial.timed(time))
      let strip = PixelBuffer(decoder.layout.with(width: decoder.layout.width, height: 8))
      #expect(throws: PictureError.codec(.overtime(seconds: 0.002))) {
        try time.run { () throws(PictureError) in
          // The time is not over where the call begins.
          try decoder.read(8, into: strip.base, stride: strip.stride)
        }
      }
    }
  }

  /// More urgent work on the same thread does not count, and neither does what lies between the parts.
  @Test func otherWorkDoesNotCount() throws {
    let time = DecodingTime(limit: 0.05)
    let spin: @Sendable () -> Void = {
      let start = threadProcessorNanoseconds()
      while threadProcessorNanoseconds() - start < 100_000_000 {}
    }
    let context = OperationContext(
      parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } }, isCancelled: { false },
      allowPreemption: { onPause in
        onPause(true)
        spin()
        onPause(false)
      }
    ).timed(time)
    for _ in 0..<2 {
      try time.run { () throws(PictureError) in try context.checkCancellation() }
      spin()
    }
    #expect(!time.isOver)
    #expect(throws: PictureError.codec(.overtime(seconds: 0.05))) {
      try time.run { () throws(PictureError) in
        // Time counts from the first check after the grace on.
        for _ in 0..<3 {
          spin()
          try context.checkCancellation()
        }
      }
    }
    #expect(time.isOver)
  }

  /// Errors of the decoder stay what they are, and so does a cancelled job.
  @Test func otherErrorsPass() {
    let time = DecodingTime(limit: 600)
    for error in [PictureError.cancelled, .codec(.truncated)] {
      #expect(throws: error) { try time.run { () throws(PictureError) in throw error } }
    }
  }
}
