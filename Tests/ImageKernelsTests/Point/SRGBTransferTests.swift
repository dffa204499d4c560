import ImageKernels
import Testing

@Suite struct SRGBTransferTests {
  /// IEC 61966-2-1's own points: the ends, the two parts' meeting, middle gray.
  @Test(arguments: [(0.0, 0.0), (1, 1), (0.04045, 0.0031308), (0.5, 0.21404114)])
  func knownValues(_ encoded: Double, _ light: Double) {
    #expect(abs(SRGBTransfer.decode(encoded) - light) < 1e-7)
    #expect(abs(SRGBTransfer.encode(light) - encoded) < 1e-5)
  }
}
