import ImageCore

/// The result of comparing a rendered page with a stored picture, pixel by pixel.
struct PixelComparison {
  /// The number of pixels that differ by more than the tolerance.
  private(set) var different = 0
  private(set) var compared = 0
  private(set) var most = 0
  private(set) var first = (x: 0, y: 0)
  /// The bounding box of all pixels that differ; nil if none do. Wrong for rows that were added with a `start` above 0.
  private(set) var area: PixelArea?
  private(set) var squaredError = 0
  /// Whether all rendered pixels have the same colour, and whether all stored pixels do.
  private var rendered = Uniformity()
  private var stored = Uniformity()
  let tolerance: Int

  /// The areas where something else is expected to cover the picture.
  var covered: [PixelArea] = []
  /// The result of the last `findCover`: rows, and the columns that are covered in each of them, sorted and disjoint.
  private var cover: (rows: Range<Int>, columns: [Range<Int>]) = (0..<0, [])

  init(tolerance: Int) { self.tolerance = tolerance }

  private struct Uniformity {
    var colour: UInt32?
    var isUniform = true

    @inline(__always)
    mutating func see(_ value: UInt32) {
      guard isUniform else { return }
      if let colour { isUniform = colour == value } else { colour = value }
    }
  }

  var isBlank: Bool { compared > 0 && rendered.isUniform && !stored.isUniform }

  /// The peak signal-to-noise ratio over the compared pixels.
  var decibels: Double { Decibels.of(squaredError: Double(squaredError), samples: Double(compared * 3)) }

  /// Returns the columns of a row without its covered areas, in order.
  private mutating func open(_ columns: Range<Int>, row: Int) -> [Range<Int>] {
    if !cover.rows.contains(row) { findCover(row) }
    var (open, start) = ([Range<Int>](), columns.lowerBound)
    for covered in cover.columns where covered.upperBound > start {
      guard covered.lowerBound < columns.upperBound else { break }
      if covered.lowerBound > start { open.append(start..<covered.lowerBound) }
      start = covered.upperBound
    }
    if start < columns.upperBound { open.append(start..<columns.upperBound) }
    return open
  }

  /// Finds the covered columns of a row, and the range of rows with the same covered columns.
  private mutating func findCover(_ row: Int) {
    var (end, columns) = (Int.max, [Range<Int>]())
    for area in covered where area.rows.upperBound > row {
      if area.rows.lowerBound > row {
        end = min(end, area.rows.lowerBound)
      } else {
        end = min(end, area.rows.upperBound)
        columns.append(area.columns)
      }
    }
    var joined: [Range<Int>] = []
    for range in columns.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    cover = (row..<end, joined)
  }

  /// Compares the given columns of row `y`, except where something else covers the picture. With `replacing`, the
  /// rendered pixels replace the stored ones in the compared columns.
  mutating func add(
    row y: Int, columns: Range<Int>, rendered pixels: UnsafePointer<UInt32>,
    stored row: UnsafeMutablePointer<UInt8>, replacing: Bool
  ) {
    for columns in covered.isEmpty ? [columns] : open(columns, row: y) {
      compare(y, columns, pixels, row, replacing)
    }
  }

  /// Compares the given columns of row `y`, where both buffers begin at column `start`.
  mutating func add(
    row y: Int, columns: Range<Int>, from start: Int, rendered pixels: UnsafePointer<UInt32>,
    stored row: UnsafeMutablePointer<UInt8>
  ) {
    guard !columns.isEmpty else { return }
    for columns in covered.isEmpty ? [columns] : open(columns, row: y) {
      let isFirst = different == 0
      compare(
        y, columns.lowerBound - start..<columns.upperBound - start, pixels, row, false)
      if isFirst, different > 0 { first.x += start }
    }
  }

  private mutating func compare(
    _ y: Int, _ columns: Range<Int>, _ pixels: UnsafePointer<UInt32>,
    _ row: UnsafeMutablePointer<UInt8>, _ replacing: Bool
  ) {
    compared += columns.count
    if !rendered.isUniform, !stored.isUniform, Self.areEqual(columns, pixels, row) { return }
    for x in columns {
      let shown = pixels[x] & 0xff_ffff
      let (red, green, blue) = (row[x * 3], row[x * 3 + 1], row[x * 3 + 2])
      let meant = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
      rendered.see(shown)
      stored.see(meant)
      if shown != meant { note(shown, meant, x, y) }
      if replacing {
        row[x * 3] = UInt8(shown >> 16)
        row[x * 3 + 1] = UInt8(shown >> 8 & 0xff)
        row[x * 3 + 2] = UInt8(shown & 0xff)
      }
    }
  }

  /// Returns whether two rows are equal in these columns, as most are.
  private static func areEqual(
    _ columns: Range<Int>, _ pixels: UnsafePointer<UInt32>, _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let bytes = UnsafeRawPointer(row)
    var difference: UInt32 = 0
    // The last pixel is compared separately, because the row may end before the fourth byte that a load reads.
    for x in columns.dropLast() {
      let meant = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: x &* 3, as: UInt32.self)) &>> 8
      difference |= (pixels[x] & 0xff_ffff) ^ meant
    }
    guard difference == 0, let x = columns.last else { return difference == 0 }
    let meant = UInt32(row[x * 3]) << 16 | UInt32(row[x * 3 + 1]) << 8 | UInt32(row[x * 3 + 2])
    return pixels[x] & 0xff_ffff == meant
  }

  private mutating func note(_ shown: UInt32, _ meant: UInt32, _ x: Int, _ y: Int) {
    var largest = 0
    for shift in [UInt32(0), 8, 16] {
      let difference = abs(Int(shown >> shift & 0xff) - Int(meant >> shift & 0xff))
      largest = max(largest, difference)
      squaredError += difference * difference
    }
    most = max(most, largest)
    guard largest > tolerance else { return }
    if different == 0 { first = (x, y) }
    let known = area ?? PixelArea(columns: x..<x + 1, rows: y..<y + 1)
    area = PixelArea(
      columns: min(known.columns.lowerBound, x)..<max(known.columns.upperBound, x + 1),
      rows: min(known.rows.lowerBound, y)..<max(known.rows.upperBound, y + 1))
    different += 1
  }
}

import Platform

/// Peak signal-to-noise ratios.
enum Decibels {
  /// Returns the PSNR of 8-bit samples; infinite for no error.
  static func of(squaredError: Double, samples: Double) -> Double {
    squaredError == 0 ? .infinity : 10 * log10(255 * 255 * samples / squaredError)
  }
}
