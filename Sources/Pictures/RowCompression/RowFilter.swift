import ImageCore

/// Applies the filters of PNG to rows (PNG specification, third edition, section 9), which PDF calls predictors 10 to
/// 14: a fixed filter, or for each row the one with the smallest sum of absolute signed differences (12.7).
///
/// It is a value type, so several workers can filter parts of the rows at once. Its loops over bytes are simple, so
/// that the compiler can vectorise them.
package struct RowFilter: Sendable {
  /// The filters by their numbers in the file.
  package enum Kind: UInt8, Sendable, CaseIterable { case none, sub, up, average, paeth }

  /// A selection of the bands in a row of pixels.
  package struct Bands: Sendable {
    let width: Int
    let sampleBytes: Int
    let first: Int
    let count: Int
    let pixelCount: Int

    /// - Parameters:
    ///   - width: the number of pixels in a row.
    ///   - sampleBytes: the size of a sample in bytes, 1 or 2.
    ///   - bands: the bands to select.
    ///   - pixelBands: the number of samples of a pixel, 1 to 4.
    package init(width: Int, sampleBytes: Int, bands: Range<Int>, of pixelBands: Int) {
      precondition(!bands.isEmpty && bands.lowerBound >= 0 && bands.upperBound <= pixelBands)
      self.width = width
      self.sampleBytes = sampleBytes
      first = bands.lowerBound
      count = bands.count
      pixelCount = pixelBands
    }

    /// Selects all bands of a picture.
    package init(_ layout: PictureLayout) {
      self.init(
        width: layout.width, sampleBytes: layout.format.sample.byteCount, bands: 0..<layout.bands, of: layout.bands)
    }

    /// The number of selected bytes in a row.
    var byteCount: Int { width * count * sampleBytes }
    /// The number of all bytes in a row.
    var rowByteCount: Int { width * pixelCount * sampleBytes }
  }

  /// The number of zeros to the left of a row: the size of the largest pixel in bytes.
  private static let margin = 8

  let bands: Bands
  private let kind: Kind?

  /// - Parameter kind: the filter for all rows; nil to choose one for each row.
  package init(_ bands: Bands, kind: Kind? = nil) {
    self.bands = bands
    self.kind = kind
  }

  /// The size of a filtered row in bytes, including the filter's number.
  package var filteredByteCount: Int { 1 + bands.byteCount }

  /// Filters consecutive rows into `output`, `filteredByteCount` bytes each.
  ///
  /// - Parameters:
  ///   - rows: samples in the machine's byte order, with rows `stride` bytes apart.
  ///   - above: the row before them; nil at the top of a picture.
  package func filter(
    _ count: Int, from rows: UnsafeRawPointer, stride: Int, above: UnsafeRawPointer?,
    into output: UnsafeMutablePointer<UInt8>
  ) {
    let byteCount = bands.byteCount
    // Two rows in the file's byte order, each with its margin.
    let memory = PooledBytes(capacity: 2 * (Self.margin + byteCount))
    memory.base.initializeMemory(
      as: UInt8.self, repeating: 0, count: 2 * (Self.margin + byteCount))
    var current = memory.base.assumingMemoryBound(to: UInt8.self) + Self.margin
    var before = current + byteCount + Self.margin
    if let above { copy(above, to: before) }
    for index in 0..<count {
      copy(rows + index * stride, to: current)
      let pair = Rows(row: current, above: before, count: byteCount, step: bands.count * bands.sampleBytes)
      let kind = self.kind ?? pair.best()
      let target = output + index * filteredByteCount
      target[0] = kind.rawValue
      pair.apply(kind, into: target + 1)
      swap(&current, &before)
    }
  }

  /// Copies the selected bands; 16-bit samples are stored with the high byte first (7.1).
  private func copy(_ row: UnsafeRawPointer, to line: UnsafeMutablePointer<UInt8>) {
    let line = UnsafeMutableRawPointer(line)
    if bands.sampleBytes == 2 { return copyWords(row, to: line) }
    guard bands.count < bands.pixelCount else { return line.copyMemory(from: row, byteCount: bands.byteCount) }
    let source = row.assumingMemoryBound(to: UInt8.self) + bands.first
    let target = line.assumingMemoryBound(to: UInt8.self)
    for x in 0..<bands.width {
      for band in 0..<bands.count { target[x * bands.count + band] = source[x * bands.pixelCount + band] }
    }
  }

  private func copyWords(_ row: UnsafeRawPointer, to line: UnsafeMutableRawPointer) {
    let isWhole = bands.count == bands.pixelCount
    for x in 0..<(isWhole ? 1 : bands.width) {
      let source = row + 2 * (x * bands.pixelCount + bands.first)
      let target = line + 2 * x * bands.count
      for index in 0..<(isWhole ? bands.width * bands.count : bands.count) {
        let sample = source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
        target.storeBytes(of: sample.bigEndian, toByteOffset: 2 * index, as: UInt16.self)
      }
    }
  }

  /// A row and the one above it, both with `step` zeros to their left.
  private struct Rows {
    let row: UnsafePointer<UInt8>
    let above: UnsafePointer<UInt8>
    let count: Int
    let step: Int

    func best() -> Kind {
      var (best, least) = (Kind.none, Int.max)
      for kind in Kind.allCases {
        let cost = cost(kind)
        if cost < least { (best, least) = (kind, cost) }
      }
      return best
    }

    private func cost(_ kind: Kind) -> Int {
      switch kind {
      case .none: cost { _, _, _ in 0 }
      case .sub: cost { left, _, _ in left }
      case .up: cost { _, up, _ in up }
      case .average: cost { left, up, _ in Self.average(left, up) }
      case .paeth: cost { left, up, corner in Self.paeth(left, up, corner) }
      }
    }

    func apply(_ kind: Kind, into output: UnsafeMutablePointer<UInt8>) {
      switch kind {
      case .none: apply(output) { _, _, _ in 0 }
      case .sub: apply(output) { left, _, _ in left }
      case .up: apply(output) { _, up, _ in up }
      case .average: apply(output) { left, up, _ in Self.average(left, up) }
      case .paeth: apply(output) { left, up, corner in Self.paeth(left, up, corner) }
      }
    }

    @inline(__always)
    private func cost(_ prediction: (_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8) -> Int {
      var sum = 0
      var start = 0
      while start < count {
        // The sum of 256 differences of at most 128 each fits into 16 bits.
        let end = min(start &+ 256, count)
        var part: UInt16 = 0
        var index = start
        while index < end {
          let difference = row[index] &- prediction(row[index &- step], above[index], above[index &- step])
          part &+= UInt16(truncatingIfNeeded: min(difference, 0 &- difference))
          index &+= 1
        }
        sum &+= Int(part)
        start = end
      }
      return sum
    }

    @inline(__always)
    private func apply(
      _ output: UnsafeMutablePointer<UInt8>, _ prediction: (_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8
    ) {
      var index = 0
      while index < count {
        output[index] = row[index] &- prediction(row[index &- step], above[index], above[index &- step])
        index &+= 1
      }
    }

    /// Returns half of the sum, rounded down.
    @inline(__always)
    private static func average(_ left: UInt8, _ up: UInt8) -> UInt8 { (left & up) &+ ((left ^ up) &>> 1) }

    /// Returns the one of left, up and corner that is nearest to left + up - corner; of equal ones, the first.
    @inline(__always)
    private static func paeth(_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8 {
      let (a, b, c) = (
        Int16(truncatingIfNeeded: left), Int16(truncatingIfNeeded: up), Int16(truncatingIfNeeded: corner)
      )
      let (across, down) = (b &- c, a &- c)
      let both = across &+ down
      let toLeft = max(across, 0 &- across)
      let toUp = max(down, 0 &- down)
      let toCorner = max(both, 0 &- both)
      let nearer = toUp <= toCorner ? b : c
      return UInt8(truncatingIfNeeded: toLeft <= min(toUp, toCorner) ? a : nearer)
    }
  }
}
