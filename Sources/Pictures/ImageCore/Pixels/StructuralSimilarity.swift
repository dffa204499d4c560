/// The structural similarity (SSIM) of two pictures, whose rows are added in pairs from the top down.
///
/// Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility to structural similarity", IEEE
/// Transactions on Image Processing 13 (2004): a Gaussian window of 11x11 pixels with a standard deviation of 1.5, K1 =
/// 0.01, K2 = 0.03, and the mean over all windows that lie inside the picture. Luma is compared at full size.
/// Colour and viewing distance are not taken into account, as in that paper.
///
/// A side with fewer than 11 pixels is extended to 11 by repeating the last column or row.
///
/// Memory grows with the width: about 200 bytes per column. Belongs to one worker at a time.
public final class StructuralSimilarity {
  /// The side of the window in pixels.
  static let window = 11
  /// The number of filtered quantities: the sum and the difference of both lumas, and the squares of these.
  ///
  /// Sum and difference lose less precision than the lumas, their squares and their product would: in similar pictures,
  /// the difference is small.
  private static let quantities = 4

  private let width: Int
  /// The number of columns whose window lies completely inside the picture.
  private let windows: Int
  /// The number of floats from one row of the memory to the next: a multiple of 8, with room for vectors that begin at
  /// the last column.
  private let stride: Int
  private let height: Int
  private let first: LumaRows
  private let second: LumaRows
  /// The quantities of the current row, followed by the horizontally filtered quantities of the last 11 rows.
  private let memory: PooledBytes
  private var row = 0
  private var sum = 0.0

  /// - Parameter background: the colour behind transparent pixels of both pictures.
  public init(_ layout: PictureLayout, _ other: PictureLayout, background: Colour = .white) {
    precondition(layout.width == other.width && layout.height == other.height, "pictures of different sizes")
    (width, height) = (layout.width, layout.height)
    windows = max(width, Self.window) - Self.window + 1
    stride = Self.stride(width)
    first = LumaRows(layout, background: background)
    second = LumaRows(other, background: background)
    memory = PooledBytes(capacity: Self.byteCount(width: width))
    memory.base.initializeMemory(as: Float.self, repeating: 0, count: stride * Self.quantities * (Self.window + 1))
  }

  private static func stride(_ width: Int) -> Int { (max(width, window) + 2 * window + 7) & ~7 }

  /// Returns the bytes of memory for pictures of this width.
  public static func byteCount(width: Int) -> Int {
    stride(width) * quantities * (window + 1) * MemoryLayout<Float>.stride
  }

  /// Compares the next row of both pictures.
  public func add(_ row: UnsafeRawPointer, _ other: UnsafeRawPointer) {
    let (x, y) = (quantity(0), quantity(1))
    first.convert(row, to: x)
    second.convert(other, to: y)
    for column in width..<max(width, Self.window) { (x[column], y[column]) = (x[width - 1], y[width - 1]) }
    let (sums, differences, sumSquares, squares) = (x, y, quantity(2), quantity(3))
    for column in 0..<max(width, Self.window) {
      let (sum, difference) = (x[column] + y[column], x[column] - y[column])
      (sums[column], differences[column]) = (sum, difference)
      (sumSquares[column], squares[column]) = (sum * sum, difference * difference)
    }
    next()
    guard self.row == height else { return }
    for _ in height..<max(height, Self.window) { next() }
  }

  /// The mean similarity, 1 for equal pictures. To be read after the last row.
  public var mean: Double {
    precondition(row >= height, "rows are missing")
    return sum / Double(windows * (max(height, Self.window) - Self.window + 1))
  }

  // MARK: - Filtering

  /// Returns a quantity of the current row.
  private func quantity(_ index: Int) -> UnsafeMutablePointer<Float> {
    memory.base.assumingMemoryBound(to: Float.self) + index * stride
  }

  /// Returns a quantity of an earlier row, filtered horizontally.
  private func filtered(_ index: Int, row: Int) -> UnsafeMutablePointer<Float> {
    quantity(Self.quantities * (1 + row % Self.window) + index)
  }

  /// Adds the windows that end at the current row.
  private func next() {
    for index in 0..<Self.quantities { Self.filter(quantity(index), to: filtered(index, row: row), windows) }
    row += 1
    if row >= Self.window { sum += similarities() }
  }

  private typealias Vector = SIMD8<Float>

  /// The weights of the Gaussian from its edge to its centre. Their sum over the window is 1.
  ///
  /// `exp(-d * d / (2 * 1.5 * 1.5))` for d = 5 … 0, divided by the sum of all eleven.
  private static let weights: (Float, Float, Float, Float, Float, Float) = (
    0.001_028_380_084_47, 0.007_598_758_135_24, 0.036_000_772_128_43, 0.109_360_689_509_70, 0.213_005_537_711_25,
    0.266_011_724_861_80
  )

  @inline(__always)
  private static func load(_ row: UnsafePointer<Float>) -> Vector {
    UnsafeRawPointer(row).loadUnaligned(as: Vector.self)
  }

  /// Filters a row horizontally: column `x` of the result is the window from `x` to `x + 10`.
  private static func filter(_ row: UnsafePointer<Float>, to result: UnsafeMutablePointer<Float>, _ count: Int) {
    let (w0, w1, w2, w3, w4, w5) = weights
    var column = 0
    while column < count {
      let from = row + column
      var sum = (load(from) + load(from + 10)) * w0
      sum += (load(from + 1) + load(from + 9)) * w1
      sum += (load(from + 2) + load(from + 8)) * w2
      sum += (load(from + 3) + load(from + 7)) * w3
      sum += (load(from + 4) + load(from + 6)) * w4
      sum += load(from + 5) * w5
      UnsafeMutableRawPointer(result + column).storeBytes(of: sum, as: Vector.self)
      column += 8
    }
  }

  /// Filters the last 11 rows vertically, and returns the sum of the similarities of their windows.
  private func similarities() -> Double {
    var rows: [UnsafePointer<Float>] = []
    for index in 0..<Self.quantities {
      for back in 0..<Self.window { rows.append(UnsafePointer(filtered(index, row: row - Self.window + back))) }
    }
    // Differences from 1 are small, so floats are precise enough.
    var missing = Vector.zero
    rows.withUnsafeBufferPointer { rows in
      var column = 0
      while column < windows {
        var missed = Self.dissimilarity(rows.baseAddress!, column)
        // The last vector may extend beyond the windows.
        for lane in min(8, windows - column)..<8 { missed[lane] = 0 }
        missing += missed
        column += 8
      }
    }
    return Double(windows) - (0..<8).reduce(0) { $0 + Double(missing[$1]) }
  }

  /// Returns the mean of a quantity over the windows of eight columns.
  @inline(__always)
  private static func mean(_ rows: UnsafePointer<UnsafePointer<Float>>, _ column: Int) -> Vector {
    let (w0, w1, w2, w3, w4, w5) = weights
    var sum = (load(rows[0] + column) + load(rows[10] + column)) * w0
    sum += (load(rows[1] + column) + load(rows[9] + column)) * w1
    sum += (load(rows[2] + column) + load(rows[8] + column)) * w2
    sum += (load(rows[3] + column) + load(rows[7] + column)) * w3
    sum += (load(rows[4] + column) + load(rows[6] + column)) * w4
    return sum + load(rows[5] + column) * w5
  }

  /// Returns 1 minus equation 13 of the paper for eight windows.
  ///
  /// If m and v are the mean and variance of the sum, and n and w those of the difference, the equation is `(1 - n² /
  /// ((m² + n²) / 2 + C1)) * (1 - 2w / (v + w + 2 C2))`.
  @inline(__always)
  private static func dissimilarity(_ rows: UnsafePointer<UnsafePointer<Float>>, _ column: Int) -> Vector {
    // (K1 * L) squared and (K2 * L) squared, for L = 255.
    let (c1, c2) = (Float(6.5025), Float(58.5225))
    let (sum, difference) = (mean(rows, column), mean(rows + window, column))
    let variance: Vector = mean(rows + 2 * window, column) - sum * sum
    let error: Vector = mean(rows + 3 * window, column) - difference * difference
    // Each luma was shifted by -128, so 256 is added to the mean of their sum. Variances do not depend on the shift.
    let whole: Vector = sum + 256
    let square: Vector = difference * difference
    let darker: Vector = square / ((whole * whole + square) * 0.5 + c1)
    let rougher: Vector = error * 2 / (variance + error + 2 * c2)
    return darker + rougher - darker * rougher
  }
}

/// Converts rows of any format to luma from -128 to 127, the range in which `StructuralSimilarity` is most accurate.
///
/// The luma weights are those of ITU-R BT.709, as in `FormatConversion`, which also converts CMYK to RGB. Alpha is
/// removed over a background. 16-bit samples keep their precision.
struct LumaRows {
  private let format: PixelFormat
  private let conversion: FormatConversion
  private let width: Int
  /// A row of gray or RGB without alpha; nil if the rows already have this format.
  private let opaque: PixelBuffer?

  init(_ layout: PictureLayout, background: Colour) {
    let plain = layout.format.with(alpha: false)
    format = plain.model == .cmyk ? plain.with(model: .rgb) : plain
    conversion = FormatConversion(from: layout.format, to: format, background: background)
    width = layout.width
    opaque = conversion.isIdentity ? nil : PixelBuffer(PictureLayout(width: width, height: 1, format: format))
  }

  func convert(_ row: UnsafeRawPointer, to luma: UnsafeMutablePointer<Float>) {
    if let opaque { conversion.convert(row, to: opaque.base, width: width) }
    let row = opaque.map { UnsafeRawPointer($0.base) } ?? row
    if format.sample == .u8 {
      mix(row.assumingMemoryBound(to: UInt8.self), luma, 1)
    } else {
      mix(row.assumingMemoryBound(to: UInt16.self), luma, 1 / 257)
    }
  }

  @inline(__always)
  private func mix<Sample: BinaryInteger>(
    _ row: UnsafePointer<Sample>, _ luma: UnsafeMutablePointer<Float>, _ scale: Float
  ) {
    guard format.model == .rgb else {
      for x in 0..<width { luma[x] = Float(row[x]) * scale - 128 }
      return
    }
    let (red, green, blue) = (0.2126 * scale, 0.7152 * scale, 0.0722 * scale)
    for x in 0..<width {
      luma[x] = red * Float(row[3 * x]) + green * Float(row[3 * x + 1]) + blue * Float(row[3 * x + 2]) - 128
    }
  }
}
