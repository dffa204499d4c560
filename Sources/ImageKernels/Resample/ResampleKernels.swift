#if arch(x86_64)
  import ImageKernelsBaseline
  import ImageKernelsV3
  import ImageKernelsV4
#endif

/// The loops of resampling for one instruction set. Contracts are those of `PortableKernels`.
struct ResampleKernels: Sendable {
  /// Rows, coefficients, taps, offset, count, shift, output.
  let weighRows:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int16>, Int, Int, Int, Int,
      UnsafeMutableRawPointer
    ) -> Void
  /// Rows, bands, pairs, output.
  let pairPixels:
    @Sendable (UnsafePointer<UnsafeRawPointer>, Int, Int, UnsafeMutableRawPointer) -> Void
  /// Row, starts, coefficients, taps, count, shift, output.
  let weighPixels:
    @Sendable (
      UnsafeRawPointer, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafeMutableRawPointer
    ) -> Void
  /// The same for four rows.
  let weighPixelsOfFourRows:
    @Sendable (
      UnsafePointer<UnsafeRawPointer>, UnsafePointer<Int32>, UnsafePointer<Int16>, Int, Int, Int,
      UnsafePointer<UnsafeMutableRawPointer>
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
  /// Pixels, count, lanes.
  let premultiply: @Sendable (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> Void
  /// Lanes, count, pixels.
  let unpremultiply: @Sendable (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> Void
  /// Frame, stride, offsets, phases, weights across, weights down, taps, count, lanes.
  let samplePoints:
    @Sendable (
      UnsafeRawPointer, Int, UnsafePointer<Int>, UnsafePointer<Int32>, UnsafePointer<Float>,
      UnsafePointer<Float>, Int, Int, UnsafeMutableRawPointer
    ) -> Void

  init(_ instructions: InstructionSet) {
    switch instructions {
    #if arch(x86_64)
      case .baseline:
        weighRows = ImageKernelsBaseline.weighRows8
        pairPixels = ImageKernelsBaseline.pairPixels
        weighPixels = ImageKernelsBaseline.weighPixels8
        weighPixelsOfFourRows = ImageKernelsBaseline.weighPixelsOfFourRows8
        weighPixelsFloat = ImageKernelsBaseline.weighPixelsFloat
        weighRowsFloat = ImageKernelsBaseline.weighRowsFloat
        premultiply = ImageKernelsBaseline.premultiply8
        unpremultiply = ImageKernelsBaseline.unpremultiply8
        samplePoints = ImageKernelsBaseline.samplePoints
      case .v3:
        weighRows = ImageKernelsV3.weighRows8
        pairPixels = ImageKernelsV3.pairPixels
        weighPixels = ImageKernelsV3.weighPixels8
        weighPixelsOfFourRows = ImageKernelsV3.weighPixelsOfFourRows8
        weighPixelsFloat = ImageKernelsV3.weighPixelsFloat
        weighRowsFloat = ImageKernelsV3.weighRowsFloat
        premultiply = ImageKernelsV3.premultiply8
        unpremultiply = ImageKernelsV3.unpremultiply8
        samplePoints = ImageKernelsV3.samplePoints
      case .v4:
        weighRows = ImageKernelsV4.weighRows8
        pairPixels = ImageKernelsV4.pairPixels
        weighPixels = ImageKernelsV4.weighPixels8
        weighPixelsOfFourRows = ImageKernelsV4.weighPixelsOfFourRows8
        weighPixelsFloat = ImageKernelsV4.weighPixelsFloat
        weighRowsFloat = ImageKernelsV4.weighRowsFloat
        premultiply = ImageKernelsV4.premultiply8
        unpremultiply = ImageKernelsV4.unpremultiply8
        samplePoints = ImageKernelsV4.samplePoints
    #endif
    default:
      weighRows = PortableKernels.weighRows8
      pairPixels = PortableKernels.pairPixels
      weighPixels = PortableKernels.weighPixels8
      weighPixelsOfFourRows = PortableKernels.weighPixelsOfFourRows8
      weighPixelsFloat = PortableKernels.weighPixelsFloat
      weighRowsFloat = PortableKernels.weighRowsFloat
      premultiply = PortableKernels.premultiply8
      unpremultiply = PortableKernels.unpremultiply8
      samplePoints = PortableKernels.samplePoints
    }
  }
}
