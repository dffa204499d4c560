import ImageCore
import PluginHost

/// Tests a codec with complete, truncated and damaged files, and checks whether parts of a picture equal the whole.
///
/// The samples are the given files, and files that the codec writes itself.
package struct CodecCheck {
  /// A file in memory, with the name that messages show for it.
  package struct Sample: Sendable {
    package let name: String
    let bytes: [UInt8]
    /// The property that fails if the worker does, in addition to `crash` or `hang`; nil for none.
    let tested: PluginVerdict.Property?

    package init(name: String, bytes: [UInt8], tested: PluginVerdict.Property? = nil) {
      self.name = name
      self.bytes = bytes
      self.tested = tested
    }

    func file() throws(PictureError) -> InputFile { try .inMemory(bytes, label: name) }
  }

  /// The pixels of a picture, without padding between rows.
  struct Pixels: Equatable {
    let layout: PictureLayout
    let bytes: [UInt8]
  }

  private let codec: PluginCodec
  private let isOwnWorker: Bool
  private let memory: MemoryComparison?
  private var faults: [PluginVerdict.Property: String] = [:]
  private var counts: [PluginVerdict.Property: Int] = [:]
  private var rewriting = RewritingCheck()
  private var random = SplitMix(20)

  package init(_ codec: PluginCodec) {
    // Uses a separate worker that is not replaced after errors, because thousands of damaged files are read.
    let own = codec.plugin.filled(0).map { PluginCodec(plugin: $0, base: nil) }
    self.codec = own ?? codec
    isOwnWorker = own != nil
    memory = MemoryComparison(codec)
  }

  /// The maximum size in bytes of a sample that is also tested with hundreds of truncated and damaged copies.
  private static let damagedByteCount = 4 << 20
  private static let flips = 200
  private static let mutants = 100

  /// Runs all tests.
  ///
  /// - Parameter given: files of the format; required for a codec that cannot write.
  package mutating func run(_ given: [Sample]) -> PluginVerdict {
    defer { if isOwnWorker { codec.plugin.pool.invalidate() } }
    let samples = given + ownSamples()
    for sample in samples {
      readParts(sample)
      if (1...Self.damagedByteCount).contains(sample.bytes.count) {
        damage(sample)
        compareMemory(sample)
      }
    }
    if let first = samples.first { grow(first) }
    let tried = !samples.isEmpty
    faults[.rewriting] = rewriting.fault
    var rows = [row(.crash, ""), row(.hang, "")]
    let tests: [PluginVerdict.Property] = [
      .repeatable, .unset, .strips, .regions, .pages, .truncated, .flipped, .falseSizes, .leak,
    ]
    rows += tests.map { property in
      let count = counts[property] ?? 0
      guard tried, count > 0 || faults[property] != nil else {
        return PluginVerdict.Row(property, .notTried, tried ? "" : "name files of the format after the plugin")
      }
      return row(property, "\(count) \(Self.unit(property))")
    }
    rows.append(
      codec.writes
        ? row(.roundTrip, "\(counts[.roundTrip] ?? 0) pictures written and read")
        : PluginVerdict.Row(.roundTrip, .notDeclared))
    if rewriting.count > 0 || rewriting.fault != nil {
      rows.append(row(.rewriting, "\(rewriting.count) files rewritten"))
    }
    return PluginVerdict(plugin: codec.name, rows: rows)
  }

  /// Returns the row of a property, with the fault or else what was tested.
  private func row(_ property: PluginVerdict.Property, _ tested: String) -> PluginVerdict.Row {
    PluginVerdict.Row(property, faults[property] == nil ? .good : .bad, faults[property] ?? tested)
  }

  private static func unit(_ property: PluginVerdict.Property) -> String {
    switch property {
    case .pages: "pages"
    case .regions, .strips: "parts compared"
    case .unset: "files compared"
    case .leak: "files read"
    default: "files"
    }
  }

  private mutating func fault(_ property: PluginVerdict.Property, _ words: @autoclosure () -> String) {
    if faults[property] == nil { faults[property] = words() }
  }

  // MARK: Reading

  /// Decodes a page or part of it, and records a crash, a hang, or a failure without a message.
  private mutating func read(
    _ sample: Sample, page: Int = 1, shrink: Int = 1, region: Region? = nil, strip: Int = 64
  ) -> Result<Pixels, PictureError> {
    do throws(PictureError) {
      let file = try sample.file()
      let selection = PageSelection(page: page)
      let header = try codec.readHeader(file, selection)
      if header.stored != nil, region == nil, shrink == 1 { readStored(sample, file, header, selection) }
      let source = try codec.makeDecoder(
        file, header: header, options: DecodeOptions(shrink: shrink, region: region, selection: selection))
      let layout = source.layout
      guard layout.byteCount <= 1 << 30 else {
        throw .codec(.tooLarge(width: layout.width, height: layout.height))
      }
      // A header may declare a gigabyte that the file does not contain, so memory is allocated only as rows arrive.
      var bytes: [UInt8] = []
      var row = 0
      while row < layout.height {
        let count = min(strip, layout.height - row)
        bytes += [UInt8](repeating: 0xa5, count: count * layout.rowByteCount)
        try bytes.withUnsafeMutableBytes { target in
          Result { () throws(PictureError) in
            try source.read(count, into: target.baseAddress! + row * layout.rowByteCount, stride: layout.rowByteCount)
          }
        }
        .get()
        row += count
      }
      return .success(Pixels(layout: layout, bytes: bytes))
    } catch {
      note(error, sample)
      return .failure(error)
    }
  }

  /// Reads a page's stored form; the codec may refuse it.
  private mutating func readStored(
    _ sample: Sample, _ file: InputFile, _ header: PictureHeader, _ selection: PageSelection
  ) {
    do throws(PictureError) {
      _ = try codec.storedPage(file, header: header, selection: selection, context: .serial)
    } catch { note(error, sample) }
  }

  private mutating func note(_ error: PictureError, _ sample: Sample) {
    guard case .plugin(let failure) = error else { return }
    let isHang = (failure.cause as? CallFailure)?.property == .hang
    for property in [isHang ? .hang : .crash, sample.tested].compactMap(\.self) {
      fault(property, "\(sample.name): \(failure.cause)")
    }
  }

  private mutating func readParts(_ sample: Sample) {
    let whole: Pixels
    switch read(sample) {
    case .failure(let error): return fault(.repeatable, "\(sample.name) cannot be read: \(error)")
    case .success(let pixels): whole = pixels
    }
    counts[.repeatable, default: 0] += 1
    if case .success(let again) = read(sample), again != whole {
      fault(.repeatable, "\(sample.name): the second reading gave other pixels")
    }
    for strip in [1, 7] where strip < whole.layout.height && whole.layout.height <= 4_000 {
      counts[.strips, default: 0] += 1
      if case .success(let other) = read(sample, strip: strip), other != whole {
        fault(.strips, "\(sample.name): strips of \(strip) rows gave other pixels than the whole")
      }
    }
    readRegions(sample, whole)
    readPages(sample)
  }

  private mutating func readRegions(_ sample: Sample, _ whole: Pixels) {
    let file = try? sample.file()
    let shrinks = file.flatMap { try? codec.readHeader($0) }?.shrinkFactors ?? []
    for shrink in [1] + shrinks.prefix(4) {
      let reduced: Pixels
      if shrink == 1 {
        reduced = whole
      } else {
        guard case .success(let pixels) = read(sample, shrink: shrink) else {
          fault(.regions, "\(sample.name): it cannot be read at 1/\(shrink), which it offers")
          continue
        }
        reduced = pixels
        if reduced.layout != whole.layout.shrunk(by: shrink) {
          fault(.regions, "\(sample.name): at 1/\(shrink) it is \(reduced.layout.width)x\(reduced.layout.height)")
          continue
        }
      }
      for _ in 0..<6 {
        let region = region(in: reduced.layout)
        counts[.regions, default: 0] += 1
        guard case .success(let part) = read(sample, shrink: shrink, region: region) else {
          fault(.regions, "\(sample.name): a region of the whole picture cannot be read")
          continue
        }
        if part != Self.cut(reduced, region) {
          fault(
            .regions,
            "\(sample.name): \(region.width)x\(region.height) at (\(region.left), \(region.top)), 1/\(shrink), "
              + "differs from the whole")
        }
      }
    }
  }

  private mutating func region(in layout: PictureLayout) -> Region {
    let (width, height) = (1 + random.below(layout.width), 1 + random.below(layout.height))
    return Region(
      left: random.below(layout.width - width + 1), top: random.below(layout.height - height + 1), width: width,
      height: height)
  }

  private static func cut(_ pixels: Pixels, _ region: Region) -> Pixels {
    let size = pixels.layout.format.bytesPerPixel
    var bytes: [UInt8] = []
    for row in region.top..<region.bottom {
      let start = row * pixels.layout.rowByteCount + region.left * size
      bytes += pixels.bytes[start..<start + region.width * size]
    }
    return Pixels(layout: pixels.layout.with(width: region.width, height: region.height), bytes: bytes)
  }

  private mutating func readPages(_ sample: Sample) {
    guard let file = try? sample.file(),
      let header = try? codec.readHeader(file)
    else { return }
    for page in 1...min(header.pageCount, 16) {
      counts[.pages, default: 0] += 1
      if case .failure(let error) = read(sample, page: page) {
        fault(.pages, "\(sample.name): page \(page) of \(header.pageCount) cannot be read: \(error)")
      }
    }
    if case .success = read(sample, page: header.pageCount + 1) {
      fault(.pages, "\(sample.name): it has a page \(header.pageCount + 1), but says that it has \(header.pageCount)")
    }
  }

  // MARK: Damage

  private mutating func damage(_ sample: Sample) {
    let size = sample.bytes.count
    for part in 1..<64 where size * part / 64 < size {
      readDamaged(sample, "cut at \(part)/64", .truncated) { $0.removeSubrange((size * part / 64)...) }
    }
    for _ in 0..<Self.flips {
      let (place, bit) = (random.below(size), random.below(8))
      readDamaged(sample, "bit \(bit) of byte \(place) flipped", .flipped) { $0[place] ^= 1 << UInt8(bit) }
    }
    for offset in 0..<min(64, max(0, size - 4)) {
      for value: [UInt8] in [[255, 255, 255, 255], [255, 255, 255, 127], [0, 0, 0, 0]] {
        readDamaged(sample, "bytes \(offset) to \(offset + 3) replaced", .falseSizes) {
          $0.replaceSubrange(offset..<offset + 4, with: value)
        }
      }
    }
  }

  private mutating func readDamaged(
    _ sample: Sample, _ damage: String, _ tested: PluginVerdict.Property, _ change: (inout [UInt8]) -> Void
  ) {
    var bytes = sample.bytes
    change(&bytes)
    counts[tested, default: 0] += 1
    _ = read(Sample(name: "\(sample.name), \(damage)", bytes: bytes, tested: tested))
  }

  /// Reads the sample and damaged copies of it in two workers whose new memory is filled with different bytes.
  private mutating func compareMemory(_ sample: Sample) {
    guard let comparison = memory else { return }
    for number in 0..<Self.mutants {
      let sample = number == 0 ? sample : sample.mutant(number)
      for acceptsDamage in [false, true] {
        counts[.unset, default: 0] += 1
        if let words = comparison.difference(sample, acceptsDamage: acceptsDamage) {
          fault(.unset, "\(sample.name): \(words)\(acceptsDamage ? ", with damage accepted" : "")")
        }
      }
    }
  }

  /// Reads one file repeatedly, and compares the worker's memory after a few and after many reads.
  private mutating func grow(_ sample: Sample) {
    func memory(after count: Int) -> Int? {
      for _ in 0..<count { _ = read(sample) }
      return codec.plugin.pool.residentByteCount
    }
    let count = sample.bytes.count < 1 << 20 ? 100 : 10
    guard let few = memory(after: count), let many = memory(after: 2 * count) else { return }
    counts[.leak] = 3 * count
    let growth = many - few
    if growth > 4 << 20, growth / (2 * count) > 4_096 {
      fault(.leak, "\(sample.name): the worker grew by \(growth >> 10) KB in \(2 * count) readings")
    }
  }

  // MARK: Writing

  /// Makes the codec write pictures, reads them back, and returns some of the files; none if the codec cannot read.
  private mutating func ownSamples() -> [Sample] {
    guard codec.writes,
      let arguments = try? Arguments(RawArguments(), parameters: codec.saveParameters, positionalCount: 0)
    else { return [] }
    var samples: [Sample] = []
    var rewriting = RewritingCheck()
    defer { self.rewriting = rewriting }
    let formats: [PixelFormat] = [.rgb8, .gray8, .rgba8, PixelFormat(.u16, .rgb)]
    for (width, height) in [(1, 1), (1, 17), (640, 480)] {
      for format in formats {
        let layout = PictureLayout(width: width, height: height, format: format)
        guard codec.encodedLayout(for: layout) == layout else { continue }
        let picture = drawing(layout)
        guard let bytes = write(picture, arguments) else { continue }
        counts[.roundTrip, default: 0] += 1
        let sample = Sample(name: "\(width)x\(height) \(format)", bytes: bytes)
        rewriting.run(codec, sample.name, layout, arguments) { write(picture, arguments, $0) }
        guard codec.plugin.codec.reads else { continue }
        switch read(sample) {
        case .failure(let error): fault(.roundTrip, "\(sample.name): what it wrote cannot be read: \(error)")
        case .success(let pixels):
          if (pixels.layout.width, pixels.layout.height) != (width, height) {
            fault(.roundTrip, "\(sample.name): it came back as \(pixels.layout.width)x\(pixels.layout.height)")
          } else if codec.isLossless, pixels != picture {
            fault(.roundTrip, "\(sample.name): a lossless codec gave back other pixels")
          }
        }
        if samples.isEmpty || width == 640 { samples.append(sample) }
      }
    }
    return codec.plugin.codec.reads ? samples : []
  }

  private mutating func write(
    _ picture: Pixels, _ arguments: Arguments, _ metadata: PictureMetadata = PictureMetadata()
  ) -> [UInt8]? {
    let sink = BytesSink()
    do throws(PictureError) {
      let encoder = try codec.makeEncoder(
        to: sink, layout: picture.layout, metadata: metadata, arguments: arguments)
      try picture.bytes.withUnsafeBytes { rows in
        Result { () throws(PictureError) in
          try encoder.write(picture.layout.height, from: rows.baseAddress!, stride: picture.layout.rowByteCount)
          try encoder.finish()
        }
      }
      .get()
      return sink.bytes
    } catch {
      fault(.roundTrip, "\(picture.layout.width)x\(picture.layout.height) \(picture.layout.format): \(error)")
      return nil
    }
  }

  private mutating func drawing(_ layout: PictureLayout) -> Pixels {
    var bytes = [UInt8](repeating: 0, count: layout.byteCount)
    for y in 0..<layout.height {
      for x in 0..<layout.rowByteCount {
        let noise = x % 97 < 13 ? random.below(64) : 0
        bytes[y * layout.rowByteCount + x] = UInt8(truncatingIfNeeded: x / 3 + y + (y / 32 % 2) * 90 + noise)
      }
    }
    return Pixels(layout: layout, bytes: bytes)
  }
}
