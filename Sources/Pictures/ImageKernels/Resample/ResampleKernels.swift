import CKernels

#if arch(x86_64)
  import ImageKernelsBaseline
  import ImageKernelsV3
  import ImageKernelsV4
#endif

extension ResampleKernels {
  init(_ instructions: InstructionSet) {
    self =
      switch instructions {
      #if arch(x86_64)
        case .baseline: ImageKernelsBaseline.makeKernels()
        case .v3: ImageKernelsV3.makeKernels()
        case .v4: ImageKernelsV4.makeKernels()
      #endif
      default: PortableKernels.makeKernels()
      }
  }
}

extension PortableKernels {
  static func makeKernels() -> ResampleKernels {
    ResampleKernels(
      rowsTogether: 2,
      pixelsTogether: 1,
      interleaveRows8: nil,
      filterRows8: { PortableKernels.filterRows8($0) },
      pairPixels: { PortableKernels.pairPixels($0, $1, $2, $3) },
      filterPixels8: { PortableKernels.filterPixels8($0) },
      filterPixels16: { PortableKernels.filterPixels16($0) },
      filterPixelsIntoLanes: { PortableKernels.filterPixelsIntoLanes($0) },
      filterRows16: { PortableKernels.filterRows16($0) },
      filterRowSums16: { PortableKernels.filterRowSums16($0) },
      premultiplyPairs8: { PortableKernels.premultiplyPairs8($0) },
      filterPremultipliedPairs8: { PortableKernels.filterPremultipliedPairs8($0) },
      hasFaintPixels: { PortableKernels.hasFaintPixels($0, $1, $2, $3) },
      floatSamples8: { PortableKernels.floatSamples8($0, $1, $2, $3) },
      floatSamples16: { PortableKernels.floatSamples16($0, $1, $2, $3) },
      spreadLanes: { PortableKernels.spreadLanes($0, $1, $2, $3, $4) },
      filterRowsFloat: { PortableKernels.filterRowsFloat($0) },
      filterPixelsFloat: { PortableKernels.filterPixelsFloat($0) },
      storeLanes8: { PortableKernels.storeLanes8($0, $1, $2, $3) },
      storeLanes16: { PortableKernels.storeLanes16($0, $1, $2, $3) },
      filterPremultipliedRows8: { PortableKernels.filterPremultipliedRows8($0) },
      filterWideRows: { PortableKernels.filterWideRows($0) },
      filterEightRows16: { PortableKernels.filterEightRows16($0) },
      splitEightRows16: { PortableKernels.splitEightRows16($0, $1, $2, $3) },
      samplePoints: { PortableKernels.samplePoints($0) },
      sampleColours: { PortableKernels.sampleColours($0) },
      convertMatrix8: { PortableKernels.convertMatrix8($0) },
      convertMatrix16: { PortableKernels.convertMatrix16($0) },
      mapTones: { PortableKernels.mapTones($0) },
      median: { PortableKernels.median($0) },
      transformLab: nil,
      addDetail: nil,
      widenLuma: nil)
  }
}
