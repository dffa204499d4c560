/// Finds the palette colour nearest to a given colour, exactly and quickly.
///
/// The colour space is divided into a grid of cells. Each cell lists the few palette colours that can be nearest to any
/// colour inside it. A cell's list is created on first use.
struct NearestColour {
  /// The number of steps between two adjacent integer values of a component.
  static let unit: Int32 = 16

  /// The colours, times `unit`.
  private let colours: [SIMD4<Int32>]
  private let weights: SIMD4<Int32>
  /// The number of bits of a component that select the cell: 5 without alpha, else 4.
  private let bits: Int32
  private let hasAlpha: Bool
  /// The index in `lists` at which each cell's list starts; 0 if the list does not exist yet. The first entry of a list
  /// is its length minus 1.
  private var starts: [UInt32]
  private var lists: [UInt8] = [0]
  private var least: [Int32]

  /// - Parameter colours: 1 to 256 premultiplied colours with components from 0 to 255.
  init(_ colours: [SIMD4<Int32>], hasAlpha: Bool) {
    self.colours = colours.map { $0 &* Self.unit }
    self.hasAlpha = hasAlpha
    weights = Quantiser.weights
    bits = hasAlpha ? 4 : 5
    starts = [UInt32](repeating: 0, count: hasAlpha ? 1 << 16 : 1 << 15)
    least = [Int32](repeating: 0, count: colours.count)
  }

  /// Returns the memory in bytes for the grid and its lists, each of which has a few colours.
  static func byteCount(_ colours: Int, _ hasAlpha: Bool) -> Int {
    (hasAlpha ? 1 << 16 : 1 << 15) * (min(colours, 64) + 6)
  }

  /// Returns the index of the palette colour nearest to a colour whose components are from 0 to 255, times `unit`.
  @inline(__always)
  mutating func index(of colour: SIMD4<Int32>) -> Int {
    let shift = 12 - bits
    var number =
      Int(colour.x >> shift) << (2 * Int(bits)) | Int(colour.y >> shift) << Int(bits) | Int(colour.z >> shift)
    if hasAlpha { number = number << 4 | Int(colour.w >> shift) }
    if starts[number] == 0 { makeList(number, colour) }
    var start = Int(starts[number])
    var count = Int(lists[start])
    var best = Int(lists[start + 1])
    if count == 0 { return best }
    var nearest = distance(colour, best)
    start += 2
    while count > 0 {
      let index = Int(lists[start])
      let distance = distance(colour, index)
      if distance < nearest { (nearest, best) = (distance, index) }
      start += 1
      count -= 1
    }
    return best
  }

  @inline(__always)
  private func distance(_ colour: SIMD4<Int32>, _ index: Int) -> Int32 {
    let difference = colour &- colours[index]
    return (difference &* difference &* weights).wrappedSum()
  }

  /// Lists the colours that may be the nearest one somewhere in a cell: a colour is left out if its smallest distance
  /// to the cell exceeds another colour's largest distance.
  private mutating func makeList(_ number: Int, _ colour: SIMD4<Int32>) {
    let side: Int32 = 1 << (12 - bits)
    var low = colour & SIMD4(repeating: ~(side - 1))
    var high = low &+ (side - 1)
    if !hasAlpha { (low.w, high.w) = (colour.w, colour.w) }
    var bound = Int32.max
    for (index, entry) in colours.enumerated() {
      let (under, over) = (low &- entry, entry &- high)
      var outside = under
      outside.replace(with: over, where: over .> under)
      outside.replace(with: 0, where: outside .< 0)
      // The corner that is farthest from the colour.
      var across = high &- entry
      let other = entry &- low
      across.replace(with: other, where: other .> across)
      least[index] = (outside &* outside &* weights).wrappedSum()
      bound = min(bound, (across &* across &* weights).wrappedSum())
    }
    starts[number] = UInt32(lists.count)
    lists.append(0)
    var count = 0
    for index in colours.indices where least[index] <= bound {
      lists.append(UInt8(index))
      count += 1
    }
    lists[Int(starts[number])] = UInt8(count - 1)
  }
}
