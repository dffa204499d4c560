import ImageCore
import Testing

@testable import PDFVerify

/// Rows that are decoded as they are asked for.
@Suite struct StoredRowsTests {
  private static let layout = PictureLayout(width: 5, height: 150, format: .gray8)

  private static func buffer() -> PixelBuffer {
    let buffer = PixelBuffer(layout)
    for y in 0..<layout.height {
      for x in 0..<layout.width {
        buffer.row(y).storeBytes(of: UInt8(truncatingIfNeeded: y * 7 + x), toByteOffset: x, as: UInt8.self)
      }
    }
    return buffer
  }

  /// Breaks before a row.
  private final class Source: RowSource {
    private let source = BufferSource(StoredRowsTests.buffer())
    private var left: Int
    var layout: PictureLayout { source.layout }

    init(rows: Int) { left = rows }

    func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
      left -= count
      guard left >= 0 else { throw .operation(.tooLarge(width: 1, height: 1)) }
      try source.read(count, into: destination, stride: stride)
    }
  }

  private static func values(_ rows: StoredRows, _ y: Int) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: rows.row(y), count: layout.width))
  }

  @Test(arguments: [[0, 1, 63, 64, 127, 128, 149], [149], [70, 3, 3, 149, 0]])
  func rowsAreThoseOfTheWhole(order: [Int]) {
    var opened = 0
    let rows = StoredRows(Self.layout) { () throws(PictureError) in
      opened += 1
      return Source(rows: 150)
    }
    let whole = StoredRows(Self.buffer())
    for y in order { #expect(Self.values(rows, y) == Self.values(whole, y)) }
    rows.finish()
    #expect(rows.failure == nil)
    #expect(opened == (order.count == 5 ? 3 : 1))
  }

  @Test func damageIsNotedEvenWhereNobodyLooked() {
    let rows = StoredRows(Self.layout) { () throws(PictureError) in Source(rows: 128) }
    #expect(Self.values(rows, 127) == (0..<5).map { UInt8(truncatingIfNeeded: 127 * 7 + $0) })
    #expect(rows.failure == nil)
    rows.finish()
    #expect(rows.failure != nil)
    #expect(Self.values(rows, 149) == [0, 0, 0, 0, 0])
  }
}
