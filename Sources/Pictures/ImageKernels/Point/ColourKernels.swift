import CKernels

/// Loops over rows of sRGB pixels, with computations in linear light or CIE L\*a\*b\*.
///
/// Rows are as in `PointKernels`. Alpha is copied or unchanged.
package enum ColourKernels {
  /// Computes the relative luminance in linear light with the weights of ITU-R BT.709, and encodes it as sRGB, as
  /// libvips does for its `b-w` space.
  ///
  /// - Parameters:
  ///   - source: 3 bands, or 4 with alpha.
  ///   - destination: 1 band, or 2 with alpha.
  package static func luminance(
    from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, sampleBytes: Int, hasAlpha: Bool
  ) {
    if sampleBytes == 1 {
      luminance(UInt8.self, source, destination, width, hasAlpha)
    } else {
      luminance(UInt16.self, source, destination, width, hasAlpha)
    }
  }

  private static func luminance<Sample: StoredSample>(
    _ type: Sample.Type, _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ width: Int,
    _ hasAlpha: Bool
  ) {
    let decode = SRGBTransfer.decodeTable(sampleBytes: MemoryLayout<Sample>.size)
    let encode = SRGBTransfer.encodeTable
    var from = source.assumingMemoryBound(to: Sample.self)
    var to = destination.assumingMemoryBound(to: Sample.self)
    let (step, outputStep) = hasAlpha ? (4, 2) : (3, 1)
    var left = width
    while left > 0 {
      // Four pixels are processed at a time; the last one is repeated if there are fewer.
      let places = SIMD4<Int>(0, min(1, left - 1), min(2, left - 1), min(3, left - 1)) &* step
      @inline(__always) func light(_ band: Int) -> SIMD4<Float> {
        SIMD4(
          decode[Int(from[places[0] + band])], decode[Int(from[places[1] + band])],
          decode[Int(from[places[2] + band])], decode[Int(from[places[3] + band])])
      }
      let sum = 0.2126 * light(0) + 0.7152 * light(1) + 0.0722 * light(2)
      let encoded = SRGBTransfer.encode(sum, encode) * Sample.top
      let samples = Sample.lowBits(nearest: encoded)
      let count = min(4, left)
      for x in 0..<count {
        to[x * outputStep] = Sample(lowBits: samples[x])
        if hasAlpha { to[2 * x + 1] = from[4 * x + 3] }
      }
      from += step * count
      to += outputStep * count
      left -= count
    }
  }

  /// Applies a transform in CIE L\*a\*b\* to pixels of 3 bands, or 4 with alpha, in place.
  package static func transform(
    _ row: UnsafeMutableRawPointer, width: Int, sampleBytes: Int, hasAlpha: Bool, by change: LabTransform,
    _ instructions: InstructionSet = .current
  ) {
    var (row, left) = (row, width)
    if let kernel = ResampleKernels(instructions).transformLab {
      let (whole, bands) = (width & ~7, hasAlpha ? 4 : 3)
      var pass = change.pass(row, count: whole, bands: bands, sampleBytes: sampleBytes)
      kernel(&pass)
      row += whole * bands * sampleBytes
      left -= whole
    }
    if sampleBytes == 1 {
      transform(row.assumingMemoryBound(to: UInt8.self), left, hasAlpha, change)
    } else {
      transform(row.assumingMemoryBound(to: UInt16.self), left, hasAlpha, change)
    }
  }

  private static func transform<Sample: StoredSample>(
    _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ hasAlpha: Bool, _ change: LabTransform
  ) {
    let decode = SRGBTransfer.decodeTable(sampleBytes: MemoryLayout<Sample>.size)
    let encode = SRGBTransfer.encodeTable
    let bands = hasAlpha ? 4 : 3
    LightBlock.withBlock { block in
      for x in stride(from: 0, to: width, by: LightBlock.width) {
        let pixels = row + x * bands
        let count = min(LightBlock.width, width - x)
        block.decode(UnsafePointer(pixels), count: count, bands: bands, offsets: (0, 1, 2), decode)
        change.apply(block)
        block.encode(into: pixels, count: count, bands: bands, encode)
      }
    }
  }

  /// Counts the pixels of a row by CIE lightness L\*: lightness 0 belongs to the first of the `bins` bins, 100 to the
  /// last.
  ///
  /// - Parameters:
  ///   - bands: the number of bands of a pixel; the first, or the first three, are colour.
  package static func countLightness(
    _ row: UnsafeRawPointer, width: Int, bands: Int, sampleBytes: Int, into counts: UnsafeMutablePointer<Int>, bins: Int
  ) {
    if sampleBytes == 1 {
      countLightness(row.assumingMemoryBound(to: UInt8.self), width, bands, counts, bins)
    } else {
      countLightness(row.assumingMemoryBound(to: UInt16.self), width, bands, counts, bins)
    }
  }

  private static func countLightness<Sample: StoredSample>(
    _ row: UnsafePointer<Sample>, _ width: Int, _ bands: Int, _ counts: UnsafeMutablePointer<Int>, _ bins: Int
  ) {
    let decode = SRGBTransfer.decodeTable(sampleBytes: MemoryLayout<Sample>.size)
    let offsets = bands >= 3 ? (0, 1, 2) : (0, 0, 0)
    let last = Float(bins - 1)
    LightBlock.withBlock { block in
      for x in stride(from: 0, to: width, by: LightBlock.width) {
        let count = min(LightBlock.width, width - x)
        block.decode(row + x * bands, count: count, bands: bands, offsets: offsets, decode)
        let places = LabTransform.lightness(block) * (last / 100) + 0.5
        for lane in 0..<count { counts[Int(max(0, min(last, places[lane])))] += 1 }
      }
    }
  }
}
