import ImageKernels
import Testing

@Suite struct ConvolutionKernelsTests {
  /// Around the size of a block, where tails go wrong.
  @Test(arguments: [1, 2, 15, 16, 17, 31, 32, 33, 100])
  func weightedSum(_ count: Int) {
    let padded = ConvolutionKernels.paddedCount(count) + 8
    let row = (0..<padded).map { Float(($0 * 29) % 101) }
    let weights: [Float] = [0.25, -1, 2.5]
    var result = [Float](repeating: -7, count: padded)
    row.withUnsafeBufferPointer { row in
      let sources = [0, 3, 5].map { row.baseAddress! + $0 }
      ConvolutionKernels.weightedSum(of: sources, weights: weights, count: count, into: &result)
    }
    for index in 0..<count {
      #expect(result[index] == 0.25 * row[index] - row[index + 3] + 2.5 * row[index + 5])
    }
    #expect(result[ConvolutionKernels.paddedCount(count)...].allSatisfy { $0 == -7 })
  }

  @Test(arguments: [1, 2, 9], [1, 2, 3, 4])
  func widenRepeatsTheEdges(_ width: Int, _ bands: Int) {
    let margin = 4
    let row = (0..<width * bands).map { UInt16($0 * 1000) }
    var result = [Float](repeating: -1, count: (width + 2 * margin) * bands)
    ConvolutionKernels.widen(
      row, width: width, bands: bands, sampleBytes: 2, premultiplies: false, margin: margin, into: &result)
    for x in 0..<width + 2 * margin {
      let from = max(0, min(width - 1, x - margin))
      for band in 0..<bands { #expect(result[x * bands + band] == Float(row[from * bands + band])) }
    }
  }

  @Test func narrowRoundsAndCutsOff() {
    let row: [Float] = [-5, 0.4, 0.6, 254.4, 254.6, 300, .infinity, -.infinity, .nan]
    var bytes = [UInt8](repeating: 9, count: row.count)
    ConvolutionKernels.narrow(row, width: row.count, bands: 1, sampleBytes: 1, isPremultiplied: false, into: &bytes)
    #expect(bytes[..<8] == [0, 0, 1, 254, 255, 255, 255, 0])
    var words = [UInt16](repeating: 9, count: 4)
    ConvolutionKernels.narrow(
      [-1, 0.7, 65_534.4, 70_000], width: 4, bands: 1, sampleBytes: 2, isPremultiplied: false, into: &words)
    #expect(words == [0, 1, 65_534, 65_535])
  }

  @Test func premultiplyingComesBack() {
    for alpha in [1, 2, 128, 255] as [UInt8] {
      let row: [UInt8] = (0..<256).flatMap { (value: Int) -> [UInt8] in [UInt8(value), alpha] }
      var floats = [Float](repeating: 0, count: 512)
      ConvolutionKernels.widen(row, width: 256, bands: 2, sampleBytes: 1, premultiplies: true, margin: 0, into: &floats)
      var result = [UInt8](repeating: 0, count: 512)
      ConvolutionKernels.narrow(floats, width: 256, bands: 2, sampleBytes: 1, isPremultiplied: true, into: &result)
      #expect(result == row)
    }
  }

  /// A pixel's middle lies between the middles of cells; the first and last pixels lie outside them.
  @Test func pixelsHaveAPlaceAmongCells() {
    for side in 2...7 {
      for pixel in 0..<40 {
        let place = CellPlace(pixel: pixel, side: side)
        let exact = (Double(pixel) + 0.5) / Double(side) - 0.5
        #expect(place.cell == Int(exact.rounded(.down)))
        #expect(abs(Double(place.fraction) - (exact - exact.rounded(.down))) < 1e-6)
      }
    }
  }
}
