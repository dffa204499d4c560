import ImageKernels
import JPEGKernelsBaseline
import JPEGTables

#if arch(x86_64)
  import JPEGKernelsV3
#endif

/// The decoding loops for one instruction set. `JPEGKernelsBaseline` documents their parameters.
struct JPEGKernels: Sendable {
  /// The parameters are blocks, last coefficients, count, output, and stride.
  typealias Transform = @Sendable (UnsafeRawPointer, UnsafePointer<UInt8>, Int, UnsafeMutableRawPointer, Int) -> Void

  /// The parameters are state, first MCU, and count.
  let decodeMCUs: @Sendable (UnsafeMutablePointer<EntropyState>, Int, Int) -> Int
  let inverseDCT8: Transform
  let inverseDCT4: Transform
  let inverseDCT2: Transform
  /// The parameters are coefficients, count, and output.
  let inverseDCT1: @Sendable (UnsafePointer<Int16>, Int, UnsafeMutablePointer<UInt8>) -> Void
  /// The parameters are row, count, and output.
  let doubleRow: @Sendable (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Void
  /// The parameters are near row, far row, count, sums, and output.
  let doubleRows:
    @Sendable (
      UnsafePointer<UInt8>, UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt8>
    ) -> Void
  /// The parameters are near row, far row, bias, count, and output.
  let mixRows:
    @Sendable (
      UnsafePointer<UInt8>, UnsafePointer<UInt8>, UInt16, Int, UnsafeMutablePointer<UInt8>
    ) -> Void
  /// The parameters are Y, Cb, Cr, count, and output.
  let convertYCC:
    @Sendable (
      UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>
    ) -> Void

  init(_ instructions: InstructionSet) {
    switch instructions {
    #if arch(x86_64)
      case .v3, .v4:
        decodeMCUs = JPEGKernelsV3.decodeMCUs
        inverseDCT8 = JPEGKernelsV3.inverseDCT8
        inverseDCT4 = JPEGKernelsV3.inverseDCT4
        inverseDCT2 = JPEGKernelsV3.inverseDCT2
        inverseDCT1 = JPEGKernelsV3.inverseDCT1
        doubleRow = JPEGKernelsV3.doubleRow
        doubleRows = JPEGKernelsV3.doubleRows
        mixRows = JPEGKernelsV3.mixRows
        convertYCC = JPEGKernelsV3.convertYCC
        return
      case .baseline:
        inverseDCT8 = JPEGKernelsBaseline.inverseDCT8
        inverseDCT4 = JPEGKernelsBaseline.inverseDCT4
        inverseDCT2 = JPEGKernelsBaseline.inverseDCT2
    #endif
    default:
      inverseDCT8 = PortableTransforms.inverseDCT8
      inverseDCT4 = PortableTransforms.inverseDCT4
      inverseDCT2 = PortableTransforms.inverseDCT2
    }
    // These functions use no intrinsics, or have a plain loop for other processors.
    decodeMCUs = JPEGKernelsBaseline.decodeMCUs
    inverseDCT1 = JPEGKernelsBaseline.inverseDCT1
    doubleRow = JPEGKernelsBaseline.doubleRow
    doubleRows = JPEGKernelsBaseline.doubleRows
    mixRows = JPEGKernelsBaseline.mixRows
    convertYCC = JPEGKernelsBaseline.convertYCC
  }
}
