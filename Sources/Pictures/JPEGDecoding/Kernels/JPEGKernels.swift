import ImageKernels
import JPEGKernelsBaseline
import JPEGTables

#if arch(x86_64)
  import JPEGKernelsV3
#endif

/// The decoding loops for one instruction set. `JPEGKernelsBaseline` documents their contracts.
struct JPEGKernels: Sendable {
  /// Blocks, last coefficients, count, output, stride.
  typealias Transform = @Sendable (UnsafeRawPointer, UnsafePointer<UInt8>, Int, UnsafeMutableRawPointer, Int) -> Void

  /// State, first MCU, count.
  let decodeMCUs: @Sendable (UnsafeMutablePointer<EntropyState>, Int, Int) -> Int
  let inverseDCT8: Transform
  let inverseDCT4: Transform
  let inverseDCT2: Transform
  /// Coefficients, count, output.
  let inverseDCT1: @Sendable (UnsafePointer<Int16>, Int, UnsafeMutablePointer<UInt8>) -> Void
  /// Row, count, output.
  let doubleRow: @Sendable (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Void
  /// Near row, far row, count, sums, output.
  let doubleRows:
    @Sendable (
      UnsafePointer<UInt8>, UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt8>
    ) -> Void
  /// Near row, far row, bias, count, output.
  let mixRows:
    @Sendable (
      UnsafePointer<UInt8>, UnsafePointer<UInt8>, UInt16, Int, UnsafeMutablePointer<UInt8>
    ) -> Void
  /// Y, Cb, Cr, count, output.
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
    // These have no intrinsics, or have a plain loop beside them.
    decodeMCUs = JPEGKernelsBaseline.decodeMCUs
    inverseDCT1 = JPEGKernelsBaseline.inverseDCT1
    doubleRow = JPEGKernelsBaseline.doubleRow
    doubleRows = JPEGKernelsBaseline.doubleRows
    mixRows = JPEGKernelsBaseline.mixRows
    convertYCC = JPEGKernelsBaseline.convertYCC
  }
}
