import CProcessor

/// The SHA-256 digest of FIPS 180-4, computed piece by piece.
///
/// A value type: copying it forks the computation. It is not constant-time, so it is suitable for identities, but not
/// for secrets.
public struct SHA256: Sendable {
  private var state = SHA256.initialState
  /// The bytes of the last incomplete block; their number is `byteCount` modulo the block size.
  private var pending = SIMD64<UInt8>()
  private var byteCount: UInt64 = 0
  private let isPortable: Bool

  public init() { self.init(isPortable: !Self.hasInstructions) }

  /// - Parameter isPortable: whether to avoid the processor's SHA instructions, for tests.
  package init(isPortable: Bool) {
    self.isPortable = isPortable
  }

  private static let hasInstructions = imghost_sha256_supported() != 0

  /// Adds bytes to the message.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    var start = 0
    let waiting = Int(byteCount % 64)
    byteCount += UInt64(bytes.count)
    if waiting > 0 {
      start = min(64 - waiting, bytes.count)
      keep(base, count: start, at: waiting)
      guard waiting + start == 64 else { return }
      withUnsafeBytes(of: pending) { Self.compress($0.baseAddress!, blocks: 1, into: &state, isPortable) }
    }
    let blocks = (bytes.count - start) / 64
    Self.compress(base + start, blocks: blocks, into: &state, isPortable)
    start += blocks * 64
    keep(base + start, count: bytes.count - start, at: 0)
  }

  private mutating func keep(_ bytes: UnsafeRawPointer, count: Int, at place: Int) {
    withUnsafeMutableBytes(of: &pending) { ($0.baseAddress! + place).copyMemory(from: bytes, byteCount: count) }
  }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Adds the 32 bytes of a digest to the message.
  public mutating func update(_ digest: SHA256Digest) { digest.withUnsafeBytes { update($0) } }

  /// Returns the digest of all added bytes.
  public consuming func finish() -> SHA256Digest {
    let bitCount = byteCount * 8
    // The padding is a single 1 bit, zeros up to the last eight bytes of a block, and the number of bits.
    var tail = SIMD64<UInt8>()
    tail[0] = 0x80
    let zeros = 1 + (119 - Int(byteCount % 64)) % 64
    withUnsafeBytes(of: tail) { update(UnsafeRawBufferPointer(rebasing: $0[..<zeros])) }
    withUnsafeBytes(of: bitCount.bigEndian) { update($0) }
    return SHA256Digest(state)
  }

  /// Returns the digest of an array.
  public static func digest(of bytes: [UInt8]) -> SHA256Digest { bytes.withUnsafeBytes { digest(of: $0) } }

  /// Returns the digest of bytes in memory.
  public static func digest(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// Returns the digest of a part of a file.
  ///
  /// - Throws: `PictureError.file`, or `CodecError.truncated` if the file ends too early.
  public static func digest(of file: InputFile, at start: Int = 0, count: Int) throws(PictureError) -> SHA256Digest {
    var hash = SHA256()
    try read(file, start..<start + count) { hash.update($0) }
    return hash.finish()
  }

  /// Calls `body` with the bytes of a part of a file, in pieces.
  ///
  /// - Throws: `PictureError.file`, or `CodecError.truncated` if the file ends too early.
  package static func read(_ file: InputFile, _ part: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void)
    throws(PictureError)
  {
    var place = part.lowerBound
    // The buffer is pooled, because a book may hash 2,000 files.
    let space = PooledBytes(capacity: min(1 << 18, max(1, part.count)))
    while place < part.upperBound {
      let wanted = UnsafeMutableRawBufferPointer(
        start: space.base, count: min(space.capacity, part.upperBound - place))
      let got: Int
      do throws(FileError) {
        got = try file.read(at: place, into: wanted)
      } catch {
        throw .file(error)
      }
      guard got > 0 else { throw .codec(.truncated) }
      body(UnsafeRawBufferPointer(rebasing: wanted[..<got]))
      place += got
    }
  }

  private static func compress(
    _ base: UnsafeRawPointer, blocks: Int, into state: inout SIMD8<UInt32>, _ isPortable: Bool
  ) {
    withUnsafeMutablePointer(to: &state) { state in
      state.withMemoryRebound(to: UInt32.self, capacity: 8) { state in
        if isPortable {
          SHA256Rounds.add(base, blocks: blocks, to: state)
        } else {
          imghost_sha256_blocks(state, base, blocks)
        }
      }
    }
  }

  private static let initialState = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
}

/// The 32 bytes of a SHA-256 digest. They are stored without an allocation, because a book keeps one for each picture.
public struct SHA256Digest: Sendable, Hashable {
  /// The bytes, eight per word, with the first in the most significant position.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  init(_ state: SIMD8<UInt32>) {
    func word(_ index: Int) -> UInt64 { UInt64(state[2 * index]) << 32 | UInt64(state[2 * index + 1]) }
    words = (word(0), word(1), word(2), word(3))
  }

  /// Reads 64 hexadecimal digits; nil for any other text.
  public init?(hexadecimal text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text) else { return nil }
    self.init(bytes: bytes[...])
  }

  /// Makes a digest from 32 bytes; nil for any other number.
  public init?(bytes: ArraySlice<UInt8>) {
    guard bytes.count == 32 else { return nil }
    words = bytes.withUnsafeBytes { bytes in
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
    }
  }

  /// The first eight bytes as a big-endian number.
  public var prefix: UInt64 { words.0 }

  /// The second eight bytes as a big-endian number.
  package var second: UInt64 { words.1 }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    Swift.withUnsafeBytes(of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
  }

  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension SHA256Digest: CustomStringConvertible {
  /// The digest as 64 lower-case hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes) }
}

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
