import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook

/// JPEGs with a broken header are refused.
@Suite struct JPEGHeaderTests {
  static let jpeg = TestPicture(1).jpeg()

  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let marker: UInt8
    /// The offset from the marker.
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

  /// Each in front of a marker of the whole file.
  @Test(
    arguments: [
      ([7], 0xdb, .strayBytes), ([0xff, 0x00], 0xc4, .strayBytes),
      ([0xff, 0xdd, 0, 5, 0, 1, 0], 0xda, .damaged("wrong length of the restart interval")),
      ([0xff, 0xd8], 0xdb, .damaged("two starts of image")),
      ([0xff, 0xd9], 0xc4, .damaged("the image ends before its first scan")),
      ([0xff, 0xda, 0, 2], 0xc0, .damaged("a scan before the frame header")),
      ([0xff, 0xc0, 0, 8, 8, 0, 0, 0, 9, 1], 0xc0, .damaged("the frame header states no size")),
      ([0xff, 0xfe, 0, 1], 0xc0, .damaged("invalid length of a segment")),
    ] as [([UInt8], UInt8, JPEGFault)])
  func whatDoesNotBelong(bytes: [UInt8], marker: UInt8, fault: JPEGFault) throws {
    var broken = Self.jpeg
    broken.insert(contentsOf: bytes, at: Self.place(marker, in: broken))
    #expect(throws: fault) { try PDFPicture(jpeg: broken) }
  }

  /// A megabyte of tiny segments: as many calls of the system as of large ones, and every byte read once.
  @Test(
    arguments: sampled(
      [
        [0xff, 0xe1, 0, 2], [0xff, 0xe2, 0, 2], [0xff, 0xfe, 0, 2], [0xff, 0xc4, 0, 2],
        [0xff, 0xdb, 0, 2], [0xff, 0xdd, 0, 4, 0, 0], [0xff, 0x01], [0xff],
      ] as [[UInt8]]))
  func longHeadersOfShortSegments(segment: [UInt8]) throws {
    var segments: [UInt8] = []
    while segments.count < 1_000_000 { segments += segment }
    let bytes = Self.jpeg[..<2] + segments + Self.jpeg[2...]
    var (calls, read) = (0, 0)
    var reader = JPEGHeaderReader(count: bytes.count) { (offset, count) throws(FileError) in
      let part = Array(bytes[offset..<min(bytes.count, offset + count)])
      (calls, read) = (calls + 1, read + part.count)
      return part
    }
    #expect(try reader.header() == Self.jpeg.withUnsafeBytes { try JPEGHeader($0) })
    #expect(calls < 40)
    #expect(read < bytes.count + calls * 1_000)
  }

  @Test func twoFrames() throws {
    var broken = Self.jpeg
    let frame = Self.place(0xc0, in: broken)
    let length = Int(broken[frame + 2]) << 8 | Int(broken[frame + 3])
    broken.insert(contentsOf: broken[frame..<frame + 2 + length], at: frame)
    #expect(throws: JPEGFault.damaged("two frame headers")) { try PDFPicture(jpeg: broken) }
  }

  /// Fill bytes are allowed before any marker (B.1.1.2).
  @Test func fillBytes() throws {
    var padded = Self.jpeg
    for marker in [0xdb, 0xc0, 0xc4, 0xda] as [UInt8] {
      padded.insert(contentsOf: [0xff, 0xff], at: Self.place(marker, in: padded))
    }
    _ = try PDFPicture(jpeg: padded)
  }

  @Test func headersOfProgressivePictures() throws {
    let jpeg = TestPicture(1).jpeg(progressive: true)
    _ = try PDFPicture(jpeg: jpeg)
    let scan = Self.place(0xda, in: jpeg)
    let end = scan + 5 + 2 * Int(jpeg[scan + 4])
    for (offset, value) in [(0, 5), (1, 64), (2, 0x31), (2, 14)] as [(Int, UInt8)] {
      var broken = jpeg
      broken[end + offset] = value
      #expect(throws: JPEGFault.damaged("invalid parameters of a scan")) {
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
    #expect(
      (picture.format.width, picture.format.height) == (TestPicture(1).width, TestPicture(1).height)
    )
  }

  static func place(_ marker: UInt8, in jpeg: [UInt8]) -> Int {
    jpeg.indices.first { jpeg[$0] == 0xff && jpeg[$0 + 1] == marker }!
  }
}
