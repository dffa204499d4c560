import CKernels
import CProcessor

extension StreamingResampler {
  /// Computes up to `FloatScratch.rows` target rows in floating point. For each block of columns, samples are converted
  /// to floats and multiplied by alpha, and the vertical pass runs. After the last block, the horizontal pass processes
  /// all columns.
  func render(
    _ targets: Range<Int>, with floats: FloatPlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    let memory = scratch.floats
    if plan.convertsInRegisters {
      filterPremultipliedRows(targets, floats, memory)
    } else {
      filterRows(targets, floats, memory)
    }
    let bands = plan.pixels.bands
    let columns = 0..<plan.geometry.targetWidth
    // The four lanes contain one row with 3 or 4 bands, two rows with 2 bands, or four rows with 1 band.
    let rowsAtOnce = bands > 2 ? 1 : 4 / bands
    let groups = (targets.count + rowsAtOnce - 1) / rowsAtOnce
    for group in 0..<groups where bands != 4 {
      plan.kernels.spreadLanes(
        memory.flat + group * rowsAtOnce, bands, 0, plan.columns.count,
        UnsafeMutableRawPointer(mutating: memory.lanes[group]))
    }
    floats.filterPixels(plan.kernels, columns, memory.lanes, count: groups, into: memory.sums)
    for group in 0..<groups {
      let first = group * rowsAtOnce
      store(
        memory.sums[group], memory.quads, rows: min(rowsAtOnce, targets.count - first),
        into: output + first * stride, stride: stride)
    }
    guard plan.needsDouble else { return }
    for (index, target) in targets.enumerated() {
      let lane = index % rowsAtOnce * bands + bands - 1
      mend(target, alpha: memory.sums[index / rowsAtOnce] + lane * 4, into: output + index * stride, scratch)
    }
  }

  /// Runs the vertical pass over 8-bit pixels of four bands with alpha, for up to four target rows together.
  private func filterPremultipliedRows(_ targets: Range<Int>, _ floats: FloatPlan, _ memory: FloatScratch) {
    gather(targets, into: memory.sources, memory.ranges)
    filterPremultipliedRows(targets, 0..<memory.flatCount, floats, memory)
  }

  /// Stores, for some target rows, the addresses of the first needed column in their source rows, and the range of
  /// source rows of each target row.
  func gather(
    _ targets: Range<Int>, into sources: UnsafeMutablePointer<UnsafeRawPointer>, _ ranges: UnsafeMutablePointer<Int32>
  ) {
    let needed = sourceRows(of: targets)
    let origin = plan.columns.lowerBound * plan.pixels.bytesPerPixel
    for (k, row) in needed.enumerated() { sources[k] = slot(row) + origin }
    for (index, target) in targets.enumerated() {
      let own = sourceRows(of: target..<target + 1)
      ranges[2 * index] = Int32(own.lowerBound - needed.lowerBound)
      ranges[2 * index + 1] = Int32(own.upperBound - needed.lowerBound)
    }
  }

  /// Runs the vertical pass over samples `samples` of the gathered rows; the bounds are multiples of 64.
  private func filterPremultipliedRows(
    _ targets: Range<Int>, _ samples: Range<Int>, _ floats: FloatPlan, _ memory: FloatScratch
  ) {
    let block = FloatScratch.block
    let rows = sourceRows(of: targets).count
    for offset in Swift.stride(from: samples.lowerBound, to: samples.upperBound, by: block) {
      let count = min(block, samples.upperBound - offset)
      let end = offset + count
      floats.filterPremultipliedRows(
        plan.kernels, targets, rows: rows, offset: offset, count: count, memory,
        ahead: end..<min(end + block, samples.upperBound))
    }
  }

  /// Computes the lanes of target columns `columns` in up to four target rows, with the same results as `render`.
  /// Pixels have four bands of 8 bits, including alpha. The source rows must have been gathered.
  func filterColumns(_ columns: Range<Int>, of targets: Range<Int>, _ floats: FloatPlan, _ memory: FloatScratch) {
    let sources = plan.horizontal.sources(of: columns)
    let first = (sources.lowerBound - plan.columns.lowerBound) * 4 & ~63
    let end = ((sources.upperBound - plan.columns.lowerBound) * 4 + 63) & ~63
    filterPremultipliedRows(targets, first..<end, floats, memory)
    floats.filterPixels(
      plan.kernels, columns, memory.flat, count: targets.count, into: memory.sums)
  }

  private func filterRows(_ targets: Range<Int>, _ floats: FloatPlan, _ memory: FloatScratch) {
    let axis = plan.vertical
    let needed = sourceRows(of: targets)
    let rowSize = FloatScratch.block * 4
    for (index, target) in targets.enumerated() {
      let first = memory.converted + (axis.starts[target] - needed.lowerBound) * rowSize
      for k in 0..<axis.tapCounts[target] {
        memory.sources[index * memory.taps + k] = UnsafeRawPointer(first + k * rowSize)
      }
    }
    let pixels = plan.pixels
    let origin = plan.columns.lowerBound * pixels.bytesPerPixel
    for offset in Swift.stride(from: 0, to: memory.flatCount, by: FloatScratch.block) {
      let count = min(FloatScratch.block, memory.flatCount - offset)
      for row in needed {
        let from = slot(row) + origin + offset * pixels.bytesPerSample
        let to = memory.converted + (row - needed.lowerBound) * rowSize
        // Processors predict neither the jump to the next row nor the jump back to this row, so this row's next block
        // is prefetched.
        let blockSize = FloatScratch.block * pixels.bytesPerSample
        imghost_prefetch(from + blockSize, blockSize)
        plan.widen(from, count, into: to)
      }
      for (index, target) in targets.enumerated() {
        floats.filterRows(
          plan.kernels, target, axis.tapCounts[target], memory.sources + index * memory.taps,
          floats: count, into: UnsafeMutableRawPointer(mutating: memory.flat[index]) + offset * 4)
      }
    }
  }

  /// Converts one row of lanes to pixels. With fewer than 3 bands, the lanes contain several target rows.
  private func store(
    _ sums: UnsafeMutableRawPointer, _ quads: UnsafeMutableRawPointer, rows: Int,
    into output: UnsafeMutableRawPointer, stride: Int
  ) {
    let (pixels, count, alphaBands) = (plan.pixels, plan.geometry.targetWidth, plan.alphaBands)
    let padded = (count + 3) & ~3
    if plan.decodesLight { plan.encodeLanes(sums, padded) }
    if pixels.bytesPerSample == 1 {
      plan.kernels.storeLanes8(sums, padded, alphaBands, quads)
      Quads.unpack8(quads, bands: pixels.bands, count: count, rows: rows, into: output, stride: stride)
    } else {
      plan.kernels.storeLanes16(sums, padded, alphaBands, quads)
      Quads.unpack16(quads, bands: pixels.bands, count: count, rows: rows, into: output, stride: stride)
    }
  }

  /// Recomputes in `Double` the pixels of a 16-bit row for which `Float` is not exact enough: an error of about 2^-24
  /// of full intensity becomes visible when it is divided by an alpha below 2,048 of 65,535.
  ///
  /// - Parameter alpha: the start of the row's alpha lanes, four floats per pixel.
  private func mend(
    _ target: Int, alpha: UnsafeRawPointer, into output: UnsafeMutableRawPointer, _ scratch: ResampleScratch
  ) {
    let count = plan.geometry.targetWidth
    func isCoarse(_ x: Int) -> Bool {
      let value = alpha.loadUnaligned(fromByteOffset: 16 * x, as: Float.self)
      return value > 0.25 && value < 2048
    }
    var x = 0
    while x < count {
      guard isCoarse(x) else {
        x += 1
        continue
      }
      let first = x
      while x < count, isCoarse(x) { x += 1 }
      FloatPasses.renderDouble(first..<x, of: target, plan, row: { self.slot($0) }, scratch, into: output)
    }
  }
}

extension ResamplePlan {
  /// Converts samples of a row to floats, and multiplies colours by alpha.
  ///
  /// - Parameter count: the number of samples; with alpha, a multiple of the number of bands.
  fileprivate func widen(_ samples: UnsafeRawPointer, _ count: Int, into floats: UnsafeMutableRawPointer) {
    if decodesLight {
      LightKernels.widen(
        samples, sampleBytes: pixels.bytesPerSample, count: count, alphaBands: alphaBands,
        into: floats.assumingMemoryBound(to: Float.self))
    } else if pixels.bytesPerSample == 1 {
      kernels.floatSamples8(samples, count, alphaBands, floats)
    } else {
      kernels.floatSamples16(samples, count, alphaBands, floats)
    }
  }

  /// Converts pixels to linear light in four lanes each; unused lanes are unchanged.
  func widenPixels(_ pixels: UnsafeRawPointer, _ count: Int, into lanes: UnsafeMutablePointer<SIMD4<Float>>) {
    let floats = UnsafeMutableRawPointer(lanes).assumingMemoryBound(to: Float.self)
    for x in 0..<count {
      LightKernels.widen(
        pixels + x * self.pixels.bytesPerPixel, sampleBytes: self.pixels.bytesPerSample, count: self.pixels.bands,
        alphaBands: alphaBands, into: floats + 4 * x)
    }
  }

  /// Encodes light in `count` groups of four lanes. A group contains one pixel of 3 or 4 bands, or several pixels of
  /// fewer bands.
  func encodeLanes(_ lanes: UnsafeMutableRawPointer, _ count: Int) {
    LightKernels.encode(
      lanes.assumingMemoryBound(to: Float.self), sampleBytes: pixels.bytesPerSample, count: 4 * count,
      alphaBands: alphaBands)
  }
}
