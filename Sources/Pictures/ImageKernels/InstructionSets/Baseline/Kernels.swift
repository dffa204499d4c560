#if arch(x86_64)
  import CKernels

  /// Returns the kernels of this module's instruction set.
  ///
  /// They are closures because Swift would emit a weak symbol for a function that becomes a C function pointer.
  package func makeKernels() -> ResampleKernels {
    ResampleKernels(
      rowsTogether: rowsTogether8,
      pixelsTogether: pixelsTogether,
      interleaveRows8: interleaveRows8,
      filterRows8: { filterRows8($0) },
      pairPixels: { pairPixels($0, $1, $2, $3) },
      filterPixels8: { filterPixels8($0) },
      filterPixels16: { filterPixels16($0) },
      filterPixelsIntoLanes: { filterPixelsIntoLanes($0) },
      filterRows16: { filterRows16($0) },
      filterRowSums16: { filterRowSums16($0) },
      premultiplyPairs8: { premultiplyPairs8($0) },
      filterPremultipliedPairs8: { filterPremultipliedPairs8($0) },
      hasFaintPixels: { hasFaintPixels($0, $1, $2, $3) },
      floatSamples8: { floatSamples8($0, $1, $2, $3) },
      floatSamples16: { floatSamples16($0, $1, $2, $3) },
      spreadLanes: { spreadLanes($0, $1, $2, $3, $4) },
      filterRowsFloat: { filterRowsFloat($0) },
      filterPixelsFloat: { filterPixelsFloat($0) },
      storeLanes8: { storeLanes8($0, $1, $2, $3) },
      storeLanes16: { storeLanes16($0, $1, $2, $3) },
      filterPremultipliedRows8: { filterPremultipliedRows8($0) },
      filterWideRows: { filterWideRows($0) },
      filterEightRows16: { filterEightRows16($0) },
      splitEightRows16: { splitEightRows16($0, $1, $2, $3) },
      samplePoints: { samplePoints($0) },
      sampleColours: { sampleColours($0) },
      convertMatrix8: { convertMatrix8($0) },
      convertMatrix16: { convertMatrix16($0) },
      mapTones: { mapTones($0) },
      median: { median($0) },
      transformLab: transformLabPass,
      addDetail: addDetailPass,
      widenLuma: widenLumaPass)
  }

  /// The type of `ResampleKernels.interleaveRows8`.
  private typealias Interleave = @convention(c) (RowAddresses, Int, UnsafeMutableRawPointer) -> Void

  #if ISA_V4
    private var rowsTogether8: Int { 4 }
    private var interleaveRows8: Interleave? { { interleaveFourRows($0, $1, $2) } }
    private var pixelsTogether: Int { 2 }
  #else
    private var rowsTogether8: Int { 2 }
    private var interleaveRows8: Interleave? { nil }
    private var pixelsTogether: Int { 1 }
  #endif

  /// The types of kernels that some instruction sets lack.
  private typealias ChangeLab = @convention(c) (UnsafePointer<LabPass>) -> Void
  private typealias AddDetail = @convention(c) (UnsafePointer<DetailPass>) -> Void
  private typealias WidenLuma = @convention(c) (UnsafePointer<LumaPass>) -> Void

  #if ISA_V3 || ISA_V4
    private var transformLabPass: ChangeLab? { { transformLab($0) } }
    private var addDetailPass: AddDetail? { { addDetail($0) } }
    private var widenLumaPass: WidenLuma? { { widenLuma($0) } }
  #else
    private var transformLabPass: ChangeLab? { nil }
    private var addDetailPass: AddDetail? { nil }
    private var widenLumaPass: WidenLuma? { nil }
  #endif
#endif
