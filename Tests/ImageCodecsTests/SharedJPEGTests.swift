import Dispatch
import ImageCore
import JPEGDecoding
import Synchronization
import TestSupport
import Testing

@testable import ImageCodecs

/// Several workers that decode a JPEG with restart markers return the same bytes and messages as one worker.
@Suite struct SharedJPEGTests {
  /// Workers that run in a fixed order, and the number of times that they were requested.
  final class Helpers: Sendable {
    let calls = Atomic<Int>(0)
    let order: @Sendable (Int) -> [Int]

    /// Nil for threads.
    init(_ order: (@Sendable (Int) -> [Int])?) { self.order = order ?? { _ in [] } }

    func workers(_ count: Int, blocksAtOnce: Int) -> DecodingWorkers {
      DecodingWorkers(count: count, blocksAtOnce: blocksAtOnce) { [self] count, body in
        calls.add(1, ordering: .relaxed)
        let indices = order(count)
        if indices.isEmpty {
          DispatchQueue.concurrentPerform(iterations: count, execute: body)
        } else {
          for index in indices { body(index) }
        }
      }
    }

    var wereCalled: Bool { calls.load(ordering: .relaxed) > 0 }

    static func any(_ random: inout Xorshift) -> Helpers {
      switch random.next() % 3 {
      case 0: Helpers { Array(0..<$0) }
      case 1: Helpers { (0..<$0).reversed() }
      default: Helpers(nil)
      }
    }
  }

  /// Segments of whole rows of MCUs, of parts of them, of several and of what fits nothing.
  static func scan(_ format: PixelFormat, _ width: Int, _ random: inout Xorshift) -> JPEGScan {
    var scan = JPEGScan()
    if format == .rgb8 { (scan.across, scan.down) = [(1, 1), (2, 1), (2, 2), (1, 2)][Int(random.next() % 4)] }
    scan.quality = [20, 75, 97][Int(random.next() % 3)]
    scan.optimise = random.next() % 2 == 0
    let across = (width + 8 * scan.across - 1) / (8 * scan.across)
    scan.restartInterval = [1, across, 2 * across, 3, 5, 7][Int(random.next() % 6)]
    return scan
  }

  @Test(arguments: sampled(Array(0..<6)), [1, 2, 4, 8])
  func pixelsAreThoseOfLibjpeg(_ seed: Int, _ shrink: Int) {
    var random = Xorshift(state: 0x6c62_272e_07bb_0142 ^ UInt64(seed * 8 + shrink))
    var shared = 0
    for _ in 0..<10 {
      let (width, height) = (Int(random.next() % 190) + 17, Int(random.next() % 190) + 1)
      let format: PixelFormat = random.next() % 4 == 0 ? .gray8 : .rgb8
      let scan = Self.scan(format, width, &random)
      let file = scan.encode(.random(width, height, format, &random))
      let region = random.next() % 3 == 0 ? Region.random(&random) : nil
      let helpers = Helpers.any(&random)
      let own = DecodedRows(
        file, shrink: shrink, .own, region: region,
        workers: helpers.workers(
          Int(random.next() % 3) + 2, blocksAtOnce: Int(random.next() % 20) + 1),
        stripRows: [3, 40][Int(random.next() % 2)])
      let libjpeg = DecodedRows(file, shrink: shrink, .libjpeg, region: region)
      #expect(
        own.agrees(with: libjpeg) && own.error.isEmpty && !own.usedLibjpeg,
        "\(width)x\(height) \(format) \(scan) at 1/\(shrink): \(own) and \(libjpeg)")
      shared += helpers.wereCalled ? 1 : 0
    }
    #expect(shared >= 3, "hardly any was shared: \(shared)")
  }

  /// Rows so long that pixels, too, are made by several; pieces of the file end anywhere in segments.
  @Test(.thorough, arguments: [1, 2, 8]) func longRows(_ shrink: Int) {
    var random = Xorshift(state: 99)
    let picture = Pixels.random(3001, 130, .rgb8, &random)
    for scan in [
      JPEGScan(across: 2, down: 2, quality: 95, restartInterval: 188),
      JPEGScan(across: 2, quality: 98, restartInterval: 94),
    ] {
      let file = scan.encode(picture)
      #expect(file.count > 200_000)
      let helpers = Helpers(nil)
      let own = DecodedRows(file, shrink: shrink, .own, workers: helpers.workers(3, blocksAtOnce: 1000), stripRows: 100)
      #expect(own.agrees(with: DecodedRows(file, shrink: shrink, .libjpeg)), "\(scan)")
      #expect(!own.usedLibjpeg && helpers.wereCalled)
    }
  }

  /// Any number of 0xFF may stand before a marker, and anything between a segment's bits and it.
  @Test func paddedMarkers() {
    let file = JPEGScan(restartInterval: 4).encode(.waves(64, 100, .rgb8))
    for padding: [UInt8] in [[0xff], [0xff, 0xff], [0], [3, 0xff, 0, 9]] {
      var padded: [UInt8] = []
      for (index, byte) in file.enumerated() {
        let isMarker = byte == 0xff && index + 1 < file.count && (0xd0...0xd7).contains(file[index + 1])
        padded += (isMarker ? padding : []) + [byte]
      }
      #expect(padded.count > file.count + 20)
      let helpers = Helpers(nil)
      let own = DecodedRows(
        padded, shrink: 1, .own, workers: helpers.workers(2, blocksAtOnce: 10))
      #expect(!own.usedLibjpeg && own.error.isEmpty && helpers.wereCalled, "\(padding)")
      #expect(own.agrees(with: DecodedRows(padded, shrink: 1, .libjpeg)), "\(padding)")
    }
  }

  /// Damage of any kind: the same rows, then the same words.
  @Test(arguments: 0..<8, [false, true])
  func damageIsTheSame(_ seed: Int, _ acceptsDamage: Bool) {
    var random = Xorshift(state: 0x0123_4567_89ab_cdef ^ UInt64(seed))
    let shrink = [1, 2, 4, 8][Int(random.next() % 4)]
    let format: PixelFormat = seed % 5 == 4 ? .gray8 : .rgb8
    let width = Int(random.next() % 90) + 20
    let scan = Self.scan(format, width, &random)
    let whole = scan.encode(.random(width, Int(random.next() % 90) + 30, format, &random))
    for round in 0..<60 {
      let file = Damage.any(whole, &random)
      let workers = Helpers.any(&random).workers(2, blocksAtOnce: Int(random.next() % 20) + 1)
      // libjpeg reads on below some parts.
      let region = round % 3 == 0 ? Region.random(&random) : nil
      let own = DecodedRows(file, shrink: shrink, acceptsDamage: acceptsDamage, .own, region: region, workers: workers)
      let alone = DecodedRows(
        file, shrink: shrink, acceptsDamage: acceptsDamage, region == nil ? .libjpeg : .own,
        region: region)
      #expect(
        own.agrees(with: alone),
        "seed \(seed): \(scan) at 1/\(shrink), \(file.count) bytes: \(own) and \(alone)")
    }
  }

  /// Too small, no markers, too few of them, one worker: nobody is asked.
  @Test(arguments: [(0, 2, 1), (64, 2, 1), (8, 2, 10_000), (8, 1, 1)])
  func oneIsAsGood(_ interval: Int, _ count: Int, _ blocks: Int) {
    let file = JPEGScan(restartInterval: interval).encode(.waves(64, 64, .rgb8))
    let helpers = Helpers(nil)
    let own = DecodedRows(file, shrink: 1, .own, workers: helpers.workers(count, blocksAtOnce: blocks))
    #expect(!own.usedLibjpeg && own.error.isEmpty && !helpers.wereCalled)
  }
}
