import ImageKernels
import Testing

@Suite struct CompositingRunTests {
  /// Transparent sources leave every sample as it is, colours of transparent pixels included.
  @Test func transparentSourcesChangeNothing() {
    let base: [UInt8] = (0..<256).flatMap { (value: Int) -> [UInt8] in
      [UInt8(value), UInt8(255 - value), 77, UInt8(value)]
    }
    let source: [UInt8] = (0..<256).flatMap { (_: Int) -> [UInt8] in [200, 100, 50, 0] }
    for mode in BlendMode.allCases where !mode.clearsOutside {
      var result = base
      result.withUnsafeMutableBytes {
        CompositingRun(source, on: $0.baseAddress!, count: 256, colourBands: 3, hasAlpha: true, opacity: 1).composite(
          mode, sampleBytes: 1)
      }
      #expect(result == base, "\(mode)")
    }
  }

  @Test func opaqueSourcesReplaceEverySample() {
    let source: [UInt8] = (0..<256).flatMap { (value: Int) -> [UInt8] in [UInt8(value), 255] }
    var result = [UInt8](repeating: 99, count: 256)
    result.withUnsafeMutableBytes {
      CompositingRun(source, on: $0.baseAddress!, count: 256, colourBands: 1, hasAlpha: false, opacity: 1).composite(
        .over, sampleBytes: 1)
    }
    #expect(result == (0..<256).map { UInt8($0) })
  }
}
