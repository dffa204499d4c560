import Platform

/// A picture averaged to 32 by 32 cells of 8-bit RGB, upright and over white.
///
/// It is small enough to be kept for every page of a book, and detailed enough to identify the picture on a page.
public struct PixelFingerprint: Sendable, Hashable {
  /// The number of cells along a side.
  public static let side = 32
  static let cellCount = side * side * 3
  private let storage: Storage

  private enum Storage: Sendable {
    case memory([UInt8])
    case file(FingerprintFile, Int)
  }

  /// The cells as 3,072 bytes: rows from the top, cells from the left, red, green, blue.
  public var cells: [UInt8] {
    switch storage {
    case .memory(let cells): cells
    case .file(let file, let place): file.cells(at: place)
    }
  }

  /// Makes a fingerprint from 3,072 bytes; nil for any other number.
  public init?(cells: [UInt8]) {
    guard cells.count == Self.cellCount else { return nil }
    storage = .memory(cells)
  }

  init(_ file: FingerprintFile, at place: Int) { storage = .file(file, place) }

  public static func == (left: Self, right: Self) -> Bool { left.cells == right.cells }
  public func hash(into hasher: inout Hasher) { hasher.combine(cells) }

  /// Returns the sum of squared differences; nil as soon as it exceeds `limit`.
  public func squaredDifference(to other: PixelFingerprint, limit: Int = .max) -> Int? {
    let (cells, others) = (cells, other.cells)
    var sum = 0
    for row in 0..<Self.side {
      for index in row * Self.side * 3..<(row + 1) * Self.side * 3 {
        let difference = Int(cells[index]) - Int(others[index])
        sum += difference * difference
      }
      if sum > limit { return nil }
    }
    return sum
  }

  /// The sum of squared differences at a PSNR of 25 dB (a mean of `255² / 10^2.5`).
  public static let squaredDifferenceAt25dB = Int(255 * 255 / 316.227_766 * Double(side * side * 3))
  /// The sum of squared differences at a PSNR of 40 dB (a mean of `255² / 10^4`).
  public static let squaredDifferenceAt40dB = Int(255 * 255 / 1e4 * Double(side * side * 3))
}

extension PixelFingerprint {
  /// Averages a picture whose rows are added from the top, keeping only sums.
  public struct Accumulator: Sendable {
    private let layout: PictureLayout
    /// The conversion from CMYK to RGB; nil for other pictures.
    private let conversion: FormatConversion?
    private var sums = [UInt64](repeating: 0, count: side * side * 3)
    private var nextRow = 0

    public init(_ layout: PictureLayout) {
      let isInk = layout.format.model == .cmyk
      self.layout = isInk ? layout.with(format: layout.format.with(alpha: false).with(model: .rgb)) : layout
      conversion = isInk ? FormatConversion(from: layout.format, to: self.layout.format) : nil
    }

    /// Adds the next `count` rows, `stride` bytes apart.
    public mutating func add(_ count: Int, from rows: UnsafeRawPointer, stride: Int) {
      guard let conversion else {
        for row in 0..<count { add(rows + row * stride) }
        return
      }
      withUnsafeTemporaryAllocation(byteCount: layout.rowByteCount, alignment: 16) { converted in
        for row in 0..<count {
          conversion.convert(rows + row * stride, to: converted.baseAddress!, width: layout.width)
          add(UnsafeRawPointer(converted.baseAddress!))
        }
      }
    }

    /// Returns the fingerprint; nil unless all rows were added.
    public func finish() -> PixelFingerprint? {
      guard nextRow == layout.height else { return nil }
      let maximum = UInt64(layout.format.sample.maximum)
      var cells = [UInt8](repeating: 0, count: sums.count)
      for y in 0..<side {
        let rows = UInt64(range(y, of: layout.height).count)
        for x in 0..<side {
          let pixels = rows * UInt64(range(x, of: layout.width).count) * maximum
          for band in 0..<3 {
            let index = (y * side + x) * 3 + band
            cells[index] = UInt8((sums[index] * 255 + pixels / 2) / pixels)
          }
        }
      }
      return PixelFingerprint(cells: cells)
    }

    private mutating func add(_ row: UnsafeRawPointer) {
      var line = [UInt64](repeating: 0, count: side * 3)
      for cell in 0..<side {
        let columns = range(cell, of: layout.width)
        let sum = isPlain ? plainSum(columns, of: row) : sum(columns, of: row)
        (line[cell * 3], line[cell * 3 + 1], line[cell * 3 + 2]) = sum
      }
      let centre = nextRow * side / layout.height
      let last = min(side - 1, ((nextRow + 1) * side - 1) / layout.height + 1)
      for cell in max(0, centre - 1)...last where range(cell, of: layout.height).contains(nextRow) {
        for index in 0..<side * 3 { sums[cell * side * 3 + index] += line[index] }
      }
      nextRow += 1
    }

    /// Returns the columns, or the rows, of pixels that belong to a cell: at least one. Cells share pixels if there are
    /// fewer than 32 pixels in this direction.
    private func range(_ cell: Int, of count: Int) -> Range<Int> {
      let start = cell * count / side
      return start..<max(start + 1, (cell + 1) * count / side)
    }

    /// Whether pixels are 8-bit gray or RGB without alpha, which `plainSum` adds faster.
    private var isPlain: Bool { layout.format.sample == .u8 && !layout.format.hasAlpha }

    private func plainSum(_ columns: Range<Int>, of row: UnsafeRawPointer) -> (UInt64, UInt64, UInt64) {
      let samples = row.assumingMemoryBound(to: UInt8.self)
      var (red, green, blue) = (UInt64(0), UInt64(0), UInt64(0))
      guard layout.format.model == .rgb else {
        for x in columns { red &+= UInt64(samples[x]) }
        return (red, red, red)
      }
      for x in columns {
        red &+= UInt64(samples[x &* 3])
        green &+= UInt64(samples[x &* 3 &+ 1])
        blue &+= UInt64(samples[x &* 3 &+ 2])
      }
      return (red, green, blue)
    }

    private func sum(_ columns: Range<Int>, of row: UnsafeRawPointer) -> (UInt64, UInt64, UInt64) {
      var sum = (UInt64(0), UInt64(0), UInt64(0))
      for x in columns {
        let pixel = colour(at: x, in: row)
        sum = (sum.0 + pixel.0, sum.1 + pixel.1, sum.2 + pixel.2)
      }
      return sum
    }

    /// Returns a pixel over white, in the picture's own sample range.
    private func colour(at x: Int, in row: UnsafeRawPointer) -> (UInt64, UInt64, UInt64) {
      let format = layout.format
      func sample(_ band: Int) -> UInt64 {
        let offset = (x * format.bands + band) * format.sample.byteCount
        return format.sample == .u8
          ? UInt64(row.load(fromByteOffset: offset, as: UInt8.self))
          : UInt64(row.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
      }
      let red = sample(0)
      let (green, blue) = format.model == .rgb ? (sample(1), sample(2)) : (red, red)
      guard format.hasAlpha else { return (red, green, blue) }
      let top = UInt64(format.sample.maximum)
      let alpha = sample(format.bands - 1)
      func over(_ value: UInt64) -> UInt64 { (value * alpha + top * (top - alpha) + top / 2) / top }
      return (over(red), over(green), over(blue))
    }
  }
}

/// An unnamed file for fingerprints. In memory, the fingerprints of thousands of pages would take more space than
/// anything else that a book keeps.
///
/// `@unchecked Sendable`: one thread adds fingerprints, and others only read places in the file that were written
/// before.
public final class FingerprintFile: @unchecked Sendable {
  private let file: UnsafeMutablePointer<FILE>
  private var byteCount = 0
  /// Whether a fingerprint could not be written. A part of it may be in the file, so no further ones are added.
  private var isFull = false

  /// Wraps `tmpfile(3)`; nil if the file cannot be made.
  public init?() {
    guard let file = tmpfile() else { return nil }
    self.file = file
  }

  deinit { fclose(file) }

  /// Writes a fingerprint's cells to the file, and returns a fingerprint that reads them on demand. If the cells cannot
  /// be written, returns the given fingerprint.
  package func keep(_ fingerprint: PixelFingerprint) -> PixelFingerprint {
    guard !isFull else { return fingerprint }
    let place = byteCount
    guard fingerprint.cells.withUnsafeBytes({ writeAll($0, to: fileno(file)) }) == 0 else {
      isFull = true
      return fingerprint
    }
    byteCount += PixelFingerprint.cellCount
    return PixelFingerprint(self, at: place)
  }

  /// Reads cells; wraps `pread(2)`. Cells that cannot be read are black.
  func cells(at place: Int) -> [UInt8] {
    var cells = [UInt8](repeating: 0, count: PixelFingerprint.cellCount)
    _ = pread(fileno(file), &cells, cells.count, off_t(place))
    return cells
  }
}
