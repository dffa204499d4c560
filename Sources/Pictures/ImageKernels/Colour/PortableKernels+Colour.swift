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

  static func convertMatrix8(_ pass: UnsafePointer<MatrixPass8>) {
    let pass = pass.pointee
    let (red, green, blue) = (pass.parts, pass.parts + 256, pass.parts + 512)
    let (levels, shift) = (pass.levels, UInt64(pass.levelShift))
    let mask: UInt64 = 0x1f_ffff >> shift
    var pixel = pass.row.assumingMemoryBound(to: UInt8.self)
    for _ in 0..<pass.count {
      let light = (red[Int(pixel[0])] &+ green[Int(pixel[1])] &+ blue[Int(pixel[2])]) &>> shift
      pixel[0] = levels.0[Int(truncatingIfNeeded: light & mask)]
      pixel[1] = levels.1[Int(truncatingIfNeeded: light &>> 21 & mask)]
      pixel[2] = levels.2[Int(truncatingIfNeeded: light &>> 42)]
      pixel += pass.bands
    }
  }

  static func convertMatrix16(_ pass: UnsafePointer<MatrixPass16>) {
    let pass = pass.pointee
    let (light, levels, columns) = (pass.light, pass.levels, fourColumns(pass.columns))
    var pixel = pass.row.assumingMemoryBound(to: UInt16.self)
    for _ in 0..<pass.count {
      var colour = columns.0 * light.0[Int(pixel[0])]
      colour += columns.1 * light.1[Int(pixel[1])]
      colour += columns.2 * light.2[Int(pixel[2])]
      pixel[0] = levels.0[place(colour[0])]
      pixel[1] = levels.1[place(colour[1])]
      pixel[2] = levels.2[place(colour[2])]
      pixel += pass.bands
    }
  }

  /// Returns the index of a light in a table of 65,536 entries. Entry i belongs to the light `(i / 65,535)²`.
  @inline(__always)
  private static func place(_ light: Float) -> Int {
    let cut = light < 1 ? light : 1
    // Adding 2²³ rounds the number to an integer in the low bits.
    let bits = ((cut > 0 ? cut : 0).squareRoot() * 65_535 + 8_388_608).bitPattern
    return Int(truncatingIfNeeded: bits & 0xffff)
  }

  private static func fourColumns(_ columns: UnsafePointer<Float>) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
    func column(_ band: Int) -> SIMD4<Float> {
      UnsafeRawPointer(columns + 4 * band).loadUnaligned(as: SIMD4<Float>.self)
    }
    return (column(0), column(1), column(2))
  }

  static func mapTones(_ pass: UnsafePointer<TonePass>) {
    if pass.pointee.sampleBytes == 1 {
      mapTones(pass.pointee, UInt8.self)
    } else {
      mapTones(pass.pointee, UInt16.self)
    }
  }

  @inline(__always)
  private static func mapTones<Sample: StoredSample>(_ pass: TonePass, _: Sample.Type) {
    if pass.colours == 1 { mapGray(pass, Sample.self) } else { mapColours(pass, Sample.self) }
  }

  @inline(__always)
  private static func mapColours<Sample: StoredSample>(_ pass: TonePass, _: Sample.Type) {
    let columns = fourColumns(pass.columns)
    var pixel = pass.row.assumingMemoryBound(to: Sample.self)
    for _ in 0..<pass.count {
      var colour = columns.0 * light(pixel[0], pass)
      colour += columns.1 * light(pixel[1], pass)
      colour += columns.2 * light(pixel[2], pass)
      colour = colour.replacing(with: 0, where: colour .< 0)
      if let scene = pass.scene { colour *= curve(colour[3], scene) }
      let brighter = colour[0] > colour[1] ? colour[0] : colour[1]
      colour *= curve((brighter > colour[2] ? brighter : colour[2]) * (1 / 16), pass.gain)
      pixel[0] = encoded(colour[0], pass)
      pixel[1] = encoded(colour[1], pass)
      pixel[2] = encoded(colour[2], pass)
      pixel += pass.bands
    }
  }

  @inline(__always)
  private static func mapGray<Sample: StoredSample>(_ pass: TonePass, _: Sample.Type) {
    var pixel = pass.row.assumingMemoryBound(to: Sample.self)
    for _ in 0..<pass.count {
      var gray = light(pixel[0], pass)
      if let scene = pass.scene { gray *= curve(gray, scene) }
      gray *= curve(gray * (1 / 16), pass.gain)
      pixel[0] = encoded(gray, pass)
      pixel += pass.bands
    }
  }

  @inline(__always)
  private static func light<Sample: StoredSample>(_ sample: Sample, _ pass: TonePass) -> Float {
    let position = sample.number * (4096 / Sample.top)
    let whole = Int32(position)
    return interpolated(pass.light + Int(whole), position - Float(whole))
  }

  @inline(__always)
  private static func encoded<Sample: StoredSample>(_ light: Float, _ pass: TonePass) -> Sample {
    // The table starts slightly above 0; less light becomes 0.
    light < 0x1p-24 ? 0 : Sample(nearest: curve(light, pass.encoded) * Sample.top)
  }

  @inline(__always)
  private static func interpolated(_ entry: UnsafePointer<Float>, _ rest: Float) -> Float {
    entry[0] + (entry[1] - entry[0]) * rest
  }

  /// Returns the value for a light from 0 to 1: the high bits of its representation select an entry, and the low bits
  /// interpolate between that entry and the next.
  @inline(__always)
  private static func curve(_ light: Float, _ samples: UnsafePointer<Float>) -> Float {
    let cut = light < 1 ? light : 1
    // The bits of positive floats, read as integers, have the same order as the floats.
    let bits = UInt32(bitPattern: max(Int32(bitPattern: cut.bitPattern), 0x3380_0000)) &- 0x3380_0000
    return interpolated(samples + Int(bits &>> 14), Float(Int32(bitPattern: bits & 0x3fff)) * 0x1p-14)
  }
}
