import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

/// JPEGs whose data is not all there go into no book, although nobody decodes them.
@Suite struct JPEGBodyTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let jpeg: [UInt8]
    var testDescription: String { name }
  }

  /// Of 96 units, in 16 restart intervals where there are any.
  static let kinds = [
    Kind(name: "baseline", jpeg: TestPicture(1).jpeg()),
    Kind(name: "gray", jpeg: TestPicture(1, components: 1).jpeg()),
    Kind(name: "CMYK", jpeg: TestPicture(1, components: 4).jpeg()),
    Kind(name: "progressive", jpeg: TestPicture(1).jpeg(progressive: true)),
    Kind(name: "restarts", jpeg: TestPicture(1).jpeg(restartInterval: 6)),
  ]
  static let restarts = kinds.last!.jpeg

  /// The fault found, whatever the sizes of the parts that the bytes come in.
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
    // What cameras put behind their picture, other pictures among it.
    #expect(try fault(kind.jpeg + [0xff, 0xc0, 0, 1, 7] + kind.jpeg.prefix(300)) == nil)
    // Fill bytes before a marker (B.1.1.2).
    #expect(try fault(kind.jpeg.dropLast(2) + [0xff, 0xff, 0xff, 0xd9]) == nil)
    let folder = TestFolder()
    let picture = try PDFPicture(jpegFile: InputFile(path: folder.write(kind.jpeg, as: "a.jpg")))
    #expect(try picture.checkedDigest() == SHA256.digest(of: kind.jpeg))
  }

  @Test(arguments: kinds) func cutFiles(_ kind: Kind) throws {
    let scan = JPEGHeaderTests.place(0xda, in: kind.jpeg)
    for count in stride(from: scan + 20, to: kind.jpeg.count - 1, by: 13) {
      #expect(try fault(Array(kind.jpeg[..<count])) != nil, "\(count) bytes")
    }
    #expect(try fault(kind.jpeg.dropLast(2)) == .truncated)
    #expect(try fault(kind.jpeg.dropLast(1)) == .truncated)
  }

  /// Programs that mend a file that was cut write its end behind what there is.
  @Test(arguments: kinds) func cutFilesThatEnd(_ kind: Kind) throws {
    let scan = JPEGHeaderTests.place(0xda, in: kind.jpeg)
    let mended = Array(kind.jpeg[..<(scan + 20)]) + [0xff, 0xd9]
    let found = try fault(mended)
    if case .damaged? = found {} else { Issue.record("\(String(describing: found))") }
  }

  @Test func missingScans() throws {
    let jpeg = TestPicture(1, components: 4).jpeg(progressive: true)
    let first = JPEGHeaderTests.place(0xda, in: jpeg)
    // The first scan, of direct current, says that it has one component less: there is none for the last.
    #expect(jpeg[first + 4] == 4)
    var broken = jpeg
    broken[first + 3] -= 2
    broken[first + 4] -= 1
    broken.removeSubrange(first + 11..<first + 13)
    #expect(try fault(broken) == .damaged("it ends before all of its scans"))
  }

  @Test func restartMarkers() throws {
    let scan = JPEGHeaderTests.place(0xda, in: Self.restarts)
    let markers = (scan..<Self.restarts.count - 1).filter {
      Self.restarts[$0] == 0xff && (0xd0...0xd7).contains(Self.restarts[$0 + 1])
    }
    #expect(markers.count > 8)
    var lost = Self.restarts
    lost.removeSubrange(markers[2]..<markers[3])
    #expect(try fault(lost) == .damaged("restart marker 3 is missing"))
    var cut = Array(Self.restarts[..<markers[8]])
    cut += [0xff, 0xd9]
    #expect(try fault(cut) == .damaged("the data of a scan ends too early"))
    // One too many harms nobody.
    #expect(try fault(Self.restarts.dropLast(2) + [0xff, 0xd3, 0xff, 0xd9]) == nil)
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
        "\(found)".contains("interrupted by marker \(words)")
          || "\(found)".contains("ends too early"), "\(found)")
    }
  }
}
