import CPNG
import ImageCore

/// The distinct colours of a picture, in the order of their first appearance.
struct PNGPalette {
  /// The colours as 0xRRGGBBAA.
  private(set) var colours: [UInt32] = []
  private var indices: [UInt32: UInt8] = [:]

  /// The maximum number of colours.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  /// - Parameter colours: up to 256 colours as 0xRRGGBBAA.
  init(_ colours: [UInt32]) {
    limit = colours.count
    self.colours = colours
  }

  /// Returns the index of a colour; nil if there are too many colours.
  mutating func index(_ colour: UInt32) -> UInt8? {
    if let index = indices[colour] { return index }
    guard colours.count < limit else { return nil }
    let index = UInt8(colours.count)
    colours.append(colour)
    indices[colour] = index
    return index
  }

  /// The smallest number of bits that can represent all indices.
  var bitDepth: Int {
    switch colours.count {
    case ...2: 1
    case ...4: 2
    case ...16: 4
    default: 8
    }
  }

  var plte: spng_plte {
    var chunk = spng_plte()
    chunk.n_entries = UInt32(colours.count)
    withUnsafeMutableBytes(of: &chunk.entries) { bytes in
      let entries = bytes.bindMemory(to: spng_plte_entry.self)
      for (index, colour) in colours.enumerated() {
        entries[index].red = UInt8(colour >> 24)
        entries[index].green = UInt8(colour >> 16 & 0xff)
        entries[index].blue = UInt8(colour >> 8 & 0xff)
      }
    }
    return chunk
  }

  /// The alpha of the colours up to the last one that is not opaque; nil if all are opaque.
  var trns: spng_trns? {
    guard let last = colours.lastIndex(where: { $0 & 0xff != 0xff }) else { return nil }
    var chunk = spng_trns()
    chunk.n_type3_entries = UInt32(last + 1)
    withUnsafeMutableBytes(of: &chunk.type3_alpha) { alpha in
      for index in 0...last { alpha[index] = UInt8(colours[index] & 0xff) }
    }
    return chunk
  }
}
