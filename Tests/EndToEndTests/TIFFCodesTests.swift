import PictureTestSupport
import TestSupport
import Testing

/// TIFFs that are compressed with LZW, read by the built program: the same pixels as of uncompressed ones.
@Suite struct TIFFCodesTests {
  struct Kind: CustomTestStringConvertible {
    var size = (width: 61, height: 47)
    var samples = 3
    var bits = 8
    var predictor = 1
    var rowsPerStrip = 16
    /// Width and height; nil for strips.
    var tile: (width: Int, height: Int)?
    var isPlanar = false
    /// The number of equal samples that follow each other.
    var run = 1
    var restart = 4_095

    var testDescription: String {
      "\(samples)x\(bits) predictor \(predictor) rows \(rowsPerStrip) tile \(tile?.width ?? 0) planar \(isPlanar)"
        + " run \(run) restart \(restart)"
    }
  }

  static let kinds: [Kind] = [
    Kind(), Kind(predictor: 2), Kind(samples: 1), Kind(samples: 1, predictor: 2), Kind(samples: 4, predictor: 2),
    Kind(bits: 16), Kind(bits: 16, predictor: 2), Kind(samples: 1, bits: 16, predictor: 2), Kind(samples: 1, bits: 1),
    Kind(predictor: 2, tile: (32, 16)), Kind(bits: 16, tile: (16, 32)), Kind(predictor: 2, isPlanar: true),
    Kind(tile: (32, 32), isPlanar: true), Kind(size: (300, 200), rowsPerStrip: 200, run: 7),
    // A dictionary that is full and starts anew, strings of one byte and of thousands, and each width of codes.
    Kind(size: (256, 200), samples: 1, rowsPerStrip: 200), Kind(size: (256, 64), rowsPerStrip: 64, restart: 512),
    Kind(size: (400, 300), samples: 1, rowsPerStrip: 300, run: 1_000_000),
    Kind(size: (200, 200), samples: 1, predictor: 2, rowsPerStrip: 7, run: 300),
    // Strips of more than a megabyte, which are read row by row.
    Kind(size: (900, 450), predictor: 2, rowsPerStrip: 400), Kind(size: (900, 450), rowsPerStrip: 450, run: 40_000),
  ]

  @Test(arguments: kinds) func samePixels(_ kind: Kind) throws {
    let folder = try Folder()
    var random = SplitMix(20)
    let count = kind.size.width * kind.size.height * kind.samples
    var samples: [Int] = []
    while samples.count < count {
      let value = Int.random(in: 0..<1 << kind.bits, using: &random)
      samples += [Int](
        repeating: value, count: min(Int.random(in: 1...kind.run, using: &random), count - samples.count))
    }
    try folder.write("plain.tif", TIFFFile(kind, samples).bytes { $0 })
    try folder.write("codes.tif", TIFFFile(kind, samples).bytes(5) { LZWCodes.encoded($0, restartingAt: kind.restart) })
    let outcome = try folder.run(
      "for _, name in ipairs { \"plain\", \"codes\" } do img.open(name .. \".tif\"):save(name .. \".png\") end")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try Pixels(file: folder("codes.png")).bytes == Pixels(file: folder("plain.png")).bytes)
  }

  /// What is not whole is libtiff's to judge: the message is that of other damaged strips.
  @Test(arguments: [(61, 47), (900, 450)]) func damagedCodes(_ width: Int, _ height: Int) throws {
    let folder = try Folder()
    let kind = Kind(size: (width, height), rowsPerStrip: height)
    var random = SplitMix(21)
    let samples = (0..<width * height * 3).map { _ in Int.random(in: 0..<256, using: &random) }
    let codes = LZWCodes.encoded(samples.map { UInt8($0) })
    try folder.write("cut.tif", TIFFFile(kind, samples).bytes(5) { _ in Array(codes.prefix(4_000)) })
    // The second code names an entry that is not there yet.
    let bent = codes[..<1] + [0x7f, 0xff] + codes[3...]
    try folder.write("bent.tif", TIFFFile(kind, samples).bytes(5) { _ in Array(bent) })
    for name in ["cut", "bent"] {
      let outcome = try folder.run("img.open(\"\(name).tif\"):save(\"out.png\")")
      #expect(outcome.status == 1)
      #expect(outcome.error.contains("has a damaged strip near row"), "\(outcome)")
    }
  }
}

/// A TIFF of one page, little-endian.
private struct TIFFFile {
  let kind: TIFFCodesTests.Kind
  let samples: [Int]

  init(_ kind: TIFFCodesTests.Kind, _ samples: [Int]) { (self.kind, self.samples) = (kind, samples) }

  /// - Parameters:
  ///   - compression: its number in TIFF 6.0.
  ///   - encode: compresses a strip or tile.
  func bytes(_ compression: Int = 1, _ encode: ([UInt8]) -> [UInt8]) -> [UInt8] {
    var file: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]
    var (offsets, counts): ([Int], [Int]) = ([], [])
    let predictor = compression == 1 ? 1 : kind.predictor
    let band = kind.tile ?? (kind.size.width, kind.rowsPerStrip)
    for plane in 0..<(kind.isPlanar ? kind.samples : 1) {
      for top in stride(from: 0, to: kind.size.height, by: band.height) {
        for left in stride(from: 0, to: kind.size.width, by: band.width) {
          let rows = kind.tile == nil ? min(band.height, kind.size.height - top) : band.height
          let piece = encode(
            (top..<top + rows).flatMap { row($0, left..<left + band.width, plane, predictor: predictor) })
          offsets.append(file.count)
          counts.append(piece.count)
          file += piece + (piece.count % 2 == 1 ? [0] : [])
        }
      }
    }
    func list(_ values: [Int]) -> Int {
      guard values.count > 1 else { return values[0] }
      defer { file += values.flatMap { number($0, 4) } }
      return file.count
    }
    let bits = kind.samples == 1 ? kind.bits : list([Int](repeating: kind.bits | kind.bits << 16, count: 2))
    let (places, sizes) = (list(offsets), list(counts))
    var entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
      (256, 4, 1, kind.size.width), (257, 4, 1, kind.size.height), (258, 3, kind.samples, bits),
      (259, 3, 1, compression), (262, 3, 1, kind.samples == 1 ? 1 : 2), (277, 3, 1, kind.samples),
      (284, 3, 1, kind.isPlanar ? 2 : 1), (317, 3, 1, predictor),
    ]
    if let tile = kind.tile {
      entries += [
        (322, 3, 1, tile.width), (323, 3, 1, tile.height), (324, 4, offsets.count, places),
        (325, 4, offsets.count, sizes),
      ]
    } else {
      entries += [
        (273, 4, offsets.count, places), (278, 3, 1, kind.rowsPerStrip), (279, 4, offsets.count, sizes),
      ]
    }
    if kind.samples == 4 { entries.append((338, 3, 1, 2)) }
    file.replaceSubrange(4..<8, with: number(file.count, 4))
    file += number(entries.count, 2)
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      file += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + number(entry.value, 4)
    }
    return file + number(0, 4)
  }

  /// Returns the stored bytes of a part of a row, with its edge repeated as far as a tile goes.
  private func row(_ y: Int, _ columns: Range<Int>, _ plane: Int, predictor: Int) -> [UInt8] {
    let shown = kind.isPlanar ? [plane] : Array(0..<kind.samples)
    let pixels = columns.map { x in
      shown.map { band -> Int in
        let (x, y) = (min(x, kind.size.width - 1), min(y, kind.size.height - 1))
        return samples[(y * kind.size.width + x) * kind.samples + band]
      }
    }
    if kind.bits == 1 {
      return stride(from: 0, to: pixels.count, by: 8).map { start in
        (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < pixels.count ? UInt8(pixels[start + $1][0]) : 0) }
      }
    }
    return pixels.indices.flatMap { x in
      pixels[x].indices.flatMap { band in
        let before = predictor == 2 && x > 0 ? pixels[x - 1][band] : 0
        return number((pixels[x][band] - before) & (1 << kind.bits - 1), kind.bits / 8)
      }
    }
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> (8 * $0) & 255) }
  }
}
