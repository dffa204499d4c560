import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook

/// JPEGs with missing data are refused, although they are not decoded.
@Suite struct JPEGBodyTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let jpeg: [UInt8]
    var testDescription: String { name }
  }

  /// Pictures of 96 units; those with restart markers have 16 intervals.
  static let kinds = [
    Kind(name: "baseline", jpeg: TestPicture(1).jpeg()),
    Kind(name: "gray", jpeg: TestPicture(1, components: 1).jpeg()),
    Kind(name: "CMYK", jpeg: TestPicture(1, components: 4).jpeg()),
    Kind(name: "progressive", jpeg: TestPicture(1).jpeg(progressive: true)),
    Kind(name: "restarts", jpeg: TestPicture(1).jpeg(restartInterval: 6)),
  ]
  static let restarts = kinds.last!.jpeg

  /// Returns the fault that is found, which must not depend on how the bytes are divided.
  private func fault(_ jpeg: [UInt8]) throws -> JPEGFault? {
    let folder = TestFolder()
    let file = try InputFile(path: folder.write(jpeg, as: "a.jpg"))
    func check(_ body: () throws -> Void) throws -> JPEGFault? {
      do { try body() } catch let fault as JPEGFault { return fault }
      return nil
    }
    let whole = try check { _ = try PDFPicture(jpegFile: file).checkedDigest() }
    for size in [1, 2, 3, 7] {
      let other = try check {
        var body = try #require(try PDFPicture(jpegFile: file).body)
        for start in stride(from: 0, to: jpeg.count, by: size) {
          try jpeg[start..<min(start + size, jpeg.count)].withUnsafeBytes { try body.add($0) }
        }
        try body.finish()
      }
      #expect(other == whole, "in parts of \(size) bytes")
    }
    return whole
  }

  @Test(arguments: kinds) func wholeFiles(_ kind: Kind) throws {
    #expect(try fault(kind.jpeg) == nil)
    // Cameras append other data, such as a second picture.
    #expect(try fault(kind.jpeg + [0xff, 0xc0, 0, 1, 7] + kind.jpeg.prefix(300)) == nil)
    // Fill bytes before a marker (B.1.1.2).
    #expect(try fault(kind.jpeg.dropLast(2) + [0xff, 0xff, 0xff, 0xd9]) == nil)
    let folder = TestFolder()
    let picture = try PDFPicture(jpegFile: InputFile(path: folder.write(kind.jpeg, as: "a.jpg")))
    #expect(try picture.checkedDigest() == SHA256.digest(of: kind.jpeg))
  }

  @Test(.thorough, arguments: kinds) func cutFiles(_ kind: Kind) throws {
    let scan = JPEGHeaderTests.place(0xda, in: kind.jpeg)
    for count in stride(from: scan + 20, to: kind.jpeg.count - 1, by: isThorough ? 13 : 61) {
      #expect(try fault(Array(kind.jpeg[..<count])) != nil, "\(count) bytes")
    }
    #expect(try fault(kind.jpeg.dropLast(2)) == .truncated)
    #expect(try fault(kind.jpeg.dropLast(1)) == .truncated)
  }

  /// Repair programs append an end marker to a truncated file.
  @Test(arguments: kinds) func cutFilesThatEnd(_ kind: Kind) throws {
    let scan = JPEGHeaderTests.place(0xda, in: kind.jpeg)
    let mended = Array(kind.jpeg[..<(scan + 20)]) + [0xff, 0xd9]
    let found = try fault(mended)
    if case .damaged? = found {} else { Issue.record("\(String(describing: found))") }
  }

  /// The first scan says that it has one component less: there is no scan for the last, or only bands.
  @Test(arguments: [
    (false, "the image ends before its last scan"), (true, "scans in the wrong order"),
  ])
  func missingScans(isProgressive: Bool, words: String) throws {
    let jpeg = TestPicture(1, components: 4).jpeg(progressive: isProgressive)
    let first = JPEGHeaderTests.place(0xda, in: jpeg)
    #expect(jpeg[first + 4] == 4)
    var broken = jpeg
    broken[first + 3] -= 2
    broken[first + 4] -= 1
    broken.removeSubrange(first + 11..<first + 13)
    #expect(try fault(broken) == .damaged(words))
  }

  @Test func restartMarkers() throws {
    let scan = JPEGHeaderTests.place(0xda, in: Self.restarts)
    let markers = (scan..<Self.restarts.count - 1).filter {
      Self.restarts[$0] == 0xff && (0xd0...0xd7).contains(Self.restarts[$0 + 1])
    }
    #expect(markers.count > 8)
    var lost = Self.restarts
    lost.removeSubrange(markers[2]..<markers[3])
    #expect(try fault(lost) == .damaged("missing restart marker 3"))
    var cut = Array(Self.restarts[..<markers[8]])
    cut += [0xff, 0xd9]
    #expect(try fault(cut) == .damaged("data missing at the end of a scan"))
    // A surplus restart marker is allowed only at the end.
    let body = Self.restarts.dropLast(2)
    #expect(try fault(body + [0xff, 0xd3, 0xff, 0xd9]) == nil)
    let tooMany = JPEGFault.damaged("too many restart markers")
    #expect(try fault(body + [0xff, 0xd7, 7, 7, 0xff, 0xd9]) == tooMany)
    #expect(try fault(body + [0xff, 0xd7, 0xff, 0xd0, 0xff, 0xd9]) == tooMany)
    var empty = Self.restarts
    empty.removeSubrange(markers[3] + 2..<markers[4])
    #expect(try fault(empty) == .damaged("data missing before restart marker 5"))
    var wrong = Self.restarts
    wrong[markers[6] + 1] = 0xd1
    #expect(try fault(wrong) == .damaged("missing restart marker 7"))
  }

  /// Decoders take an unexpected restart marker for the end of the data, or for a new interval.
  @Test(arguments: kinds.dropLast()) func restartMarkersThatNobodyAnnounced(_ kind: Kind) throws {
    let scan = JPEGHeaderTests.place(0xda, in: kind.jpeg)
    for code in [0xd0, 0xd7] as [UInt8] {
      var broken = kind.jpeg
      // Not inside a stuffed byte 255.
      let place = (scan + 20..<kind.jpeg.count).first {
        kind.jpeg[$0] != 0xff && kind.jpeg[$0 - 1] != 0xff
      }!
      broken.insert(contentsOf: [0xff, code], at: place)
      #expect(
        try fault(broken)
          == .damaged("unexpected restart marker RST\(code & 7)"))
    }
    let last = Array(kind.jpeg.dropLast(2)) + [0xff, 0xd0, 0xff, 0xd9]
    #expect(try fault(last) == .damaged("unexpected restart marker RST0"))
  }

  /// Scans of a progressive picture state which bits were known before.
  @Test func scansThatDoNotFollow() throws {
    let jpeg = TestPicture(1).jpeg(progressive: true)
    let starts = (JPEGHeaderTests.place(0xda, in: jpeg)..<jpeg.count - 1).filter {
      jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xda
    }
    #expect(starts.count > 6)
    func end(_ index: Int) -> Int { starts[index] + 5 + 2 * Int(jpeg[starts[index] + 4]) }
    // The last scan refines: what it says was known before is what another scan gave.
    let last = starts.indices.last { jpeg[end($0) + 2] >> 4 > 0 }!
    var broken = jpeg
    broken[end(last) + 2] += 0x11
    #expect(try fault(broken) == .damaged("scans in the wrong order"))
  }

  /// The scans of one component: first and last coefficient, and the bits before and after.
  @Test(
    arguments: [
      (
        [[0, 0, 0x01], [1, 5, 0x02], [6, 63, 0x02], [1, 63, 0x21], [0, 0, 0x10], [1, 63, 0x10]], true
      ),
      ([[0, 0, 0x00], [1, 63, 0x00]], true), ([[1, 63, 0x00], [0, 0, 0x00]], false),
      ([[0, 0, 0x01], [0, 0, 0x21]], false), ([[0, 0, 0x00], [0, 0, 0x00]], true),
      ([[0, 0, 0x01], [1, 5, 0x02], [1, 63, 0x21]], false), ([[0, 0, 0x10]], false),
    ] as [([[UInt8]], Bool)])
  func progressions(scans: [[UInt8]], isRight: Bool) throws {
    let frame = try JPEGFrame(0xc2, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
    var progression = JPEGProgression()
    var fault: JPEGFault?
    do throws(JPEGFault) {
      for scan in scans { try progression.add(JPEGScan([1, 1, 0] + scan, of: frame)) }
    } catch {
      fault = error
    }
    #expect(fault == (isRight ? nil : .damaged("scans in the wrong order")))
  }

  /// Decoders skip these bytes, but a book refuses them. They are no damage, but PDF readers differ.
  @Test func bytesBetweenScans() throws {
    let jpeg = TestPicture(1).jpeg(progressive: true)
    let table = (JPEGHeaderTests.place(0xda, in: jpeg)..<jpeg.count - 1).first {
      jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xc4
    }!
    var strange = jpeg
    let length = Int(jpeg[table + 2]) << 8 | Int(jpeg[table + 3])
    strange.insert(7, at: table + 2 + length)
    #expect(try fault(strange) == .strayBytes)
    strange[table + 2 + length] = 0
    #expect(try fault(strange) == nil)
  }

  /// A byte of the data that became 255 makes a marker of the one behind it.
  @Test func markersInData() throws {
    let jpeg = Self.kinds[0].jpeg
    let middle = jpeg.count - 200
    for (code, words) in [(0x3c, "FF3C"), (0xd8, "FFD8"), (0xe1, "FFE1")] as [(UInt8, String)] {
      var broken = jpeg
      (broken[middle], broken[middle + 1]) = (0xff, code)
      if code == 0xe1 { broken.replaceSubrange(middle + 2..<middle + 4, with: [0, 2]) }
      let found = try #require(try fault(broken))
      #expect(
        "\(found)".contains("unexpected marker \(words)")
          || "\(found)".contains("data missing"), "\(found)")
    }
  }
}
