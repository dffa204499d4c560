import CKernels

/// The loops of convolution. Samples are converted to `Float` once, summed in a fixed order, so that every machine
/// computes the same bits, and converted back once.
package enum ConvolutionKernels {
  /// The block size in floats. Rows are aligned and padded to whole blocks, because sums may access the whole last
  /// block.
  package static let block = 16

  /// Returns the number of floats to allocate for a row of `count` floats.
  package static func paddedCount(_ count: Int) -> Int { (count + block - 1) / block * block }

  /// Convolves rows: `destination[i] = Σ weights[t] * sources[t][i]`, with terms added in order.
  ///
  /// For horizontal neighbours, pass the address of the same row, some pixels earlier or later.
  ///
  /// - Parameters:
  ///   - sources: at least `paddedCount(count)` readable floats each, of any alignment.
  ///   - destination: room for `paddedCount(count)` floats.
  package static func weightedSum(
    of sources: [UnsafePointer<Float>], weights: [Float], count: Int, into destination: UnsafeMutablePointer<Float>
  ) {
    precondition(sources.count == weights.count)
    let whole = count & ~63
    sources.withUnsafeBufferPointer { sources in
      weights.withUnsafeBufferPointer { weights in
        guard let first = sources.baseAddress else { return }
        if whole > 0 {
          // These are the same addresses with another pointer type.
          let rows = UnsafeRawPointer(first).assumingMemoryBound(to: UnsafeRawPointer.self)
          var pass = VerticalPassFloat(
            rows: rows, weights: weights.baseAddress!, taps: weights.count, count: whole, output: destination)
          kernels.filterRowsFloat(&pass)
        }
        sumTail(of: sources, weights, from: whole, to: count, into: destination)
      }
    }
  }

  /// The kernels of this processor, whose vertical pass adds terms in the same order as `sumTail`.
  private static let kernels = ResampleKernels(.current)

  /// Sums the samples after the last complete block of 64.
  private static func sumTail(
    of sources: UnsafeBufferPointer<UnsafePointer<Float>>, _ weights: UnsafeBufferPointer<Float>, from start: Int,
    to end: Int, into destination: UnsafeMutablePointer<Float>
  ) {
    for index in stride(from: start, to: end, by: block) {
      var sum = SIMD16<Float>(repeating: 0)
      for tap in 0..<sources.count {
        let values = UnsafeRawPointer(sources[tap] + index)
          .loadUnaligned(as: SIMD16<Float>.self)
        sum += values * weights[tap]
      }
      UnsafeMutableRawPointer(destination + index).storeBytes(of: sum, as: SIMD16<Float>.self)
    }
  }

  /// Converts a row to floats, and repeats its first and last pixel on the left and right.
  ///
  /// - Parameters:
  ///   - premultiplies: whether the last band is alpha. The other bands are then multiplied by alpha, as a fraction of
  ///     full opacity; alpha itself is unchanged.
  ///   - margin: the number of pixels to repeat at each end.
  ///   - destination: room for `width + 2 * margin` pixels.
  package static func widen(
    _ row: UnsafeRawPointer, width: Int, bands: Int, sampleBytes: Int, premultiplies: Bool, margin: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    let inner = destination + margin * bands
    if sampleBytes == 1 {
      widen(row.assumingMemoryBound(to: UInt8.self), width, bands, premultiplies, inner)
    } else {
      widen(row.assumingMemoryBound(to: UInt16.self), width, bands, premultiplies, inner)
    }
    extendEdges(inner, width: width, bands: bands, margin: margin)
  }

  private static func widen<Sample: StoredSample>(
    _ row: UnsafePointer<Sample>, _ width: Int, _ bands: Int, _ premultiplies: Bool,
    _ destination: UnsafeMutablePointer<Float>
  ) {
    guard premultiplies else {
      for index in 0..<width * bands { destination[index] = row[index].number }
      return
    }
    for x in 0..<width {
      let pixel = row + x * bands
      let target = destination + x * bands
      let alpha = pixel[bands - 1].number
      for band in 0..<bands - 1 { target[band] = pixel[band].number * (alpha / Sample.top) }
      target[bands - 1] = alpha
    }
  }

  /// Repeats the first pixel of a row `margin` times before the row, and the last one after it.
  package static func extendEdges(_ row: UnsafeMutablePointer<Float>, width: Int, bands: Int, margin: Int) {
    let end = row + width * bands
    for index in 0..<margin * bands {
      end[index] = end[index - bands]
      row[-1 - index] = row[-1 - index + bands]
    }
  }

  /// Converts the luminance of a row to floats: the first band, or luma with the weights of ITU-R BT.709 from the first
  /// three encoded samples. Margins are as in `widen`.
  package static func widenLuma(
    _ row: UnsafeRawPointer, width: Int, bands: Int, sampleBytes: Int, margin: Int,
    into destination: UnsafeMutablePointer<Float>, _ instructions: InstructionSet = .current
  ) {
    let inner = destination + margin
    var done = 0
    if bands == 3 || bands == 4, let kernel = ResampleKernels(instructions).widenLuma {
      done = width & ~7
      var pass = LumaPass(row: row, count: done, bands: bands, sampleBytes: sampleBytes, output: inner)
      kernel(&pass)
    }
    let rest = row + done * bands * sampleBytes
    if sampleBytes == 1 {
      widenLuma(rest.assumingMemoryBound(to: UInt8.self), width - done, bands, inner + done)
    } else {
      widenLuma(rest.assumingMemoryBound(to: UInt16.self), width - done, bands, inner + done)
    }
    extendEdges(inner, width: width, bands: 1, margin: margin)
  }

  private static func widenLuma<Sample: StoredSample>(
    _ row: UnsafePointer<Sample>, _ width: Int, _ bands: Int, _ destination: UnsafeMutablePointer<Float>
  ) {
    for x in 0..<width {
      let pixel = row + x * bands
      destination[x] =
        bands < 3
        ? pixel[0].number
        : 0.2126 * pixel[0].number + 0.7152 * pixel[1].number + 0.0722 * pixel[2].number
    }
  }

  /// Converts a row of floats to samples, rounded to nearest and clipped.
  ///
  /// - Parameter isPremultiplied: whether colours must be divided by the last band: see `widen`. Transparent pixels
  ///   become black.
  package static func narrow(
    _ row: UnsafePointer<Float>, width: Int, bands: Int, sampleBytes: Int, isPremultiplied: Bool,
    into destination: UnsafeMutableRawPointer
  ) {
    if sampleBytes == 1 {
      narrow(
        row, width, bands, isPremultiplied, destination.assumingMemoryBound(to: UInt8.self))
    } else {
      narrow(
        row, width, bands, isPremultiplied, destination.assumingMemoryBound(to: UInt16.self))
    }
  }

  private static func narrow<Sample: StoredSample>(
    _ row: UnsafePointer<Float>, _ width: Int, _ bands: Int, _ isPremultiplied: Bool,
    _ destination: UnsafeMutablePointer<Sample>
  ) {
    guard isPremultiplied else {
      for index in 0..<width * bands { destination[index] = Sample(nearest: row[index]) }
      return
    }
    for x in 0..<width {
      let pixel = row + x * bands
      let target = destination + x * bands
      let alpha = pixel[bands - 1]
      target[bands - 1] = Sample(nearest: alpha)
      let scale = target[bands - 1] == 0 ? 0 : Sample.top / alpha
      for band in 0..<bands - 1 { target[band] = Sample(nearest: pixel[band] * scale) }
    }
  }

  /// Adds `offset` to the colour bands of a row of sums, in place, and restores the row's own alpha.
  ///
  /// - Parameter own: the row before the convolution, converted by `widen`.
  package static func finish(
    _ sums: UnsafeMutablePointer<Float>, offset: Float, own: UnsafePointer<Float>, width: Int, bands: Int,
    colourBands: Int
  ) {
    for x in 0..<width {
      let pixel = sums + x * bands
      for band in 0..<colourBands { pixel[band] += offset }
      if bands > colourBands { pixel[colourBands] = own[x * bands + colourBands] }
    }
  }
}
