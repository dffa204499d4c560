import ImageCore
import TestSupport
import Testing

@testable import ImageCodecs

/// Our decoder for usual JPEGs returns the same bytes and the same messages as libjpeg.
@Suite struct BaselineJPEGTests {
  static let scans: [JPEGScan] = {
    var scans: [JPEGScan] = []
    for (across, down) in [(1, 1), (2, 1), (2, 2), (1, 2)] {
      scans += [
        JPEGScan(across: across, down: down),
        JPEGScan(across: across, down: down, quality: 20, optimise: true),
        JPEGScan(across: across, down: down, quality: 97, restartInterval: 1),
        JPEGScan(across: across, down: down, quality: 75, restartInterval: 5, optimise: true),
        JPEGScan(across: across, down: down, quality: 100, restartInterval: 3),
      ]
    }
    return scans
  }()

  @Test(arguments: scans.indices, [1, 2, 4, 8])
  func pixelsAreThoseOfLibjpeg(_ index: Int, _ shrink: Int) {
    let scan = Self.scans[index]
    var random = Xorshift(state: 0x2545_f491_4f6c_dd1d ^ UInt64(index * 8 + shrink))
    for _ in 0..<rounds(40) {
      let width = Int(random.next() % 70) + 1
      let height = Int(random.next() % 70) + 1
      let format: PixelFormat = random.next() % 4 == 0 ? .gray8 : .rgb8
      let file = scan.encode(.random(width, height, format, &random))
      let own = DecodedRows(file, shrink: shrink, .own)
      #expect(
        own.agrees(with: DecodedRows(file, shrink: shrink, .libjpeg)),
        "\(width)x\(height) \(format) \(scan) at 1/\(shrink)")
      // libjpeg does not interpolate pictures as narrow as that.
      #expect(own.error.isEmpty && (!own.usedLibjpeg || width < 17))
    }
  }

  /// Parts are cut out of what libjpeg makes of the whole.
  @Test(.thorough, arguments: scans.indices, [1, 2, 4, 8])
  func partsAreThoseOfLibjpeg(_ index: Int, _ shrink: Int) {
    let scan = Self.scans[index]
    var random = Xorshift(state: 0x1234_567a_bcde_f001 ^ UInt64(index * 8 + shrink))
    for _ in 0..<rounds(60) {
      let width = Int(random.next() % 190) + 17
      let height = Int(random.next() % 150) + 1
      let format: PixelFormat = random.next() % 4 == 0 ? .gray8 : .rgb8
      let file = scan.encode(.random(width, height, format, &random))
      let region = Region.random(&random)
      let own = DecodedRows(file, shrink: shrink, .own, region: region)
      let libjpeg = DecodedRows(file, shrink: shrink, .libjpeg, region: region)
      #expect(
        own.agrees(with: libjpeg) && own.error.isEmpty && !own.usedLibjpeg,
        "\(region(width, height)) of \(width)x\(height) \(format) \(scan) at 1/\(shrink)")
    }
  }

  /// Pieces of the file, and MCUs, end anywhere in the other.
  @Test(arguments: [1, 8])
  func longScans(_ shrink: Int) {
    var random = Xorshift(state: 99)
    let picture = Pixels.random(700, 500, .rgb8, &random)
    for scan in [JPEGScan(across: 2, down: 2, quality: 100), JPEGScan(quality: 100, restartInterval: 37)] {
      let file = scan.encode(picture)
      #expect(file.count > 200_000)
      let own = DecodedRows(file, shrink: shrink, .own)
      #expect(own.agrees(with: DecodedRows(file, shrink: shrink, .libjpeg)), "\(scan)")
      #expect(!own.usedLibjpeg)
    }
  }

  /// Bytes that are allowed between the scan and the end of the image.
  @Test func paddedEnds() {
    let whole = Array(JPEGScan().encode(.waves(50, 50, .rgb8)).dropLast(2))
    for padding: [UInt8] in [[], [0], [0, 1, 2, 0xff, 0, 3], [0xff, 0xff, 0xff]] {
      let file = whole + padding + [0xff, 0xd9, 1, 2, 3]
      let own = DecodedRows(file, shrink: 1, .own)
      #expect(!own.usedLibjpeg && own.error.isEmpty, "\(padding)")
      #expect(own.agrees(with: DecodedRows(file, shrink: 1, .libjpeg)), "\(padding)")
    }
  }

  /// Rare files are libjpeg's from the beginning.
  @Test(arguments: [
    ("progressive-422.jpg", true), ("cmyk-adobe.jpg", true), ("ycck-adobe.jpg", true),
    ("baseline-420.jpg", false), ("exif-icc-444.jpg", false), ("gray.jpg", false),
  ])
  func whoDecodes(_ name: String, _ usesLibjpeg: Bool) {
    let own = DecodedRows(Fixture.bytes(name), shrink: 1, .own)
    #expect(own.usedLibjpeg == usesLibjpeg && own.error.isEmpty)
    #expect(own.agrees(with: DecodedRows(Fixture.bytes(name), shrink: 1, .libjpeg)))
    let rare = JPEGScan(across: 4, down: 1).encode(.waves(50, 50, .rgb8))
    #expect(DecodedRows(rare, shrink: 1, .own).usedLibjpeg)
  }

  /// Damage of any kind: the same rows, then the same words.
  @Test(arguments: 0..<12, [false, true])
  func damageIsLibjpegs(_ seed: Int, _ acceptsDamage: Bool) {
    var random = Xorshift(state: 0x9e37_79b9_7f4a_7c15 ^ UInt64(seed))
    let scan = Self.scans[seed % Self.scans.count]
    let shrink = [1, 2, 4, 8][Int(random.next() % 4)]
    let format: PixelFormat = seed % 5 == 4 ? .gray8 : .rgb8
    let whole = scan.encode(.random(Int(random.next() % 90) + 20, Int(random.next() % 90) + 1, format, &random))
    for _ in 0..<rounds(150) {
      let file = Damage.any(whole, &random)
      let own = DecodedRows(file, shrink: shrink, acceptsDamage: acceptsDamage, .own)
      let libjpeg = DecodedRows(file, shrink: shrink, acceptsDamage: acceptsDamage, .libjpeg)
      let region = Region.random(&random)
      let part = DecodedRows(file, shrink: shrink, acceptsDamage: acceptsDamage, .own, region: region)
      #expect(
        part.agrees(
          with: DecodedRows(
            file, shrink: shrink, acceptsDamage: acceptsDamage, .libjpeg, region: region)),
        "seed \(seed): part of \(scan) at 1/\(shrink), \(file.count) bytes: \(part)")
      #expect(
        own.agrees(with: libjpeg),
        "seed \(seed): \(scan) at 1/\(shrink), \(file.count) bytes: \(own) and \(libjpeg)")
    }
  }
}

extension Region {
  /// Returns a function that chooses random regions of a picture whose size is not yet known, often at an edge.
  static func random(_ random: inout Xorshift) -> (_ width: Int, _ height: Int) -> Region {
    func span(_ seeds: (UInt64, UInt64, UInt64), _ side: Int) -> (first: Int, count: Int) {
      let count = 1 + Int(seeds.0 % UInt64(side))
      let spare = side - count
      let first = [0, spare, Int(seeds.1 % UInt64(spare + 1))][min(2, Int(seeds.2 % 5))]
      return (first, count)
    }
    let across = (random.next() >> 8, random.next() >> 8, random.next() >> 8)
    let down = (random.next() >> 8, random.next() >> 8, random.next() >> 8)
    return { width, height in
      let (x, y) = (span(across, width), span(down, height))
      return Region(left: x.first, top: y.first, width: x.count, height: y.count)
    }
  }
}

/// Ways to break a file.
enum Damage {
  static func any(_ whole: [UInt8], _ random: inout Xorshift) -> [UInt8] {
    func place(_ bytes: [UInt8]) -> Int { Int(random.next() % UInt64(max(bytes.count, 1))) }
    var file = whole
    switch random.next() % 6 {
    case 0: file.removeSubrange(place(file)...)
    case 1: file.remove(at: place(file))
    case 2: file.insert(UInt8(truncatingIfNeeded: random.next()), at: place(file))
    case 3:
      // A marker, or what looks like one, near the end of the file, where the scan is.
      let index = file.count / 2 + place(file) / 2
      file[max(index - 2, 0)] = 0xff
      file[min(index, file.count - 1)] = [0xd0, 0xd9, 0xff, 0x00, 0xdc][Int(random.next() % 5)]
    default:
      for _ in 0...Int(random.next() % 3) { file[place(file)] ^= 1 << UInt8(random.next() % 8) }
    }
    return file
  }
}
