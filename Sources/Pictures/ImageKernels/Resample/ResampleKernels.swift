#if arch(x86_64)
  import ImageKernelsBaseline
  import ImageKernelsV3
  import ImageKernelsV4
#endif

/// The loops of resampling for one instruction set. Contracts are those of `PortableKernels`.
struct ResampleKernels: Sendable {
  /// Source rows that are weighed at once, 2 or 4.
  let rowsTogether: Int
  /// Rows, count, output; nil where rows are interleaved when they are weighed.
  let interleaveRows:
    (@Sendable (UnsafePointer<UnsafeRawPointer>, Int, UnsafeMutableRawPointer) -> Void)?
  /// Interleaved rows or rows, offset, ranges, coefficients, stride, target rows, count, shift, bands, outputs;
  /// rows to fetch, their count, first byte.
  let weighRowsTogether:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, Int, UnsafePointer<Int32>, UnsafeRawPointer, Int, Int, Int,
      Int, Int, UnsafePointer<UnsafeMutableRawPointer>, UnsafePointer<UnsafeRawPointer>, Int, Int
    ) -> Void
  /// Target pixels that had best begin with the same source pixel.
  let pixelsTogether: Int
  /// Rows, bands, pairs, output.
  let pairPixels:
    @Sendable (UnsafePointer<UnsafeRawPointer>, Int, Int, UnsafeMutableRawPointer) -> Void
  /// Row, starts, coefficients, taps, count, shift, output, step.
  let weighPixels:
    @Sendable (
      UnsafeRawPointer, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafeMutableRawPointer, Int
    ) -> Void
  /// The same for four rows.
  let weighPixelsOfFourRows:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafePointer<UnsafeMutableRawPointer>, Int
    ) -> Void

  /// Rows, coefficients, taps, count, shift, output.
  let weighRows16:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafeMutableRawPointer
    ) -> Void
  /// Rows, two target rows' coefficients, taps, count, shift, outputs.
  let weighRowsOfTwo16:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int16>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafeMutableRawPointer, UnsafeMutableRawPointer
    ) -> Void
  /// Rows, coefficients, terms, count, shift, output.
  let weighRowSums16:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafeMutableRawPointer
    ) -> Void
  /// `weighPixels` and `weighPixelsOfFourRows` into 16-bit samples.
  let weighPixels16:
    @Sendable (
      UnsafeRawPointer, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafeMutableRawPointer, Int
    ) -> Void
  let weighPixelsOfFourRows16:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafePointer<UnsafeMutableRawPointer>, Int
    ) -> Void

  /// Lanes, starts, weights, taps, count, output.
  let weighPixelsFloat:
    @Sendable (
      UnsafeRawPointer, UnsafePointer<Int32>, UnsafePointer<Float>, Int, Int,
      UnsafeMutableRawPointer
    ) -> Void
  /// Rows, weights, taps, floats, output.
  let weighRowsFloat:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Float>, Int, Int, UnsafeMutableRawPointer
    ) -> Void
  /// Rows, starts, weights, taps, count, outputs: four of each.
  let weighPixelsOfFourRowsFloat:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int32>, UnsafePointer<Float>, Int, Int,
      UnsafePointer<UnsafeMutableRawPointer>
    ) -> Void
  /// Samples, count, bands with alpha, floats; of 8 and of 16 bits.
  let floatSamples8: @Sendable (UnsafeRawPointer, Int, Int, UnsafeMutableRawPointer) -> Void
  let floatSamples16: @Sendable (UnsafeRawPointer, Int, Int, UnsafeMutableRawPointer) -> Void
  /// Rows, how many, offset, count, ranges, weights, taps, target rows, output, stride; bytes to fetch.
  let weighPremultipliedRows:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, Int, Int, Int, UnsafePointer<Int32>, UnsafePointer<Float>,
      Int, Int, UnsafeMutableRawPointer, Int, Int, Int
    ) -> Void
  /// Pairs of rows, how many, offset, count, bytes ahead, products.
  let premultiplyPairs:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, Int, Int, Int, Int, UnsafePointer<UnsafeRawPointer>
    ) -> Void
  /// Pairs, count, ranges, coefficients, stride, target rows, shift, outputs.
  let weighPremultipliedPairs:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, Int, UnsafePointer<Int32>, UnsafeRawPointer, Int, Int, Int,
      UnsafePointer<UnsafeMutableRawPointer>
    ) -> Void
  /// Row, starts, coefficients, taps, count, scale, offset, lanes.
  let weighPixelsIntoLanes:
    @Sendable (
      UnsafeRawPointer, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Float, Float,
      UnsafeMutableRawPointer
    ) -> Void
  /// The same for four rows.
  let weighPixelsOfFourRowsIntoLanes:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Float,
      Float, UnsafePointer<UnsafeMutableRawPointer>
    ) -> Void
  /// Lanes, count, least and greatest alpha.
  let hasFaintPixels: @Sendable (UnsafeRawPointer, Int, Float, Float) -> Bool
  /// Rows, offset, count, ranges, weights, taps, target rows, sums, eight interleaved rows;
  /// rows to fetch, their count, first byte, end.
  let weighWideRows:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, Int, Int, UnsafePointer<Int32>, UnsafePointer<Float>, Int,
      Int, UnsafeMutableRawPointer, UnsafeMutableRawPointer,
      UnsafePointer<UnsafeRawPointer>, Int, Int, Int
    ) -> Void
  /// Eight interleaved rows, bands, origin, starts, weights, taps, first pixel, count, interleaved samples.
  let weighEightRows16:
    @Sendable (
      UnsafeRawPointer, Int, Int, UnsafePointer<Int32>, UnsafePointer<Float>, Int, Int, Int,
      UnsafeMutableRawPointer
    ) -> Void
  /// Eight interleaved rows of samples, first sample, count, eight outputs.
  let splitEightRows16:
    @Sendable (
      UnsafeRawPointer, Int, Int, UnsafePointer<UnsafeMutableRawPointer>
    ) -> Void
  /// Rows of floats, bands, first pixel, count, lanes.
  let spreadLanes:
    @Sendable (UnsafePointer<UnsafeRawPointer>, Int, Int, Int, UnsafeMutableRawPointer) -> Void
  /// Lanes, count, bands with alpha, samples; of 8 and of 16 bits.
  let storeLanes8: @Sendable (UnsafeRawPointer, Int, Int, UnsafeMutableRawPointer) -> Void
  let storeLanes16: @Sendable (UnsafeRawPointer, Int, Int, UnsafeMutableRawPointer) -> Void
  /// Frame, bytes of a lane, stride, offsets, phases, weights across, weights down, taps, count, lanes.
  let samplePoints:
    @Sendable (
      UnsafeRawPointer, Int, Int, UnsafePointer<Int>, UnsafePointer<Int32>, UnsafePointer<Float>,
      UnsafePointer<Float>, Int, Int, UnsafeMutableRawPointer
    ) -> Void

  init(_ instructions: InstructionSet) {
    switch instructions {
    #if arch(x86_64)
      case .baseline:
        rowsTogether = ImageKernelsBaseline.rowsTogether8
        interleaveRows = nil
        weighRowsTogether = ImageKernelsBaseline.weighRowsTogether8
        pixelsTogether = ImageKernelsBaseline.pixelsTogether
        pairPixels = ImageKernelsBaseline.pairPixels
        weighPixels = ImageKernelsBaseline.weighPixels8
        weighPixelsOfFourRows = ImageKernelsBaseline.weighPixelsOfFourRows8
        weighRows16 = ImageKernelsBaseline.weighRows16
        weighRowsOfTwo16 = ImageKernelsBaseline.weighRowsOfTwo16
        weighRowSums16 = ImageKernelsBaseline.weighRowSums16
        weighPixels16 = ImageKernelsBaseline.weighPixels16
        weighPixelsOfFourRows16 = ImageKernelsBaseline.weighPixelsOfFourRows16
        weighPixelsFloat = ImageKernelsBaseline.weighPixelsFloat
        weighRowsFloat = ImageKernelsBaseline.weighRowsFloat
        weighPixelsOfFourRowsFloat = ImageKernelsBaseline.weighPixelsOfFourRowsFloat
        floatSamples8 = ImageKernelsBaseline.floatSamples8
        floatSamples16 = ImageKernelsBaseline.floatSamples16
        spreadLanes = ImageKernelsBaseline.spreadLanes
        weighWideRows = ImageKernelsBaseline.weighWideRows
        weighPremultipliedRows = ImageKernelsBaseline.weighPremultipliedRows8
        premultiplyPairs = ImageKernelsBaseline.premultiplyPairs8
        weighPremultipliedPairs = ImageKernelsBaseline.weighPremultipliedPairs8
        weighPixelsIntoLanes = ImageKernelsBaseline.weighPixelsIntoLanes
        weighPixelsOfFourRowsIntoLanes = ImageKernelsBaseline.weighPixelsOfFourRowsIntoLanes
        hasFaintPixels = ImageKernelsBaseline.hasFaintPixels
        weighEightRows16 = ImageKernelsBaseline.weighEightRows16
        splitEightRows16 = ImageKernelsBaseline.splitEightRows16
        storeLanes8 = ImageKernelsBaseline.storeLanes8
        storeLanes16 = ImageKernelsBaseline.storeLanes16
        samplePoints = ImageKernelsBaseline.samplePoints
      case .v3:
        rowsTogether = ImageKernelsV3.rowsTogether8
        interleaveRows = nil
        weighRowsTogether = ImageKernelsV3.weighRowsTogether8
        pixelsTogether = ImageKernelsV3.pixelsTogether
        pairPixels = ImageKernelsV3.pairPixels
        weighPixels = ImageKernelsV3.weighPixels8
        weighPixelsOfFourRows = ImageKernelsV3.weighPixelsOfFourRows8
        weighRows16 = ImageKernelsV3.weighRows16
        weighRowsOfTwo16 = ImageKernelsV3.weighRowsOfTwo16
        weighRowSums16 = ImageKernelsV3.weighRowSums16
        weighPixels16 = ImageKernelsV3.weighPixels16
        weighPixelsOfFourRows16 = ImageKernelsV3.weighPixelsOfFourRows16
        weighPixelsFloat = ImageKernelsV3.weighPixelsFloat
        weighRowsFloat = ImageKernelsV3.weighRowsFloat
        weighPixelsOfFourRowsFloat = ImageKernelsV3.weighPixelsOfFourRowsFloat
        floatSamples8 = ImageKernelsV3.floatSamples8
        floatSamples16 = ImageKernelsV3.floatSamples16
        spreadLanes = ImageKernelsV3.spreadLanes
        weighWideRows = ImageKernelsV3.weighWideRows
        weighPremultipliedRows = ImageKernelsV3.weighPremultipliedRows8
        premultiplyPairs = ImageKernelsV3.premultiplyPairs8
        weighPremultipliedPairs = ImageKernelsV3.weighPremultipliedPairs8
        weighPixelsIntoLanes = ImageKernelsV3.weighPixelsIntoLanes
        weighPixelsOfFourRowsIntoLanes = ImageKernelsV3.weighPixelsOfFourRowsIntoLanes
        hasFaintPixels = ImageKernelsV3.hasFaintPixels
        weighEightRows16 = ImageKernelsV3.weighEightRows16
        splitEightRows16 = ImageKernelsV3.splitEightRows16
        storeLanes8 = ImageKernelsV3.storeLanes8
        storeLanes16 = ImageKernelsV3.storeLanes16
        samplePoints = ImageKernelsV3.samplePoints
      case .v4:
        rowsTogether = ImageKernelsV4.rowsTogether8
        interleaveRows = ImageKernelsV4.interleaveRows8
        weighRowsTogether = ImageKernelsV4.weighRowsTogether8
        pixelsTogether = ImageKernelsV4.pixelsTogether
        pairPixels = ImageKernelsV4.pairPixels
        weighPixels = ImageKernelsV4.weighPixels8
        weighPixelsOfFourRows = ImageKernelsV4.weighPixelsOfFourRows8
        weighRows16 = ImageKernelsV4.weighRows16
        weighRowsOfTwo16 = ImageKernelsV4.weighRowsOfTwo16
        weighRowSums16 = ImageKernelsV4.weighRowSums16
        weighPixels16 = ImageKernelsV4.weighPixels16
        weighPixelsOfFourRows16 = ImageKernelsV4.weighPixelsOfFourRows16
        weighPixelsFloat = ImageKernelsV4.weighPixelsFloat
        weighRowsFloat = ImageKernelsV4.weighRowsFloat
        weighPixelsOfFourRowsFloat = ImageKernelsV4.weighPixelsOfFourRowsFloat
        floatSamples8 = ImageKernelsV4.floatSamples8
        floatSamples16 = ImageKernelsV4.floatSamples16
        spreadLanes = ImageKernelsV4.spreadLanes
        weighWideRows = ImageKernelsV4.weighWideRows
        weighPremultipliedRows = ImageKernelsV4.weighPremultipliedRows8
        premultiplyPairs = ImageKernelsV4.premultiplyPairs8
        weighPremultipliedPairs = ImageKernelsV4.weighPremultipliedPairs8
        weighPixelsIntoLanes = ImageKernelsV4.weighPixelsIntoLanes
        weighPixelsOfFourRowsIntoLanes = ImageKernelsV4.weighPixelsOfFourRowsIntoLanes
        hasFaintPixels = ImageKernelsV4.hasFaintPixels
        weighEightRows16 = ImageKernelsV4.weighEightRows16
        splitEightRows16 = ImageKernelsV4.splitEightRows16
        storeLanes8 = ImageKernelsV4.storeLanes8
        storeLanes16 = ImageKernelsV4.storeLanes16
        samplePoints = ImageKernelsV4.samplePoints
    #endif
    default:
      rowsTogether = PortableKernels.rowsTogether8
      interleaveRows = nil
      weighRowsTogether = PortableKernels.weighRowsTogether8
      pixelsTogether = PortableKernels.pixelsTogether
      pairPixels = PortableKernels.pairPixels
      weighPixels = PortableKernels.weighPixels8
      weighPixelsOfFourRows = PortableKernels.weighPixelsOfFourRows8
      weighRows16 = PortableKernels.weighRows16
      weighRowsOfTwo16 = PortableKernels.weighRowsOfTwo16
      weighRowSums16 = PortableKernels.weighRowSums16
      weighPixels16 = PortableKernels.weighPixels16
      weighPixelsOfFourRows16 = PortableKernels.weighPixelsOfFourRows16
      weighPixelsFloat = PortableKernels.weighPixelsFloat
      weighRowsFloat = PortableKernels.weighRowsFloat
      weighPixelsOfFourRowsFloat = PortableKernels.weighPixelsOfFourRowsFloat
      floatSamples8 = PortableKernels.floatSamples8
      floatSamples16 = PortableKernels.floatSamples16
      spreadLanes = PortableKernels.spreadLanes
      weighWideRows = PortableKernels.weighWideRows
      weighPremultipliedRows = PortableKernels.weighPremultipliedRows8
      premultiplyPairs = PortableKernels.premultiplyPairs8
      weighPremultipliedPairs = PortableKernels.weighPremultipliedPairs8
      weighPixelsIntoLanes = PortableKernels.weighPixelsIntoLanes
      weighPixelsOfFourRowsIntoLanes = PortableKernels.weighPixelsOfFourRowsIntoLanes
      hasFaintPixels = PortableKernels.hasFaintPixels
      weighEightRows16 = PortableKernels.weighEightRows16
      splitEightRows16 = PortableKernels.splitEightRows16
      storeLanes8 = PortableKernels.storeLanes8
      storeLanes16 = PortableKernels.storeLanes16
      samplePoints = PortableKernels.samplePoints
    }
  }
}
