/// Resampling in floating point for cases in which speed matters less: extreme ratios, and pixels that need `Double`.
///
/// Each pixel has four lanes, with zeros in unused lanes and colours multiplied by alpha. 16-bit pixels with alpha use
/// `Double`, because dividing by a small alpha magnifies errors up to 65,535 times; in linear light, they use `Float`.
enum FloatPasses {
  /// Reads `count` pixels into lanes, and multiplies colours by alpha if `premultiplies` is set.
  static func decode8(
    _ bands: Int, _ premultiplies: Bool, _ count: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    decode(UInt8.self, bands, premultiplies, count, input, output)
  }
  static func decode16(
    _ bands: Int, _ premultiplies: Bool, _ count: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    decode(UInt16.self, bands, premultiplies, count, input, output)
  }
  static func decode16(
    _ bands: Int, _ premultiplies: Bool, _ count: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutablePointer<SIMD4<Double>>
  ) {
    decode(UInt16.self, bands, premultiplies, count, input, output)
  }

  /// Converts lanes to pixels: divides colours by alpha if they are `premultiplied`, rounds to nearest, and clamps. If
  /// alpha rounds to 0, the whole pixel becomes 0.
  static func encode8(
    _ lanes: UnsafePointer<SIMD4<Float>>, _ bands: Int, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    encode(UInt8.self, lanes, bands, premultiplied, count, output)
  }
  static func encode16(
    _ lanes: UnsafePointer<SIMD4<Float>>, _ bands: Int, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    encode(UInt16.self, lanes, bands, premultiplied, count, output)
  }
  static func encode16(
    _ lanes: UnsafePointer<SIMD4<Double>>, _ bands: Int, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    encode(UInt16.self, lanes, bands, premultiplied, count, output)
  }

  /// Runs the horizontal pass over one row of lanes; `input[0]` is source column `origin`.
  static func filterPixels(
    _ axis: ResampleAxis, _ origin: Int, _ input: UnsafePointer<SIMD4<Double>>,
    _ output: UnsafeMutablePointer<SIMD4<Double>>
  ) {
    axis.weights.withUnsafeBufferPointer { weights in
      for x in 0..<axis.count {
        let pixel = input + (axis.starts[x] - origin)
        var sum = SIMD4<Double>(repeating: 0)
        for k in 0..<axis.tapCounts[x] { sum += pixel[k] * weights[x * axis.taps + k] }
        output[x] = sum
      }
    }
  }

  /// Runs the vertical pass: computes `count` pixels of target row `target` from its rows of lanes.
  static func filterRows(
    _ axis: ResampleAxis, _ target: Int, _ rows: UnsafePointer<UnsafeRawPointer>, _ count: Int,
    _ output: UnsafeMutablePointer<SIMD4<Double>>
  ) {
    let size = MemoryLayout<SIMD4<Double>>.size
    let taps = axis.tapCounts[target]
    axis.weights.withUnsafeBufferPointer { weights in
      for x in 0..<count {
        var sum = SIMD4<Double>(repeating: 0)
        for k in 0..<taps {
          let lanes = (rows[k] + x * size).loadUnaligned(as: SIMD4<Double>.self)
          sum += lanes * weights[target * axis.taps + k]
        }
        output[x] = sum
      }
    }
  }

  /// Computes target pixels `columns` of row `target` in `Double`, from 16-bit samples with alpha.
  ///
  /// - Parameters:
  ///   - row: returns the address of a source row.
  ///   - output: the first pixel of the target row.
  static func renderDouble(
    _ columns: Range<Int>, of target: Int, _ plan: ResamplePlan, row: (Int) -> UnsafeRawPointer,
    _ scratch: ResampleScratch, into output: UnsafeMutableRawPointer
  ) {
    let (bands, axis) = (plan.pixels.bands, plan.horizontal)
    let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Double>.self)
    let sources = axis.sources(of: columns)
    var sums = [SIMD4<Double>](repeating: SIMD4(repeating: 0), count: sources.count)
    for k in 0..<plan.vertical.tapCounts[target] {
      let weight = plan.vertical.weights[target * plan.vertical.taps + k]
      let input = row(plan.vertical.starts[target] + k) + sources.lowerBound * bands * 2
      decode16(bands, true, sources.count, input, lanes)
      for x in 0..<sources.count { sums[x] += lanes[x] * weight }
    }
    for x in columns {
      var pixel = SIMD4<Double>(repeating: 0)
      for k in 0..<axis.tapCounts[x] {
        let weight: Double = axis.weights[x * axis.taps + k]
        pixel += sums[axis.starts[x] - sources.lowerBound + k] * weight
      }
      encode16(&pixel, bands, true, 1, output + x * bands * 2)
    }
  }

  // The generic functions below do the work. They are in the same file as the functions above, so the compiler can
  // specialise them for each sample type and number of bands.

  @inline(__always)
  private static func decode<Sample, Lane>(
    _ type: Sample.Type, _ bands: Int, _ premultiplies: Bool, _ count: Int,
    _ input: UnsafeRawPointer, _ output: UnsafeMutablePointer<SIMD4<Lane>>
  )
  where
    Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar, Lane: ResampleLane
  {
    let samples = input.assumingMemoryBound(to: Sample.self)
    let top = Lane(sample: UInt16(Sample.max))
    @inline(__always) func run(_ bands: Int, _ premultiplies: Bool) {
      for x in 0..<count {
        var lanes = SIMD4<Lane>(repeating: 0)
        for band in 0..<bands { lanes[band] = Lane(sample: UInt16(samples[x * bands + band])) }
        if premultiplies {
          let opacity = lanes[bands - 1]
          lanes *= opacity / top
          lanes[bands - 1] = opacity
        }
        output[x] = lanes
      }
    }
    switch (bands, premultiplies) {
    case (1, _): run(1, false)
    case (2, false): run(2, false)
    case (2, true): run(2, true)
    case (3, _): run(3, false)
    case (_, false): run(4, false)
    case (_, true): run(4, true)
    }
  }

  @inline(__always)
  private static func encode<Sample, Lane>(
    _ type: Sample.Type, _ lanes: UnsafePointer<SIMD4<Lane>>, _ bands: Int, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  )
  where
    Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar, Lane: ResampleLane
  {
    let samples = output.assumingMemoryBound(to: Sample.self)
    let top = Lane(sample: UInt16(Sample.max))
    @inline(__always) func run(_ bands: Int, _ premultiplied: Bool) {
      for x in 0..<count {
        var pixel = lanes[x]
        if premultiplied {
          let opacity = pixel[bands - 1]
          pixel = opacity < 0.5 ? SIMD4(repeating: 0) : pixel * (top / opacity)
          pixel[bands - 1] = opacity < 0.5 ? 0 : opacity
        }
        for band in 0..<bands {
          // Bands are clamped one by one: in generic code, SIMD's clamping is a function call, a hundred times slower.
          let value = pixel[band]
          let held = value < 0 ? 0 : value > top ? top : value
          samples[x * bands + band] = Sample(truncatingIfNeeded: (held + 0.5).wholePart)
        }
      }
    }
    switch (bands, premultiplied) {
    case (1, _): run(1, false)
    case (2, false): run(2, false)
    case (2, true): run(2, true)
    case (3, _): run(3, false)
    case (_, false): run(4, false)
    case (_, true): run(4, true)
    }
  }
}

/// A floating-point type whose conversions compile to one instruction even in generic code; the standard library's
/// generic conversions are a hundred times slower.
protocol ResampleLane: BinaryFloatingPoint, SIMDScalar, Codable {
  init(sample: UInt16)
  /// The value rounded towards zero; only for values from 0 to 65,536.
  var wholePart: Int32 { get }
}

extension Float: ResampleLane {
  init(sample: UInt16) { self = Float(Int32(sample)) }
  var wholePart: Int32 { Int32(self) }
}

extension Double: ResampleLane {
  init(sample: UInt16) { self = Double(Int32(sample)) }
  var wholePart: Int32 { Int32(self) }
}
