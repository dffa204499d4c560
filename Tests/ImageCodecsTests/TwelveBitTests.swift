import CTestJPEG
import Foundation
import ImageCodecs
import ImageCore
import Testing

/// JPEGs of 12 bits, which the libjpeg that imghost uses does not decode.
@Suite struct TwelveBitTests {
  /// SHA-256 of the samples, low byte first, v × 65535 / 4095 rounded, that libjpeg-turbo 3.1 makes of them
  /// (imagecodecs 2026.3.6); of CMYK 1 - its samples.
  static let fixtures = [
    ("twelve-gray.jpg", "ebda627b26a968be46cbf8bd0d60518beafd5a39dcc373ca0c1025bbf009e13e"),
    ("twelve-ycc420.jpg", "7b3396f96a06238f25e034f4a1173ac33d20c553ee86f0597deb7dd019831d8d"),
    ("twelve-ycc422.jpg", "fff3a98ae899fa46c63ab406ec87f853f7d38da0449f6e911cd9be6fc2410a8f"),
    ("twelve-ycc411.jpg", "03c15491788ba5797968ec4e7b535477cbd74825f5c4a967adbcf177140c0d68"),
    ("twelve-ycc440.jpg", "b71879228dad19c4cbe6bdd002f025074dfeb95175db9b4775b18516f794b66b"),
    ("twelve-rgb.jpg", "60abf6f295b16e7934e7dcb55606b1f6fc962b2ed410455474173e90bb90ac8d"),
    ("twelve-ycck.jpg", "a7fecc2f9c74a2685cdcfcd8d67d42190be98c754a78bf5e4fa0c64c582d5332"),
    ("twelve-progressive.jpg", "bc6b71627bb2164eef9977ff2544aabc88f468e880753d0e5c199bd2f91b8ab7"),
    ("twelve-separate.jpg", "bc6b71627bb2164eef9977ff2544aabc88f468e880753d0e5c199bd2f91b8ab7"),
  ]

  @Test(arguments: fixtures.indices) func samplesAreThoseOfLibjpeg3(_ index: Int) throws {
    let (name, digest) = Self.fixtures[index]
    let pixels = try decode(Fixture.path(name))
    #expect(SHA256.digest(of: pixels.bytes).description == digest, "\(name)")
  }

  @Test func headers() throws {
    let colour = try JPEGCodec().readHeader(Fixture.bytes("twelve-ycc420.jpg"))
    #expect(colour.layout.format == PixelFormat(.u16, .rgb))
    #expect(colour.details["bits"] == .integer(12) && colour.details["progressive"] == .integer(0))
    #expect(colour.shrinkFactors.isEmpty && !colour.isEmbeddable && colour.decoderByteCount == 0)
    let progressive = try JPEGCodec().readHeader(Fixture.bytes("twelve-progressive.jpg"))
    #expect(progressive.details["progressive"] == .integer(1) && progressive.decoderByteCount > 0)
    let gray = try JPEGCodec().readHeader(Fixture.bytes("twelve-gray.jpg"))
    #expect(gray.layout.format == PixelFormat(.u16, .gray))
  }

  /// A file of 8 bits that says it has 12: its samples are the same around the middle, 2048 in place of 128.
  static func widened(_ file: [UInt8]) throws -> [UInt8] {
    var wide = file
    let frame = try HostileTests.frame(file)
    wide[frame + 3] = 12
    return wide
  }

  /// Returns the largest distance between samples of the widened file and of the file itself, both in 12 bits.
  private func distance(_ file: [UInt8]) throws -> Int {
    let narrow = try decode(file).samples
    let wide = try decode(Self.widened(file)).samples
    #expect(narrow.count == wide.count)
    return zip(narrow, wide).reduce(0) { most, pair in
      let sample = (pair.1 * 4095 + 32767) / 65535
      return max(most, abs(sample - 2048 - (pair.0 - 128)))
    }
  }

  /// Every sampling, restart interval and size: what libjpeg makes with 8 bits, but for rounding.
  @Test(arguments: [(1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (4, 2), (1, 4)])
  func scansAgreeWithEightBits(_ across: Int, _ down: Int) throws {
    var random = Xorshift(state: UInt64(across * 8 + down) &* 0x9e37_79b9_7f4a_7c15)
    for _ in 0..<12 {
      let size = (Int(random.next() % 60) + 1, Int(random.next() % 60) + 1)
      let format: PixelFormat = random.next() % 4 == 0 ? .gray8 : .rgb8
      let scan = JPEGScan(
        across: across, down: down, quality: [50, 90, 97][Int(random.next() % 3)],
        restartInterval: Int(random.next() % 5), optimise: random.next() % 2 == 0)
      let file = scan.encode(Self.soft(size.0, size.1, format, &random))
      #expect(try distance(file) <= 3, "\(size) \(format) \(scan)")
    }
  }

  @Test(arguments: [1, 3]) func progressiveAgreesWithEightBits(_ components: Int) throws {
    var random = Xorshift(state: UInt64(components))
    for _ in 0..<12 {
      let (width, height) = (Int(random.next() % 60) + 1, Int(random.next() % 60) + 1)
      let pixels = Self.soft(width, height, components == 1 ? .gray8 : .rgb8, &random)
      var count = 0
      let bytes = try #require(
        test_jpeg_encode(pixels.bytes, Int32(width), Int32(height), Int32(components), 90, 1, &count))
      defer { free(bytes) }
      let file = Array(UnsafeBufferPointer(start: bytes, count: count))
      #expect(try distance(file) <= 3, "\(width)x\(height)")
    }
  }

  /// Noise of little contrast, so that 8 bits clip nothing.
  private static func soft(_ width: Int, _ height: Int, _ format: PixelFormat, _ random: inout Xorshift) -> Pixels {
    let layout = PictureLayout(width: width, height: height, format: format)
    return Pixels(
      layout: layout,
      bytes: (0..<layout.byteCount).map { UInt8(110 + $0 / 40 % 20 + Int(random.next() % 16)) })
  }

  /// Any damage ends with rows or words, and soon.
  @Test(arguments: fixtures.indices, [false, true])
  func damageEndsWell(_ index: Int, _ acceptsDamage: Bool) throws {
    let whole = Fixture.bytes(Self.fixtures[index].0)
    var random = Xorshift(state: 0xfeed_beef_0bad_cafe ^ UInt64(index))
    var refused = 0
    for _ in 0..<40 {
      let file = Damage.any(whole, &random)
      do {
        _ = try decode(file, DecodeOptions(acceptsDamage: acceptsDamage))
      } catch is PictureError {
        refused += 1
      }
    }
    #expect(acceptsDamage ? refused < 40 : refused > 0)
  }

  /// Damage within the scan costs what follows up to the next restart marker, where it is accepted.
  @Test func restartsLimitDamage() throws {
    var random = Xorshift(state: 3)
    let scan = JPEGScan(quality: 90, restartInterval: 8)
    let file = try Self.widened(scan.encode(Self.soft(64, 64, .gray8, &random)))
    let marks = file.indices.dropLast().filter {
      file[$0] == 0xff && (0xd0...0xd7).contains(file[$0 + 1])
    }
    #expect(marks.count == 7)
    // The third row of blocks is gone, with its marker or without: then the next stands in its place.
    for end in [marks[2], marks[2] + 2] {
      let damaged = Array(file[..<(marks[1] + 2)]) + Array(file[end...])
      #expect(throws: PictureError.self) { try decode(damaged) }
      let rows = try decode(damaged, DecodeOptions(acceptsDamage: true)).bytes
      let whole = try decode(file).bytes
      #expect(rows[..<(16 * 128)] == whole[..<(16 * 128)])
      #expect(rows[(32 * 128)...] == whole[(32 * 128)...])
    }
  }
}
