import ImageCore
import Synchronization

/// What stands for the stored pictures of a file, by their objects; each is read once.
final class PictureIdentities: Sendable {
  struct Identity: Sendable {
    /// Of the stream alone.
    let stream: SHA256Digest
    /// Of all that is stored, as the writer has it.
    let all: ShortDigest
    /// The same as lists of version 2 have it, without the palette.
    let older: ShortDigest
  }

  private let file: PDFFile
  private let known = Mutex<[Int: Identity]>([:])

  init(_ file: PDFFile) { self.file = file }

  /// - Parameter stream: where its bytes lie.
  func identity(of facts: PictureFacts, stream: Range<Int>) -> Identity {
    if let identity = known.withLock({ $0[facts.object] }) { return identity }
    let digest = SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[stream]))
    let all = combined(facts, digest, palette: facts.palette ?? [])
    let older = facts.palette == nil ? all : combined(facts, digest, palette: [])
    let identity = Identity(stream: digest, all: ShortDigest(all), older: ShortDigest(older))
    known.withLock { $0[facts.object] = identity }
    return identity
  }

  private func combined(_ facts: PictureFacts, _ digest: SHA256Digest, palette: [UInt8])
    -> SHA256Digest
  {
    let mask = facts.mask.flatMap(file.object)?.stream.map {
      SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[$0]))
    }
    let profile = facts.profile.flatMap(file.object).flatMap {
      file.decoded($0, limit: 64 << 20)
    }.map { SHA256.digest(of: $0) }
    guard mask != nil || profile != nil || !palette.isEmpty else { return digest }
    var hash = SHA256()
    hash.update(digest.bytes)
    hash.update((mask ?? SHA256.digest(of: [])).bytes)
    hash.update((profile ?? SHA256.digest(of: [])).bytes)
    if !palette.isEmpty { hash.update(palette) }
    return hash.finish()
  }
}
