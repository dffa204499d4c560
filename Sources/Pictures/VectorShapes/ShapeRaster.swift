/// A filled shape that computes the coverage of pixels row by row, in any order and on any thread.
///
/// A point is inside if the winding number is not 0, so overlapping contours with the same direction form their union.
/// The coverage of a pixel is the exact area inside, except where edges cross, and in rows with many ends of edges.
/// There, the row is cut into slabs of a 16th of a pixel or less, and the crossings and ends are moved to the borders
/// of slabs. Only additions, multiplications, divisions and square roots are used, which have identical results on
/// every processor.
package struct ShapeRaster: Sendable {
  /// An edge, directed downwards.
  struct Edge: Sendable {
    let top, bottom: Double
    /// The x coordinate at the top, and its change per pixel down.
    let x, slope: Double
    /// The limits of the x coordinate, for edges that are lengthened to the end of a slab.
    let least, most: Double
    /// 1 if the contour runs down along the edge, else -1.
    let winding: Int32

    func place(_ y: Double) -> Double { min(most, max(least, x + (y - top) * slope)) }
  }

  private let edges: [Edge]
  /// For each block of rows, the index in `entries` at which its edges begin; at the end, the number of entries.
  private let starts: [Int32]
  private let entries: [Int32]
  private let firstRow: Int
  /// The rows in which pixels may be covered.
  package let rows: Range<Int>
  /// The columns that may have covered pixels. They may extend beyond the picture.
  package let columns: Range<Int>

  private static let blockRows = 16
  /// The largest coordinate, far outside of every picture.
  private static let limit = 1e7
  /// The maximum number of times that a slab with crossing edges is halved.
  private static let maximumDepth = 2
  /// The number of equal slabs of a row with many ends of edges. Cuts at these ends would make at least as many slabs.
  private static let maximumSlabs = 16

  /// - Parameters:
  ///   - contours: the contours; open ones are closed by a line.
  ///   - rows: the rows that callers request.
  package init(_ contours: [Contour], rows wanted: Range<Int>) {
    var edges: [Edge] = []
    var (left, right, above, below) = (Self.limit, -Self.limit, Self.limit, -Self.limit)
    for contour in contours {
      guard var previous = contour.points.last.map(Self.clamped) else { continue }
      for point in contour.points {
        let point = Self.clamped(point)
        (left, right) = (min(left, point.x), max(right, point.x))
        (above, below) = (min(above, point.y), max(below, point.y))
        if previous.y != point.y {
          let (high, low) = previous.y < point.y ? (previous, point) : (point, previous)
          if low.y > Double(wanted.lowerBound), high.y < Double(wanted.upperBound) {
            edges.append(
              Edge(
                top: high.y, bottom: low.y, x: high.x, slope: (low.x - high.x) / (low.y - high.y),
                least: min(high.x, low.x), most: max(high.x, low.x), winding: previous.y < point.y ? 1 : -1))
          }
        }
        previous = point
      }
    }
    self.edges = edges
    guard !edges.isEmpty else {
      (rows, columns, firstRow, starts, entries) = (0..<0, 0..<0, 0, [], [])
      return
    }
    columns = Int(left.rounded(.down))..<Int(right.rounded(.up))
    rows = (Int(above.rounded(.down))..<Int(below.rounded(.up))).clamped(to: wanted)
    firstRow = rows.lowerBound
    (starts, entries) = Self.blocks(edges, rows)
  }

  private static func clamped(_ point: Point) -> Point {
    func within(_ value: Double) -> Double { value > -limit ? min(limit, value) : -limit }
    return Point(within(point.x), within(point.y))
  }

  /// Sorts edges into the blocks of rows that they touch.
  private static func blocks(_ edges: [Edge], _ rows: Range<Int>) -> (starts: [Int32], entries: [Int32]) {
    let count = (rows.count + blockRows - 1) / blockRows
    func span(_ edge: Edge) -> ClosedRange<Int> {
      let first = (Int(edge.top.rounded(.down)) - rows.lowerBound) / blockRows
      let last = (Int(edge.bottom.rounded(.up)) - 1 - rows.lowerBound) / blockRows
      return max(0, min(count - 1, first))...max(0, min(count - 1, last))
    }
    var starts = [Int32](repeating: 0, count: count + 1)
    for edge in edges { for block in span(edge) { starts[block + 1] += 1 } }
    for block in 0..<count { starts[block + 1] += starts[block] }
    var next = starts
    var entries = [Int32](repeating: 0, count: Int(starts[count]))
    for (index, edge) in edges.enumerated() {
      for block in span(edge) {
        entries[Int(next[block])] = Int32(index)
        next[block] += 1
      }
    }
    return (starts, entries)
  }

  // MARK: Rows

  /// Temporary memory for `read`, which can be reused for the next row.
  package struct Scratch {
    var sums: [Float] = []
    var near: [Int32] = []
    var cuts: [Double] = []
    var crossings: [Crossing] = []
    package init() {}
  }

  struct Crossing {
    let middle, top, bottom: Double
    let winding: Int32

    func isBefore(_ other: Crossing) -> Bool {
      middle < other.middle || middle == other.middle && winding < other.winding
    }
  }

  /// Computes the coverage of the pixels of a row, 0 to 1, and returns whether any pixel may be covered.
  ///
  /// - Parameter columns: the columns that `coverage` contains.
  package func read(
    _ y: Int, columns: Range<Int>, into coverage: UnsafeMutablePointer<Float>, _ scratch: inout Scratch
  ) -> Bool {
    let count = columns.count
    guard rows.contains(y), !columns.isEmpty, columns.overlaps(self.columns) else {
      coverage.update(repeating: 0, count: count)
      return false
    }
    var sums: [Float] = []
    swap(&sums, &scratch.sums)
    defer { swap(&sums, &scratch.sums) }
    sums.removeAll(keepingCapacity: true)
    sums.append(contentsOf: repeatElement(0, count: count + 2))
    collect(y, &scratch)
    let isAnyCovered = sums.withUnsafeMutableBufferPointer { sums in
      var isAny = false
      for slab in 0..<scratch.cuts.count - 1 {
        let span = (top: scratch.cuts[slab], bottom: scratch.cuts[slab + 1])
        if add(span, Double(columns.lowerBound), count, to: sums.baseAddress!, &scratch) { isAny = true }
      }
      return isAny
    }
    guard isAnyCovered else {
      coverage.update(repeating: 0, count: count)
      return false
    }
    var sum: Float = 0
    for x in 0..<count {
      sum += sums[x]
      // Rounding leaves a few millionths to the right of a shape.
      coverage[x] = sum < 1e-5 ? 0 : min(1, sum)
    }
    return true
  }

  /// Finds the edges of a row, and the heights at which the row is cut into slabs.
  private func collect(_ y: Int, _ scratch: inout Scratch) {
    let (top, bottom) = (Double(y), Double(y + 1))
    scratch.near.removeAll(keepingCapacity: true)
    scratch.cuts.removeAll(keepingCapacity: true)
    for quarter in 0...4 { scratch.cuts.append(top + Double(quarter) / 4) }
    let block = (y - firstRow) / Self.blockRows
    for entry in entries[Int(starts[block])..<Int(starts[block + 1])] {
      let edge = edges[Int(entry)]
      guard edge.top < bottom, edge.bottom > top else { continue }
      scratch.near.append(entry)
      if scratch.cuts.count <= Self.maximumSlabs {
        if edge.top > top { scratch.cuts.append(edge.top) }
        if edge.bottom < bottom { scratch.cuts.append(edge.bottom) }
      }
    }
    if scratch.cuts.count > Self.maximumSlabs {
      scratch.cuts.removeAll(keepingCapacity: true)
      for part in 0...Self.maximumSlabs { scratch.cuts.append(top + Double(part) / Double(Self.maximumSlabs)) }
    } else {
      scratch.cuts.sort()
    }
  }

  /// Adds a slab, in halves if edges cross in it. Returns whether an edge passes through it.
  private func add(
    _ slab: (top: Double, bottom: Double), _ left: Double, _ count: Int, to sums: UnsafeMutablePointer<Float>,
    _ scratch: inout Scratch, depth: Int = 0
  ) -> Bool {
    find(&scratch.crossings, scratch.near, slab.top, slab.bottom)
    guard !scratch.crossings.isEmpty else { return false }
    guard depth < Self.maximumDepth, Self.haveCrossed(scratch.crossings) else {
      add(scratch.crossings, left, count, height: slab.bottom - slab.top, to: sums)
      return true
    }
    let middle = (slab.top + slab.bottom) / 2
    let upper = add((slab.top, middle), left, count, to: sums, &scratch, depth: depth + 1)
    let lower = add((middle, slab.bottom), left, count, to: sums, &scratch, depth: depth + 1)
    return upper || lower
  }

  /// Returns whether edges cross in a slab: whether their order in the middle differs from that at the top or bottom,
  /// beyond a small tolerance. Crossings inside the shape are ignored.
  private static func haveCrossed(_ crossings: [Crossing]) -> Bool {
    crossings.withUnsafeBufferPointer { crossings in
      guard crossings.count > 1 else { return false }
      var before: Int32 = 0
      for index in 1..<crossings.count {
        let (left, right) = (crossings[index - 1], crossings[index])
        let between = before + left.winding
        let isVisible = before == 0 || between == 0 || between + right.winding == 0
        if isVisible, left.top > right.top + 0.02 || left.bottom > right.bottom + 0.02 { return true }
        before = between
      }
      return false
    }
  }

  /// Finds the edges that cross the middle of a slab, from left to right.
  private func find(_ crossings: inout [Crossing], _ near: [Int32], _ top: Double, _ bottom: Double) {
    crossings.removeAll(keepingCapacity: true)
    guard bottom > top else { return }
    let middle = (top + bottom) / 2
    edges.withUnsafeBufferPointer { edges in
      for entry in near {
        let edge = edges[Int(entry)]
        guard edge.top <= middle, edge.bottom > middle else { continue }
        let crossing = Crossing(
          middle: edge.place(middle), top: edge.place(top), bottom: edge.place(bottom), winding: edge.winding)
        crossings.append(crossing)
      }
    }
    guard crossings.count <= 64 else {
      crossings.sort { $0.isBefore($1) }
      return
    }
    // For few edges, insertion sort is fastest.
    crossings.withUnsafeMutableBufferPointer { crossings in
      for index in crossings.indices.dropFirst() {
        let crossing = crossings[index]
        var place = index
        while place > 0, crossing.isBefore(crossings[place - 1]) {
          crossings[place] = crossings[place - 1]
          place -= 1
        }
        crossings[place] = crossing
      }
    }
  }

  /// Adds the part of a slab that is inside: from each edge where the inside begins to the edge where it ends.
  private func add(
    _ crossings: [Crossing], _ left: Double, _ count: Int, height: Double, to sums: UnsafeMutablePointer<Float>
  ) {
    var winding: Int32 = 0
    for crossing in crossings {
      let before = winding
      winding += crossing.winding
      if (before == 0) != (winding == 0) {
        Self.add(
          crossing.top - left, crossing.bottom - left, count, height: before == 0 ? height : -height, to: sums)
      }
    }
  }

  /// Adds the area to the right of a piece of an edge, as differences from pixel to pixel.
  private static func add(
    _ from: Double, _ to: Double, _ count: Int, height: Double, to sums: UnsafeMutablePointer<Float>
  ) {
    let (low, high) = (min(from, to), max(from, to))
    let end = Double(count)
    if high <= 0 {
      sums[0] += Float(height)
      return
    }
    guard low < end else { return }
    let first = Int(max(0, low).rounded(.down))
    let last = Int(min(end, high).rounded(.up)) - 1
    if low >= 0, high <= Double(first + 1) {
      // The piece is inside a single pixel.
      let inside = (low + high) / 2 - Double(first)
      sums[first] += Float(height * (1 - inside))
      sums[first + 1] += Float(height * inside)
      return
    }
    // The area to the right of the edge and left of x, for an edge whose height is distributed evenly over its width.
    let scale = height / (high - low)
    func area(_ x: Double) -> Double {
      let reached = min(x, high) - low
      guard reached > 0 else { return 0 }
      return scale * (reached * reached / 2 + reached * max(0, x - high))
    }
    var before = area(0)
    var value = 0.0
    for x in first...max(first, last) {
      let after = area(Double(x + 1))
      if x == first, first > 0 { before = area(Double(first)) }
      let covered = after - before
      sums[x] += Float(covered - value)
      (value, before) = (covered, after)
    }
    // The next pixel is covered over the whole height.
    if last + 1 <= count { sums[last + 1] += Float(height - value) }
  }
}
