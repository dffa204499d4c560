import CProcessor

/// The SHA-256 digest of FIPS 180-4, computed piece by piece.
///
/// A value: copying it forks the computation. Not constant-time; for identity, not for secrets.
public struct SHA256: Sendable {
  private var state = SHA256.initialState
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0
  private let isPortable: Bool

  public init() { self.init(isPortable: !Self.hasInstructions) }

  /// - Parameter isPortable: whether to avoid the processor's SHA instructions, for tests.
  package init(isPortable: Bool) {
    self.isPortable = isPortable
    pending.reserveCapacity(64)
  }

  private static let hasInstructions = imghost_sha256_supported() != 0

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    byteCount += UInt64(bytes.count)
    var start = 0
    if !pending.isEmpty {
      start = min(64 - pending.count, bytes.count)
      pending.append(contentsOf: UnsafeRawBufferPointer(start: base, count: start))
      guard pending.count == 64 else { return }
      pending.withUnsafeBytes {
        Self.compress($0.baseAddress!, blocks: 1, into: &state, isPortable)
      }
      pending.removeAll(keepingCapacity: true)
    }
    let blocks = (bytes.count - start) / 64
    Self.compress(base + start, blocks: blocks, into: &state, isPortable)
    start += blocks * 64
    pending.append(contentsOf: UnsafeRawBufferPointer(start: base + start, count: bytes.count - start))
  }

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  /// Returns the digest of all added bytes.
  public consuming func finish() -> SHA256Digest {
    let bitCount = byteCount * 8
    var tail: [UInt8] = [0x80]
    tail += [UInt8](repeating: 0, count: (119 - pending.count) % 64)
    tail += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
    update(tail)
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
    // Pooled, because a book may hash 2,000 files.
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

  private static func compress(_ base: UnsafeRawPointer, blocks: Int, into state: inout [UInt32], _ isPortable: Bool) {
    state.withUnsafeMutableBufferPointer { state in
      if isPortable {
        SHA256Rounds.add(base, blocks: blocks, to: state.baseAddress!)
      } else {
        imghost_sha256_blocks(state.baseAddress!, base, blocks)
      }
    }
  }

  private static let initialState: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
}
