#if DEBUG
  import Platform
  import ImageCodecs
  import ImageCore
  import Synchronization
  import TestSupport
  import Testing

  /// Uninitialised memory never reaches a picture: the pixels do not depend on its contents.
  @Suite(.serialized, .wholeRuns) struct PoisonTests {
    static let poisons: [UInt8] = [0x00, 0x5b]

    /// Makes `malloc(3)` fill new memory with the complement; wraps `mallopt(3)` with `M_PERTURB`, which is missing in
    /// Swift's module of the C library.
    private static func fillNewMemory(_ complement: Int32) {
      typealias Function = @convention(c) (Int32, Int32) -> Int32
      guard let address = dlsym(nil, "mallopt") else { return }
      _ = unsafeBitCast(address, to: Function.self)(-6, complement)
    }

    /// Runs `body` twice. The pool and `malloc(3)` fill new memory with one byte the first time, and with another one
    /// the second time.
    static func results<Value>(_ body: (UInt8) throws -> Value) rethrows -> [Value] {
      defer {
        BufferPool.poison.store(0xa5, ordering: .relaxed)
        fillNewMemory(0)
      }
      return try poisons.map { poison in
        BufferPool.poison.store(poison, ordering: .relaxed)
        fillNewMemory(Int32(~poison))
        return try body(poison)
      }
    }

    /// Returns the decoded rows, without those that cause an error. New memory is filled before each read.
    private static func read(_ bytes: [UInt8], _ options: DecodeOptions, _ poison: UInt8) -> [UInt8] {
      let made: (any RowSource)? =
        bytes.first == 0xff
        ? try? JPEGCodec().makeDecoder(bytes, options: options)
        : try? PNGCodec().makeDecoder(bytes, options: options)
      guard let source = made else { return [] }
      return rows(of: source, poison)
    }

    private static func rows(of source: any RowSource, _ poison: UInt8) -> [UInt8] {
      let (layout, most) = (source.layout, 7)
      let strip = PixelBuffer(layout.with(width: layout.width, height: most))
      var result: [UInt8] = []
      var row = 0
      while row < layout.height {
        let count = min(most, layout.height - row)
        memset(strip.base, Int32(poison), strip.stride * most)
        do { try source.read(count, into: strip.base, stride: strip.stride) } catch { break }
        for index in 0..<count {
          result += UnsafeRawBufferPointer(start: strip.row(index), count: layout.rowByteCount)
        }
        row += count
      }
      return result
    }

    /// Returns a file truncated at many places, and with flipped bits.
    private static func damaged(_ bytes: [UInt8], _ seed: Int) -> [[UInt8]] {
      let ends =
        Array(stride(from: 40, to: bytes.count, by: 1 + bytes.count / 16))
        + [1, 2, 3, 5, 8, 13, 21, 34].map { bytes.count - $0 }
      var files = ends.filter { $0 > 0 }.map { Array(bytes[..<$0]) }
      var random = Xorshift(state: 0x51_7cc1_b727_220a ^ UInt64(seed))
      for _ in 0..<(isThorough ? 128 : 16) {
        var broken = bytes
        // Headers fail at once; behind them damage is decoded.
        let start = min(bytes.count / 3, 700)
        broken[start + Int(random.next() % UInt64(bytes.count - start))] ^= 1 << UInt8(random.next() % 8)
        files.append(broken)
      }
      return files
    }

    @Test(arguments: DamageTests.files.indices, [1, 4])
    func damageGivesTheSamePixelsInAnyMemory(_ index: Int, _ shrink: Int) {
      let (name, bytes) = DamageTests.files[index]
      guard shrink == 1 || bytes.first == 0xff else { return }
      let options = DecodeOptions(shrink: shrink, acceptsDamage: true)
      for (number, file) in Self.damaged(bytes, index).enumerated() {
        let results = Self.results { Self.read(file, options, $0) }
        #expect(results[0] == results[1], "\(name) shrunk \(shrink), damage \(number)")
      }
    }

    private static var builders: [PNGBuilder] {
      [
        PNGBuilder(width: 37, height: 23, bits: 8, colourType: 6, filters: [0, 1, 2, 3, 4]),
        PNGBuilder(width: 1, height: 2, bits: 16, colourType: 2, filters: [2]),
        PNGBuilder(width: 9, height: 1, bits: 1, colourType: 0),
        PNGBuilder(
          width: 300, height: 40, bits: 4, colourType: 3, filters: [1], palette: [1, 2, 3, 4, 5, 6]),
      ]
    }

    @Test(arguments: 0..<4) func damagedPNGs(_ index: Int) {
      let builder = Self.builders[index]
      let bytes = builder.file { UInt8(truncatingIfNeeded: $0 * $0) }
      for (number, file) in Self.damaged(bytes, builder.width).enumerated() {
        for acceptsDamage in [false, true] {
          let options = DecodeOptions(acceptsDamage: acceptsDamage)
          let results = Self.results { Self.read(file, options, $0) }
          #expect(results[0] == results[1], "\(builder.width) damage \(number)")
        }
      }
    }

    /// Regions of pictures, which libjpeg decodes if the file is unusual.
    @Test(arguments: [
      "baseline-420.jpg", "progressive-422.jpg", "cmyk-adobe.jpg", "palette.png",
    ])
    func partsOfDamagedPictures(_ name: String) throws {
      let region = Region(left: 9, top: 5, width: 17, height: 21)
      for (number, bytes) in Self.damaged(Fixture.bytes(name), 7).enumerated() {
        try withTemporaryFile(bytes) { path in
          for acceptsDamage in [false, true] {
            let results = try Self.results { poison -> [UInt8] in
              let file = try InputFile(path: path)
              let options = DecodeOptions(acceptsDamage: acceptsDamage, region: region)
              guard let codec = try? CodecList.recognise(file),
                let header = try? codec.readHeader(file),
                header.layout.width > 30, header.layout.height > 30,
                let source = try? codec.makeDecoder(file, header: header, options: options)
              else { return [] }
              return Self.rows(of: source, poison)
            }
            #expect(results[0] == results[1], "\(name) damage \(number)")
          }
        }
      }
    }

    /// BMP, PNM, ICO and QOI: whole pictures and regions.
    @Test func damagedFilesOfFormatsWithoutALibrary() throws {
      let regions: [Region?] = [nil, Region(left: 3, top: 5, width: 17, height: 21)]
      for (name, bytes) in BMPTests.noise() + PNMTests.noise + ICOTests.noise + QOITests.noises {
        for (number, damaged) in Self.damaged(bytes, 3).enumerated() {
          try withTemporaryFile(damaged) { path in
            for region in regions {
              let results = try Self.results { poison -> [UInt8] in
                let file = try InputFile(path: path)
                guard let codec = try? CodecList.recognise(file), let header = try? codec.readHeader(file),
                  header.layout.width > 30, header.layout.height > 30,
                  let source = try? codec.makeDecoder(
                    file, header: header, options: DecodeOptions(acceptsDamage: true, region: region))
                else { return [] }
                return Self.rows(of: source, poison)
              }
              #expect(results[0] == results[1], "\(name) damage \(number)")
            }
          }
        }
      }
    }

    /// The last row, in which a PNG breaks off, is black and not what lay in memory.
    @Test func aBrokenLastRowIsBlack() throws {
      var builder = PNGBuilder(width: 40, height: 5, bits: 8, colourType: 2, level: 0)
      builder.spoil = { $0.removeLast(64) }
      let cut = builder.file { _ in 200 }
      let pixels = Self.read(cut, DecodeOptions(acceptsDamage: true), 0x77)
      #expect(pixels.prefix(40 * 3 * 4).allSatisfy { $0 == 200 })
      #expect(pixels.count == 40 * 3 * 5 && pixels.suffix(40 * 3).allSatisfy { $0 == 0 })
    }
  }
#endif
