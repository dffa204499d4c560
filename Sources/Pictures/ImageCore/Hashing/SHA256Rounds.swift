/// The rounds of SHA-256 for any processor.
enum SHA256Rounds {
  /// Adds blocks of 64 bytes to a state: FIPS 180-4, section 6.2.2.
  static func add(
    _ base: UnsafeRawPointer, blocks: Int, to state: UnsafeMutablePointer<UInt32>
  ) {
    constants.withUnsafeBufferPointer { k in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
        for block in 0..<blocks {
          expand(base + block * 64, into: w.baseAddress!)
          rounds(w.baseAddress!, k.baseAddress!, into: state)
        }
      }
    }
  }

  @inline(__always)
  private static func expand(_ words: UnsafeRawPointer, into w: UnsafeMutablePointer<UInt32>) {
    for i in 0..<16 { w[i] = UInt32(bigEndian: words.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self)) }
    for i in 16..<64 { w[i] = w[i &- 16] &+ smallSigma0(w[i &- 15]) &+ w[i &- 7] &+ smallSigma1(w[i &- 2]) }
  }

  @inline(__always)
  private static func rounds(
    _ w: UnsafePointer<UInt32>, _ k: UnsafePointer<UInt32>,
    into state: UnsafeMutablePointer<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for i in 0..<64 {
      let one = h &+ largeSigma1(e) &+ ((e & f) ^ (~e & g)) &+ k[i] &+ w[i]
      let two = largeSigma0(a) &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e) = (g, f, e, d &+ one)
      (d, c, b, a) = (c, b, a, one &+ two)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  @inline(__always)
  private static func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x &>> n | x &<< (32 &- n) }
  @inline(__always)
  private static func largeSigma0(_ x: UInt32) -> UInt32 { rotate(x, 2) ^ rotate(x, 13) ^ rotate(x, 22) }
  @inline(__always)
  private static func largeSigma1(_ x: UInt32) -> UInt32 { rotate(x, 6) ^ rotate(x, 11) ^ rotate(x, 25) }
  @inline(__always)
  private static func smallSigma0(_ x: UInt32) -> UInt32 { rotate(x, 7) ^ rotate(x, 18) ^ (x &>> 3) }
  @inline(__always)
  private static func smallSigma1(_ x: UInt32) -> UInt32 { rotate(x, 17) ^ rotate(x, 19) ^ (x &>> 10) }

  /// The constants of FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the
  /// first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
