/// Floyd-Steinberg dithering in rows of alternating direction: a part of each pixel's error is divided among four of
/// its neighbours.
///
/// In flat areas, where banding would be visible, nearly the whole error is passed on. Where the palette colour changes
/// from pixel to pixel anyway, dithering would only add noise.
struct ErrorDiffusion {
  private typealias Colour = SIMD4<Int32>

  private var nearest: NearestColour
  /// The premultiplied palette, multiplied by `NearestColour.unit`.
  private let colours: [SIMD4<Int32>]
  private let width: Int
  /// The errors to add to this row and to the next one, in 1/256 of the steps of `NearestColour`, with an additional
  /// column on each side.
  private var current: [SIMD4<Int32>]
  private var next: [SIMD4<Int32>]
  /// The palette indices that the pixels would have without dithering, for the row above, this row, and the row below.
  private var above: [UInt8] = []
  private var plain: [UInt8] = []
  private var below: [UInt8] = []
  private var isBackwards = false

  init(_ colours: [SIMD4<Int32>], width: Int, hasAlpha: Bool) {
    nearest = NearestColour(colours, hasAlpha: hasAlpha)
    self.colours = colours.map { $0 &* NearestColour.unit }
    self.width = width
    current = [SIMD4<Int32>](repeating: SIMD4(), count: width + 2)
    next = current
  }

  /// Returns the memory in bytes for rows of errors and indices, and for the row of colours that the caller keeps.
  static func byteCount(width: Int) -> Int { width * (3 * MemoryLayout<Colour>.stride + 3) }

  /// Finds the nearest colours of the first row.
  mutating func begin(row: [SIMD4<Int32>]) {
    below = [UInt8](repeating: 0, count: width)
    findNearest(row)
    plain = below
    above = below
  }

  /// Finds the nearest colours of the row below the one that `convert` processes next.
  mutating func look(at row: [SIMD4<Int32>]) { findNearest(row) }

  /// Prepares for the last row; called instead of `look` before `convert` processes that row.
  mutating func lookAtEnd() { below = plain }

  private mutating func findNearest(_ row: [SIMD4<Int32>]) {
    var last = (colour: SIMD4<Int32>(repeating: -1), index: UInt8(0))
    for x in 0..<width {
      let colour = row[x]
      if colour != last.colour {
        last = (colour, UInt8(truncatingIfNeeded: nearest.index(of: colour &* NearestColour.unit)))
      }
      below[x] = last.index
    }
  }

  /// Chooses the palette index of each pixel of a row.
  mutating func convert(_ row: [SIMD4<Int32>], to indices: UnsafeMutablePointer<UInt8>) {
    let step = isBackwards ? -1 : 1
    var x = isBackwards ? width - 1 : 0
    var ahead = SIMD4<Int32>()
    for _ in 0..<width {
      let colour = row[x]
      let error = ((current[x + 1] &+ ahead &+ 128) &>> 8).clamped(lowerBound: Self.lowest, upperBound: Self.highest)
      var target = (colour &* NearestColour.unit &+ error).clamped(lowerBound: SIMD4(), upperBound: Self.white)
      // Transparent pixels receive no error at all, and opaque pixels none in alpha.
      if colour.w == 0 { target = SIMD4() } else if colour.w == 255 { target.w = Self.white.w }
      let index = nearest.index(of: target)
      indices[x] = UInt8(truncatingIfNeeded: index)
      let strength = colour.w == 0 ? 0 : Self.strengths[equalNeighbours(x)]
      let part = (target &- colours[index]) &* strength
      ahead = part &* 7
      next[x + 1 - step] &+= part &* 3
      next[x + 1] &+= part &* 5
      next[x + 1 + step] &+= part
      x += step
    }
    swap(&current, &next)
    for index in next.indices { next[index] = SIMD4() }
    isBackwards.toggle()
    swap(&above, &plain)
    swap(&plain, &below)
  }

  /// Returns how many of a pixel's four neighbours have the same nearest palette colour before dithering.
  @inline(__always)
  private func equalNeighbours(_ x: Int) -> Int {
    let own = plain[x]
    return (above[x] == own ? 1 : 0) + (below[x] == own ? 1 : 0) + (plain[max(0, x - 1)] == own ? 1 : 0)
      + (plain[min(width - 1, x + 1)] == own ? 1 : 0)
  }

  /// The share of the error that is passed on, in sixteenths, by the number of equal neighbours.
  private static let strengths: [Int32] = [0, 0, 3, 8, 15]
  /// The largest error that a pixel accepts. A larger error would leave specks far from its origin.
  private static let limit: Int32 = 40 * NearestColour.unit
  private static let lowest = SIMD4<Int32>(repeating: -limit)
  private static let highest = SIMD4<Int32>(repeating: limit)
  private static let white = SIMD4<Int32>(repeating: 255 * NearestColour.unit)
}
