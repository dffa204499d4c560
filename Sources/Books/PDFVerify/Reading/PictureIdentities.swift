import BookExpectations
import ImageCore
import Synchronization

/// Digests of the stored pictures of a file, by their objects. Each picture is read once.
final class PictureIdentities: Sendable {
  struct Identity: Sendable {
    /// The digest of the stream's bytes.
    let stream: SHA256Digest
    /// The digest of all stored parts, as the writer computes it.
    let all: ShortDigest
    /// The value of `all` if one of the picture's additions were missing.
    let without: [PictureAddition: ShortDigest]
  }

  private let file: PDFFile
  private let known = Mutex<[Int: Identity]>([:])

  init(_ file: PDFFile) { self.file = file }

  /// - Parameter stream: the range of the stream's bytes.
  func identity(of facts: PictureFacts, stream: Range<Int>) -> Identity {
    if let identity = known.withLock({ $0[facts.object] }) { return identity }
    let digest = SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[stream]))
    let identity = Identity(stream: digest, all: ShortDigest(combined(facts, digest)), without: without(facts, digest))
    known.withLock { $0[facts.object] = identity }
    return identity
  }

  private func without(_ facts: PictureFacts, _ digest: SHA256Digest) -> [PictureAddition: ShortDigest] {
    var result: [PictureAddition: ShortDigest] = [:]
    for one in PictureAddition.allCases {
      let isThere = one == .mask ? facts.mask != nil : facts.profile != nil
      guard isThere else { continue }
      result[one] = ShortDigest(combined(facts, digest, without: one))
    }
    return result
  }

  private func combined(_ facts: PictureFacts, _ digest: SHA256Digest, without left: PictureAddition? = nil)
    -> SHA256Digest
  {
    // For fax data with black as white, only this parameter says so.
    let isInverted = facts.filter == "CCITTFaxDecode" && facts.parameters["BlackIs1"] == .boolean(true)
    let meaning = isInverted ? Array("BlackIs1".utf8) : facts.palette ?? []
    let mask = (left == .mask ? nil : facts.mask).flatMap(file.object)?.stream.map {
      SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[$0]))
    }
    let profile = (left == .profile ? nil : facts.profile).flatMap(file.object).flatMap {
      file.decoded($0, limit: 64 << 20)
    }.map { SHA256.digest(of: $0) }
    guard mask != nil || profile != nil || !meaning.isEmpty else { return digest }
    var hash = SHA256()
    hash.update(digest.bytes)
    hash.update((mask ?? SHA256.digest(of: [])).bytes)
    hash.update((profile ?? SHA256.digest(of: [])).bytes)
    if !meaning.isEmpty { hash.update(meaning) }
    return hash.finish()
  }
}

/// A part that may belong to a picture, but may also have been added by another program.
enum PictureAddition: String, Sendable, CaseIterable {
  case mask = "soft mask"
  case profile = "ICC profile"

  /// The article before its name in a sentence.
  var article: String { self == .mask ? "a" : "an" }
}
