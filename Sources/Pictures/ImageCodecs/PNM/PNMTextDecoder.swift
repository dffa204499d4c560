import ImageCore

/// Rows of a PNM whose samples are decimal digits (P1, P2, P3).
final class PNMTextDecoder: RowSource {
  let layout: PictureLayout
  private let header: PNMHeader
  private let acceptsDamage: Bool
  private var parser: PNMParser
  /// Whether the rest cannot be read.
  private var hasEnded = false

  init(_ source: ByteSource, _ header: PNMHeader, acceptsDamage: Bool) {
    layout = header.layout
    self.header = header
    self.acceptsDamage = acceptsDamage
    parser = PNMParser(source, at: header.pixelOffset)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for row in 0..<count { try readRow(into: destination + row * stride) }
  }

  private func readRow(into row: UnsafeMutableRawPointer) throws(PictureError) {
    let count = layout.width * layout.bands
    let size = layout.format.sample.byteCount
    for index in 0..<count {
      guard !hasEnded, let sample = try sample() else {
        hasEnded = true
        row.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
        return
      }
      let value = header.scaled(sample)
      if size == 1 {
        row.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
      } else {
        row.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
      }
    }
  }

  /// Returns the next sample; nil at the end of the file or at damage, if that is accepted.
  private func sample() throws(PictureError) -> Int? {
    do throws(PictureError) {
      let sample = header.isInverted ? try digit() : try parser.number()
      guard let sample else { throw .codec(.truncated) }
      guard sample <= header.maximum else { throw .codec(PNMCodec.excess) }
      return sample
    } catch {
      guard acceptsDamage, case .codec = error else { throw error }
      return nil
    }
  }

  /// Returns a pixel of a bitmap, whose digits need no white space between them.
  private func digit() throws(PictureError) -> Int? {
    guard let digit = try parser.skip() else { return nil }
    guard digit == UInt8(ascii: "0") || digit == UInt8(ascii: "1") else {
      throw .codec(.damaged("it has a word instead of a number"))
    }
    parser.offset += 1
    return Int(digit - UInt8(ascii: "0"))
  }
}
