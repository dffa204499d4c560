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

  /// Adds bytes.
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

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Adds the bytes of a digest.
  public mutating func update(_ digest: SHA256Digest) { digest.withUnsafeBytes { update($0) } }

  /// Returns the digest of all added bytes.
  public consuming func finish() -> SHA256Digest {
    let bitCount = byteCount * 8
    // The padding is a one bit, zeros up to the last eight bytes of a block, and the number of bits.
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
    var done = 0
    // The buffer is pooled, because a book may hash 2,000 files.
    let space = PooledBytes(capacity: min(1 << 18, max(1, count)))
    while done < count {
      let wanted = UnsafeMutableRawBufferPointer(start: space.base, count: min(space.capacity, count - done))
      let got: Int
      do throws(FileError) {
        got = try file.read(at: start + done, into: wanted)
      } catch {
        throw .file(error)
      }
      guard got > 0 else { throw .codec(.truncated) }
      hash.update(UnsafeRawBufferPointer(rebasing: wanted[..<got]))
      done += got
    }
    return hash.finish()
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
