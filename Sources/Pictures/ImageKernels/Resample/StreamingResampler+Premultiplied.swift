import CKernels

extension StreamingResampler {
  /// Computes up to eight target rows of 8-bit pixels of four bands with alpha. For each block of source columns,
  /// colours are multiplied by alpha, the vertical pass runs, and the horizontal pass computes the target columns whose
  /// source columns are complete. Pixels for which integers are not exact enough are computed again in floating point.
  func render(
    _ targets: Range<Int>, with premultiplied: PremultipliedPlan,
    into output: UnsafeMutableRawPointer, stride: Int, _ scratch: ResampleScratch
  ) {
    guard let memory = scratch.premultiplied else { return }
    let columns = 0..<plan.geometry.targetWidth
    for row in 0..<targets.count { memory.outputs[row] = memory.lanes[row] }
    let pairs = gatherPairs(targets, premultiplied, memory)
    for block in memory.blocks {
      filterRows(targets, pairs, block, premultiplied, memory)
      premultiplied.filterPixels(plan.kernels, block.columns, memory.rows, count: targets.count, into: memory.outputs)
    }
    for row in 0..<targets.count {
      storePixels(columns, memory.lanes[row], memory.quads, into: output + row * stride)
    }
    var row = 0
    while row < targets.count {
      let few = row..<min(row + FloatScratch.rows, targets.count)
      mend(
        targets.lowerBound + few.lowerBound..<targets.lowerBound + few.upperBound,
        memory.lanes[few], premultiplied, into: output + row * stride, stride: stride, scratch)
      row = few.upperBound
    }
  }

  /// Stores the addresses of the pairs of source rows that the target rows need, and the range of pairs of each target
  /// row. Returns the number of pairs.
  private func gatherPairs(_ targets: Range<Int>, _ premultiplied: PremultipliedPlan, _ memory: PremultipliedScratch)
    -> Int
  {
    let weights = premultiplied.vertical
    let needed = weights.units(of: targets)
    // One row of the first and of the last pair may be unneeded or outside the picture; the other row takes its place.
    let rows = sourceRows(of: targets)
    let origin = plan.columns.lowerBound * 4
    for pair in needed {
      let place = 2 * (pair - needed.lowerBound)
      memory.sources[place] = slot(max(2 * pair, rows.lowerBound)) + origin
      memory.sources[place + 1] = slot(min(2 * pair + 1, rows.upperBound - 1)) + origin
    }
    for (index, target) in targets.enumerated() {
      let own = weights.units[target]
      memory.ranges[2 * index] = Int32(own.lowerBound - needed.lowerBound)
      memory.ranges[2 * index + 1] = Int32(own.upperBound - needed.lowerBound)
    }
    return needed.count
  }

  /// Runs the vertical pass over a block of columns, for target rows whose source rows have been gathered.
  private func filterRows(
    _ targets: Range<Int>, _ pairs: Int, _ block: IntegerBlock,
    _ premultiplied: PremultipliedPlan, _ memory: PremultipliedScratch
  ) {
    let weights = premultiplied.vertical
    var products = PairProducts(
      rows: memory.sources, pairs: pairs, offset: block.offset, count: block.count,
      ahead: block.count, outputs: memory.products)
    plan.kernels.premultiplyPairs8(&products)
    for index in 0..<targets.count {
      memory.blockOutputs[index] = UnsafeMutableRawPointer(mutating: memory.rows[index] + block.offset * 2)
    }
    weights.coefficients.withUnsafeBytes { coefficients in
      guard let base = coefficients.baseAddress else { return }
      var pass = VerticalPass8(
        rows: memory.products, offset: 0, ranges: memory.ranges,
        coefficients: base + targets.lowerBound * weights.stride, stride: weights.stride,
        targets: targets.count, count: block.count, shift: premultiplied.verticalShift, bands: 4,
        outputs: memory.blockOutputs, ahead: memory.products, aheadCount: 0, aheadOffset: 0)
      plan.kernels.filterPremultipliedPairs8(&pass)
    }
  }

  /// Converts lanes of target columns `columns` to pixels of the row at `output`. The first column is a multiple of 4.
  private func storePixels(
    _ columns: Range<Int>, _ lanes: UnsafeRawPointer, _ quads: UnsafeMutableRawPointer,
    into output: UnsafeMutableRawPointer
  ) {
    let (from, to) = (lanes + columns.lowerBound * 16, output + columns.lowerBound * 4)
    let whole = columns.count & ~3
    plan.kernels.storeLanes8(from, whole, 4, to)
    guard whole < columns.count else { return }
    plan.kernels.storeLanes8(from + whole * 16, 4, 4, quads)
    (to + whole * 4).copyMemory(from: quads, byteCount: (columns.count - whole) * 4)
  }

  /// Recomputes in floating point the pixels with small alpha in up to four target rows.
  ///
  /// - Parameter lanes: the address of the lanes of each row.
  private func mend(
    _ targets: Range<Int>, _ lanes: ArraySlice<UnsafeMutableRawPointer>, _ premultiplied: PremultipliedPlan,
    into output: UnsafeMutableRawPointer, stride: Int, _ scratch: ResampleScratch
  ) {
    guard let floats = plan.floats else { return }
    let (least, most) = (PremultipliedPlan.unseen, premultiplied.leastAlpha)
    func isFaint(_ lanes: UnsafeRawPointer, _ x: Int) -> Bool {
      (least..<most).contains(lanes.load(fromByteOffset: 16 * x + 12, as: Float.self))
    }
    let (width, piece) = (plan.geometry.targetWidth, 32)
    var isGathered = false
    for start in Swift.stride(from: 0, to: width, by: piece) {
      let end = min(start + piece, width)
      let rows = lanes.indices.filter {
        plan.kernels.hasFaintPixels(lanes[$0] + start * 16, (end - start + 3) & ~3, least, most)
      }
      guard !rows.isEmpty else { continue }
      let faint = (start..<end).filter { x in rows.contains { isFaint(lanes[$0], x) } }
      // Lanes beyond the row's end are not pixels.
      guard let first = faint.first, let last = faint.last else { continue }
      if !isGathered { gather(targets, into: scratch.floats.sources, scratch.floats.ranges) }
      isGathered = true
      filterColumns(first..<last + 1, of: targets, floats, scratch.floats)
      let origin = first & ~3
      let quads = scratch.floats.quads
      for row in rows {
        let index = row - lanes.startIndex
        plan.kernels.storeLanes8(scratch.floats.sums[index] + origin * 16, (last - origin + 4) & ~3, 4, quads)
        for x in faint where isFaint(lanes[row], x) {
          let pixel = quads.load(fromByteOffset: 4 * (x - origin), as: UInt32.self)
          output.storeBytes(of: pixel, toByteOffset: index * stride + 4 * x, as: UInt32.self)
        }
      }
    }
  }
}
