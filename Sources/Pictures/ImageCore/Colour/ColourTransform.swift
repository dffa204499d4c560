import Synchronization

/// A conversion of samples from one colour profile to another, as tables for loops over pixels.
public struct ColourTransform: Sendable {
  public enum Tables: Sendable {
    /// The colours are unchanged.
    case identity
    /// Curves to light, a matrix, and curves from light.
    case matrix(MatrixTables)
    /// A grid of results of the whole conversion.
    case samples(SampledConversion)
    /// A grid of results in the target's linear light, and the curves that encode this light.
    case light(SampledConversion, LightCurves)
  }

  public let tables: Tables
  /// The number of colour bands of the source and of the target: 1, 3 or 4.
  public let sourceBands: Int
  public let targetBands: Int

  /// The tables in the forms that pixel loops use. All pictures with this conversion share them.
  private let forms = Forms()

  public init(_ tables: Tables, sourceBands: Int, targetBands: Int) {
    self.tables = tables
    self.sourceBands = sourceBands
    self.targetBands = targetBands
  }

  /// Returns the tables in the form for loops over samples of `sampleBytes` bytes. `make` creates this form on the
  /// first call. May be called from any thread.
  public func form<Form: AnyObject & Sendable>(sampleBytes: Int, _ make: () -> Form) -> Form {
    forms.known.withLock { known in
      if let form = known[sampleBytes] as? Form { return form }
      let form = make()
      known[sampleBytes] = form
      return form
    }
  }

  /// Converts a colour of three bands; all numbers are from 0 to 1. Returns nil for `Tables.light`.
  public func value(at colour: [Double]) -> [Double]? {
    precondition(colour.count == 3)
    switch tables {
    case .identity: return colour
    case .matrix(let tables): return tables.value(at: colour)
    case .samples(let conversion): return conversion.value(at: colour, targetBands: targetBands)
    case .light: return nil
    }
  }

  private final class Forms: Sendable {
    let known = Mutex<[Int: any AnyObject & Sendable]>([:])
  }
}

/// The tables of a conversion between two RGB profiles that are matrices with curves.
public struct MatrixTables: Sendable {
  /// Linear light, about 0 to 1, at `steps` equal steps of the encoded value: red, then green, then blue.
  public let light: [Float]
  /// The matrix from the source's light to the target's, row by row.
  public let matrix: [Float]
  /// The encoded values, 0 to 1: those of red, then of green, then of blue. In each band, entry i belongs to the light
  /// `(i / (steps - 1))²`. The square gives dark colours more entries.
  public let encoded: [Float]

  public static let steps = 4096

  public init(light: [Float], matrix: [Float], encoded: [Float]) {
    precondition(light.count == 3 * Self.steps && encoded.count == 3 * Self.steps && matrix.count == 9)
    self.light = light
    self.matrix = matrix
    self.encoded = encoded
  }

  /// Returns the encoded result, from 0 to 1, for encoded values from 0 to 1.
  func value(at colour: [Double]) -> [Double] {
    let lights = (0..<3).map { Self.entry(colour[$0], light, $0) }
    return (0..<3).map { row in
      let sum = (0..<3).reduce(0.0) { $0 + Double(matrix[3 * row + $1]) * lights[$1] }
      return min(max(Self.entry(min(max(sum, 0), 1).squareRoot(), encoded, row), 0), 1)
    }
  }

  /// Interpolates a table of three bands at a position from 0 to 1.
  private static func entry(_ place: Double, _ table: [Float], _ band: Int) -> Double {
    let position = min(max(place, 0), 1) * Double(steps - 1)
    let index = min(Int(position), steps - 2)
    let (low, high) = (Double(table[band * steps + index]), Double(table[band * steps + index + 1]))
    return low + (high - low) * (position - Double(index))
  }
}

/// The curves that convert light, interpolated in a grid, to the encoded values of three bands.
public struct LightCurves: Sendable {
  /// The encoded values, as in `MatrixTables.encoded`.
  public let encoded: [Float]
  /// The amounts of light that the samples 0 and 1 of a grid represent. The range is wider than 0 to 1, so that
  /// interpolation near black and white is correct.
  public static let range: ClosedRange<Float> = -0.25...1.25

  public init(encoded: [Float]) {
    precondition(encoded.count == 3 * MatrixTables.steps)
    self.encoded = encoded
  }

  /// Returns the sample, from 0 to 1, that represents an amount of light.
  public static func sample(_ light: Float) -> Float {
    min(max((light - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
  }

  /// Returns the encoded value, 0 to 1, of a sample from 0 to 1.
  public func value(_ sample: Float, band: Int) -> Float {
    let light = Self.range.lowerBound + sample * (Self.range.upperBound - Self.range.lowerBound)
    let position = min(max(light, 0), 1).squareRoot() * Float(MatrixTables.steps - 1)
    let index = min(Int(position), MatrixTables.steps - 2)
    let first = band * MatrixTables.steps + index
    return encoded[first] + (encoded[first + 1] - encoded[first]) * (position - Float(index))
  }
}

/// A grid of results of a conversion.
public struct SampledConversion: Sendable {
  /// The number of points in each direction. The first band changes fastest.
  public let steps: Int
  /// The target's bands for each point of the grid, from 0 to 1, or beyond for colours outside the target's gamut.
  public let samples: [Float]

  public init(steps: Int, samples: [Float]) {
    self.steps = steps
    self.samples = samples
  }

  /// Returns the result for a colour of three bands from 0 to 1, interpolated linearly in each direction.
  public func value(at colour: [Double], targetBands: Int) -> [Double] {
    precondition(colour.count == 3 && samples.count == steps * steps * steps * targetBands)
    let places = colour.map { band -> (index: Int, rest: Double) in
      let position = min(max(band, 0), 1) * Double(steps - 1)
      let index = min(Int(position), steps - 2)
      return (index, position - Double(index))
    }
    var result = [Double](repeating: 0, count: targetBands)
    for corner in 0..<8 {
      var (weight, point) = (1.0, 0)
      for direction in (0..<3).reversed() {
        let isFar = corner >> direction & 1
        weight *= isFar == 1 ? places[direction].rest : 1 - places[direction].rest
        point = point * steps + places[direction].index + isFar
      }
      for band in 0..<targetBands { result[band] += weight * Double(samples[point * targetBands + band]) }
    }
    return result.map { min(max($0, 0), 1) }
  }
}

/// The rendering intents of ICC.1, in the order of the standard.
public enum RenderingIntent: Int, Sendable, CaseIterable {
  case perceptual, relative, saturation, absolute

  /// The name. A `switch` states it, because Swift's reflection of case names took more than 1 % of the program's
  /// start-up time.
  public var name: String {
    switch self {
    case .perceptual: "perceptual"
    case .relative: "relative"
    case .saturation: "saturation"
    case .absolute: "absolute"
    }
  }
}

/// A converter between colour profiles. May be used from any thread.
public protocol ColourConverter: Sendable {
  /// Returns the conversion between two ICC profiles; nil if the source's profile cannot be used.
  ///
  /// - Throws: `OperationError.unsuitable` with the reason why no conversion is possible at all, or to this target.
  func transform(from source: [UInt8], to target: [UInt8], _ intent: RenderingIntent, blackPoint: Bool)
    throws(OperationError) -> ColourTransform?
}

/// A converter that always throws an error, for contexts that need no conversion of colours.
public struct NoColourConverter: ColourConverter {
  public init() {}

  public func transform(from source: [UInt8], to target: [UInt8], _ intent: RenderingIntent, blackPoint: Bool)
    throws(OperationError) -> ColourTransform?
  {
    throw .unsuitable("colours cannot be converted here")
  }
}
