import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

/// JPEGs whose header is broken go into no book.
@Suite struct JPEGHeaderTests {
  static let jpeg = TestPicture(1).jpeg()

  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let marker: UInt8
    /// From the marker on.
    let offset: Int
    let value: UInt8
    var testDescription: String { name }
  }

  static let faults = [
    Fault(name: "another quantisation table is defined", marker: 0xdb, offset: 4, value: 2),
    Fault(name: "an impossible quantisation table", marker: 0xdb, offset: 4, value: 0x20),
    Fault(name: "table of a component", marker: 0xc0, offset: 12, value: 3),
    Fault(name: "sampling factors", marker: 0xc0, offset: 11, value: 0x05),
    Fault(name: "another Huffman table is defined", marker: 0xc4, offset: 4, value: 3),
    Fault(name: "too many codes of one bit", marker: 0xc4, offset: 5, value: 4),
    Fault(name: "length of a scan header", marker: 0xda, offset: 3, value: 11),
    Fault(name: "component of a scan", marker: 0xda, offset: 5, value: 77),
    Fault(name: "table of a scan", marker: 0xda, offset: 6, value: 0x33),
    Fault(name: "length of a segment", marker: 0xda, offset: 2, value: 255),
  ]

  @Test(arguments: JPEGHeaderTests.faults) func brokenHeaders(_ fault: Fault) throws {
    _ = try PDFPicture(jpeg: Self.jpeg)
    var broken = Self.jpeg
    broken[Self.place(fault.marker, in: broken) + fault.offset] = fault.value
    #expect { try PDFPicture(jpeg: broken) } throws: { error in
      if case .damaged? = error as? JPEGFault { true } else { false }
    }
  }

  @Test func headersOfProgressivePictures() throws {
    let jpeg = TestPicture(1).jpeg(progressive: true)
    _ = try PDFPicture(jpeg: jpeg)
    let scan = Self.place(0xda, in: jpeg)
    let end = scan + 5 + 2 * Int(jpeg[scan + 4])
    for (offset, value) in [(0, 5), (1, 64), (2, 0x31), (2, 14)] as [(Int, UInt8)] {
      var broken = jpeg
      broken[end + offset] = value
      #expect(throws: JPEGFault.damaged("its scan has impossible parameters")) {
        try PDFPicture(jpeg: broken)
      }
    }
  }

  /// Every prefix of a header is refused, and none reads beyond it.
  @Test func cutHeaders() {
    let scan = Self.place(0xda, in: Self.jpeg)
    for count in 0..<(scan + 4) {
      #expect(throws: JPEGFault.self) { try PDFPicture(jpeg: Array(Self.jpeg[..<count])) }
    }
  }

  /// A header longer than what is read at once.
  @Test func longHeaders() throws {
    var jpeg = Self.jpeg
    let comment = [0xff, 0xfe, 0x08, 0x00] + [UInt8](repeating: 0x20, count: 0x7fe)
    for _ in 0..<5 { jpeg.insert(contentsOf: comment, at: 2) }
    let picture = try PDFPicture(jpeg: jpeg)
    #expect((picture.width, picture.height) == (TestPicture(1).width, TestPicture(1).height))
  }

  static func place(_ marker: UInt8, in jpeg: [UInt8]) -> Int {
    jpeg.indices.first { jpeg[$0] == 0xff && jpeg[$0 + 1] == marker }!
  }
}
