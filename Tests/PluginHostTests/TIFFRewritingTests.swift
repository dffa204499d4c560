import Foundation
import ImageCodecs
import ImageCore
import PluginCodecs
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// TIFFs whose metadata is replaced are those that are encoded with that metadata, and metadata is told from pixels.
  @Suite struct TIFFRewritingTests {
    /// The pixels of a picture.
    private struct Pixels {
      let layout: PictureLayout
      var bytes: [UInt8]

      /// Makes noise, which differs from width to width.
      init(_ width: Int, _ height: Int, _ format: PixelFormat) {
        layout = PictureLayout(width: width, height: height, format: format)
        var random = SplitMix(width)
        let noise = (0..<997).map { _ in UInt8(random.below(256)) }
        bytes = []
        while bytes.count < layout.byteCount { bytes += noise }
        bytes.removeLast(bytes.count - layout.byteCount)
      }
    }

    private typealias Options = [(String, ParameterValue)]

    private static let formats: [(Options, PixelFormat)] = [
      ([], .rgb8), ([("compression", .text("none"))], .rgb8), ([("compression", .text("lzw"))], .gray8),
      ([("compression", .text("packbits"))], PixelFormat(.u8, .gray, alpha: true)),
      ([("compression", .text("zstd"))], PixelFormat(.u16, .rgb)), ([("compression", .text("g4"))], .gray8),
      ([("compression", .text("none")), ("bitdepth", .text("1"))], .gray8), ([("bitdepth", .text("1"))], .gray8),
      ([("bigtiff", .boolean(true))], .rgba8), ([], PixelFormat(.u8, .cmyk)),
      ([("compression", .text("lzw"))], PixelFormat(.u16, .rgb, alpha: true)),
      ([("compression", .text("none")), ("bigtiff", .boolean(true))], PixelFormat(.u16, .gray)),
    ]

    /// An EXIF block: texts, and directories of EXIF and of GPS.
    private static let exif: [UInt8] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 4, 0]
      + [0x0f, 0x01, 2, 0, 8, 0, 0, 0, 62, 0, 0, 0] + [0x98, 0x82, 2, 0, 3, 0, 0, 0, 0x4d, 0x65, 0, 0]
      + [0x69, 0x87, 4, 0, 1, 0, 0, 0, 70, 0, 0, 0] + [0x25, 0x88, 4, 0, 1, 0, 0, 0, 88, 0, 0, 0]
      + [0, 0, 0, 0] + Array("Imghost\0".utf8)
      + [1, 0, 0x27, 0x88, 3, 0, 1, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]
      + [1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 0x4e, 0, 0, 0, 0, 0, 0, 0]

    private static func packet(_ count: Int) -> [UInt8] {
      Array(
        """
        <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
        <rdf:Description rdf:about='' xmlns:my='http://example.org/'><my:word>\(String(repeating: "more ", count: count))
        </my:word></rdf:Description></rdf:RDF></x:xmpmeta>
        """.utf8)
    }

    private static let iptc: [UInt8] = [0x1c, 2, 5, 0, 5] + Array("Title".utf8)

    private static let variants: [(name: String, metadata: PictureMetadata)] = [
      ("none", PictureMetadata()),
      (
        "all",
        PictureMetadata(
          orientation: .rotated90, iccProfile: StandardProfile.displayP3.bytes, exifBlock: exif, xmp: packet(3),
          iptc: iptc, resolution: Resolution(horizontal: 300, vertical: 150))
      ),
      ("EXIF", PictureMetadata(exifBlock: exif)), ("odd XMP", PictureMetadata(xmp: packet(1) + [0x20])),
      ("long XMP", PictureMetadata(xmp: packet(40_000))), ("IPTC", PictureMetadata(iptc: iptc)),
      ("long IPTC", PictureMetadata(iptc: [UInt8](repeating: 0x1c, count: 200_001))),
      ("profile", PictureMetadata(iccProfile: StandardProfile.displayP3.bytes)),
      ("resolution", PictureMetadata(resolution: Resolution(horizontal: 72, vertical: 72))),
      ("orientation", PictureMetadata(orientation: .rotated270)),
    ]

    private func codec(_ name: String = "tiff", _ body: (PluginCodec) throws -> Void) throws {
      var configuration = PluginHost.Configuration(
        searchPath: [PluginFolder(path: Built.folder, files: .installed)], worker: Built.worker)
      configuration.deadline = patience
      let host = PluginHost(configuration)
      defer { host.invalidate() }
      try body(#require(CodecRegistry(host).all.first { $0.name == name }))
    }

    private func file(_ bytes: [UInt8]) throws -> InputFile {
      let sink = PooledSink(reserving: max(1, bytes.count))
      try bytes.withUnsafeBytes { try sink.write($0) }
      return try InputFile(sink.bytes, label: "test")
    }

    private func arguments(_ codec: PluginCodec, _ options: Options) throws -> Arguments {
      try Arguments(
        RawArguments(named: options.map { (name: $0.0, value: $0.1) }), parameters: codec.saveParameters,
        positionalCount: 0)
    }

    private func encoded(_ pixels: Pixels, _ codec: PluginCodec, _ options: Options, _ metadata: PictureMetadata) throws
      -> [UInt8]
    {
      let sink = PooledSink(reserving: 1 << 16)
      let arguments = try arguments(codec, options)
      let encoder = try codec.makeEncoder(
        to: sink, layout: pixels.layout,
        metadata: codec.writtenMetadata(metadata, for: pixels.layout, arguments: arguments).metadata,
        arguments: arguments)
      try pixels.bytes.withUnsafeBytes {
        try encoder.write(pixels.layout.height, from: $0.baseAddress!, stride: pixels.layout.rowByteCount)
      }
      try encoder.finish()
      return sink.bytes.withUnsafeBytes { Array($0) }
    }

    /// Returns a file with other metadata; nil if its pixels have to be encoded.
    private func rewritten(
      _ bytes: [UInt8], _ layout: PictureLayout, _ codec: PluginCodec, _ options: Options, _ metadata: PictureMetadata
    ) throws -> [UInt8]? {
      let sink = PooledSink(reserving: 1 << 16)
      let arguments = try arguments(codec, options)
      let isDone = try codec.rewrite(
        file(bytes), to: sink, layout: layout,
        metadata: codec.writtenMetadata(metadata, for: layout, arguments: arguments).metadata, arguments: arguments,
        context: .serial)
      return isDone ? sink.bytes.withUnsafeBytes { Array($0) } : nil
    }

    @Test func rewritesAsEncoded() throws {
      try codec { codec in
        for (options, format) in sampled(Self.formats) {
          // The larger picture has several strips, unless it is fax.
          for (width, height, step) in [(41, 30, 1), (230, 500, 7)] {
            let pixels = Pixels(width, height, format)
            let files = try Self.variants.map { try encoded(pixels, codec, options, $0.metadata) }
            for first in files.indices {
              for second in stride(from: first % step, to: files.count, by: step) {
                let (old, new) = (Self.variants[first], Self.variants[second])
                let made = try rewritten(files[first], pixels.layout, codec, options, new.metadata)
                #expect(made == files[second], "\(options) \(pixels.layout): \(old.name) to \(new.name)")
              }
            }
          }
        }
      }
    }

    /// Files that were written with other options, or have other pixels, are left alone.
    @Test func refusesOtherFiles() throws {
      try codec { codec in
        let pixels = Pixels(41, 30, .rgb8)
        let plain = try encoded(pixels, codec, [], PictureMetadata())
        func isRefused(_ bytes: [UInt8], _ pixels: Pixels, _ options: Options = []) throws -> Bool {
          try rewritten(bytes, pixels.layout, codec, options, Self.variants[2].metadata) == nil
        }
        #expect(try !isRefused(plain, pixels))
        #expect(try isRefused(plain, pixels, [("compression", .text("lzw"))]))
        #expect(try isRefused(plain, pixels, [("bigtiff", .boolean(true))]))
        for other in [
          Pixels(42, 30, .rgb8), Pixels(41, 31, .rgb8), Pixels(41, 30, .gray8), Pixels(41, 30, .rgba8),
          Pixels(41, 30, PixelFormat(.u16, .rgb)), Pixels(41, 30, PixelFormat(.u8, .cmyk)),
        ] {
          #expect(try isRefused(plain, other), "\(other.layout)")
        }
        for bytes in [[], Array("II*\0".utf8), Array("no picture at all".utf8)] {
          #expect(try isRefused(bytes, pixels))
        }
        // Two pages.
        let arguments = try arguments(codec, [])
        let sink = PooledSink(reserving: 1 << 16)
        let encoder = try codec.makeEncoder(
          to: sink, MultipageRequest(pages: [pixels.layout, pixels.layout]), metadata: PictureMetadata(),
          arguments: arguments, context: .serial)
        for delay in [0.0, 0] {
          try pixels.bytes.withUnsafeBytes {
            try encoder.write(30, from: $0.baseAddress!, stride: pixels.layout.rowByteCount)
          }
          try encoder.endPage(delay: delay)
        }
        try encoder.finish()
        #expect(try isRefused(sink.bytes.withUnsafeBytes { Array($0) }, pixels))
      }
      // A codec without the function.
      try codec("jpeg2000") { codec in
        let pixels = Pixels(41, 30, .rgb8)
        let plain = try encoded(pixels, codec, [], PictureMetadata())
        #expect(try rewritten(plain, pixels.layout, codec, [], PictureMetadata()) == nil)
        #expect(try encoded(pixels, codec, [], PictureMetadata()) == plain)
      }
    }

    /// Somebody may change an old file between a run and the next. It makes no worker crash, and no file that is larger.
    @Test func damagedFiles() throws {
      try codec { codec in
        let pixels = Pixels(60, 1_500, .rgb8)
        let options: Options = [("compression", .text("none"))]
        let plain = try encoded(pixels, codec, options, PictureMetadata())
        let end = pixels.bytes.count
        var (refused, taken) = (0, 0)
        func attempt(_ bytes: [UInt8], _ what: @autoclosure () -> String) throws {
          do {
            let made = try rewritten(bytes, pixels.layout, codec, options, Self.variants[2].metadata)
            if let made { #expect(made.count < plain.count + 1_000, "\(what())") }
            if made == nil { refused += 1 } else { taken += 1 }
          } catch PictureError.codec {
            refused += 1
          }
        }
        var random = SplitMix(7)
        for place in Array(0..<8) + Array(end..<plain.count) {
          for value in [0, 0xff, 0x7f, UInt8(truncatingIfNeeded: random.next())] {
            var bytes = plain
            bytes[place] = value
            try attempt(bytes, "byte \(place) is \(value)")
          }
        }
        for place in stride(from: end, to: plain.count - 4, by: 2) {
          var bytes = plain
          bytes.replaceSubrange(place..<place + 4, with: [0xff, 0xff, 0xff, 0xff])
          try attempt(bytes, "bytes from \(place)")
          try attempt(Array(plain[..<place]), "cut at \(place)")
        }
        #expect(refused > 500 && taken > 50, "\(refused) \(taken)")
      }
    }

    // MARK: Sources

    private struct Shown: Equatable {
      let bytes: [UInt8]
      let fields: SHA256Digest?
    }

    private func shown(_ bytes: [UInt8], _ codec: PluginCodec) throws -> Shown? {
      guard let found = try codec.metadataPlaces(in: file(bytes)) else { return nil }
      var (kept, place): ([UInt8], Int) = ([], 0)
      for metadata in found.places + [bytes.count..<bytes.count] {
        kept += bytes[place..<metadata.lowerBound]
        place = metadata.upperBound
      }
      return Shown(bytes: kept, fields: found.fields)
    }

    /// All files of the same pixels, colours and resolution have the same pixel bytes and fields.
    @Test func tellsMetadataFromPixels() throws {
      try codec { codec in
        for (options, format) in sampled(Self.formats) {
          func shown(_ metadata: PictureMetadata, _ width: Int = 230) throws -> Shown {
            let found = try self.shown(encoded(Pixels(width, 200, format), codec, options, metadata), codec)
            return try #require(found)
          }
          let plain = try shown(PictureMetadata())
          for (name, metadata) in Self.variants where ["EXIF", "odd XMP", "IPTC", "long XMP"].contains(name) {
            #expect(try shown(metadata) == plain, "\(options) \(format): \(name)")
          }
          for (name, metadata) in Self.variants where name == "resolution" {
            #expect(try shown(metadata) != plain, "\(options) \(format)")
          }
          #expect(try shown(PictureMetadata(), 231) != plain, "\(options) \(format)")
        }
      }
    }

    private func decoded(_ file: InputFile, _ codec: PluginCodec) throws -> (header: PictureHeader, pixels: [UInt8]) {
      let header = try codec.readHeader(file)
      let source = try codec.makeDecoder(file, header: header, options: DecodeOptions())
      let space = PooledBytes(capacity: source.layout.byteCount)
      try source.read(source.layout.height, into: space.base, stride: source.layout.rowByteCount)
      return (header, Array(UnsafeRawBufferPointer(start: space.base, count: source.layout.byteCount)))
    }

    /// Changes bytes that seem to be metadata, one at a time, and compares the pixels: a quarter of them, or all in a
    /// thorough run. Returns the number of changes; nil if metadata cannot be told from pixels.
    private func changes(_ plain: [UInt8], _ codec: PluginCodec, _ name: String) throws -> Int? {
      guard let known = try shown(plain, codec), let places = try codec.metadataPlaces(in: file(plain))?.places
      else { return nil }
      let right = try decoded(file(plain), codec)
      var random = SplitMix(plain.count)
      var count = 0
      for (number, place) in places.joined().enumerated() where isThorough || number % 4 == plain.count % 4 {
        var bytes = plain
        bytes[place] ^= UInt8(1 + random.below(255))
        guard try shown(bytes, codec) == known else { continue }
        count += 1
        // The header counts as well.
        guard let header = try? codec.readHeader(file(bytes)), header.details == right.header.details,
          header.layout == right.header.layout
        else { continue }
        let pixels = try decoded(file(bytes), codec).pixels
        #expect(pixels == right.pixels, "\(name), byte \(place)")
      }
      return count
    }

    @Test func metadataChangesNoPixels() throws {
      try codec { codec in
        for (options, format) in sampled(Self.formats) {
          let plain = try encoded(Pixels(9, 7, format), codec, options, Self.variants[2].metadata)
          // Texts, and directories of EXIF and of GPS.
          #expect(try changes(plain, codec, "\(options) \(format)") ?? 0 > 10)
        }
      }
    }

    /// Files of other programs: tiles, planes, both byte orders, JPEG, fax, and palettes.
    @Test func metadataOfOthersChangesNoPixels() throws {
      try codec { codec in
        var (known, count) = (0, 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: Built.fixtures + "/Codecs/tiff").sorted()
        where name.hasSuffix(".tif") {
          let bytes = [UInt8](FileManager.default.contents(atPath: Built.fixtures + "/Codecs/tiff/" + name) ?? Data())
          let changes = try changes(bytes, codec, name)
          let hasOnePage = !["pages.tif", "pyramid.tif"].contains(name)
          #expect(hasOnePage || changes == nil, "\(name)")
          known += changes == nil ? 0 : 1
          count += changes ?? 0
        }
        #expect(known > 20 && count > 50, "\(known) files, \(count) changes")
      }
    }
  }
}
