import CKernels

extension PortableKernels {
  static func sampleColours(_ sampling: UnsafePointer<ColourSampling>) {
    let sampling = sampling.pointee
    if sampling.sampleBytes == 1 {
      sampleColours(sampling, UInt8.self)
    } else {
      sampleColours(sampling, UInt16.self)
    }
  }

  private static func sampleColours<Sample: StoredSample>(_ sampling: ColourSampling, _: Sample.Type) {
    let points = sampling.points.assumingMemoryBound(to: SIMD4<Float>.self)
    let (steps, hasBlack) = (sampling.steps, sampling.sourceBands == 4)
    var from = sampling.source.assumingMemoryBound(to: Sample.self)
    var to = sampling.output.assumingMemoryBound(to: Sample.self)
    for _ in 0..<sampling.count {
      func place(_ band: Int) -> (index: Int, rest: Float) {
        let position = from[band].number * sampling.scale
        let index = min(Int(position), steps - 2)
        return (index, position - Float(index))
      }
      let (x, y, z) = (place(0), place(1), place(2))
      let cell = x.index + steps * (y.index + steps * z.index)
      let order = (x.rest >= y.rest ? 1 : 0) + (y.rest >= z.rest ? 2 : 0) + (z.rest >= x.rest ? 4 : 0)
      let fractions = [x.rest, y.rest, z.rest].sorted(by: >)
      func tetrahedron(_ first: UnsafePointer<SIMD4<Float>>) -> SIMD4<Float> {
        func corner(_ index: Int) -> SIMD4<Float> { first[Int(sampling.corners[index]) / 16] }
        return first[0] * (1 - fractions[0]) + corner(2 * order) * (fractions[0] - fractions[1])
          + corner(2 * order + 1) * (fractions[1] - fractions[2]) + corner(16) * fractions[2]
      }
      var colour: SIMD4<Float>
      if hasBlack {
        let black = place(3)
        let low = tetrahedron(points + cell * steps + black.index)
        colour = low + (tetrahedron(points + cell * steps + black.index + 1) - low) * black.rest
      } else {
        colour = tetrahedron(points + cell)
      }
      colour.clamp(lowerBound: SIMD4(), upperBound: SIMD4(repeating: Sample.top))
      colour.round(.toNearestOrEven)
      for band in 0..<sampling.targetBands { to[band] = Sample(lowBits: UInt32(colour[band])) }
      if sampling.hasAlpha { to[sampling.outputSamples - 1] = from[sampling.sourceSamples - 1] }
      from += sampling.sourceSamples
      to += sampling.outputSamples
    }
  }
}
