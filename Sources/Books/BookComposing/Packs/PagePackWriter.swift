import ImageCore
import ImagePipeline
import PDFBook

/// Writes to a pack the pictures that one shard has made for a book, as a document stores them.
///
/// A pack begins with a line that identifies the format. Records follow in the order of the pictures: sizes, a head,
/// and the bytes of the picture's stream. Numbers are in native byte order. `PagePackReader` reads packs.
final class PagePackWriter: PageWriter {
  private let file: OutputFile
  /// The plan, from which the pictures' properties are stored so that the merge can lay out the pages; nil if there is
  /// no plan, or if the plan already contains the pages.
  private let plan: BookPlan?
  /// The index of the pages for later runs of the shard; nil for none.
  private var index: PageIndexWriter?
  private var profiles = PackedProfiles()
  private(set) var pageCount = 0

  init(_ file: OutputFile, _ plan: BookPlan? = nil, index: PageIndexWriter? = nil) throws(PictureError) {
    (self.file, self.index) = (file, index)
    self.plan = plan.flatMap { $0.isOnePicturePerPage ? $0 : nil }
    try file.write(PackRecord.magic)
  }

  func add(_ page: EncodedPicture) throws(BookFailure) {
    let layout = plan?.pictures[page.place] ?? page.layout
    let (picture, orientation, streamDigest): (PDFPicture, Orientation, SHA256Digest)
    do {
      let digest: SHA256Digest?
      (picture, digest, orientation) = try page.stored()
      streamDigest = try digest ?? picture.streamDigest()
    } catch {
      let known = PictureError(known: error)
      throw (error as? PDFError)?.concernsSource ?? true ? .picture(known) : .document(known)
    }
    do {
      var head = WireWriter()
      head.append(PackRecord.Kind.page.rawValue)
      head.append(UInt32(page.index))
      head.append(
        try profiles.number(of: picture.iccProfile) { (head) throws(PictureError) in
          try begin(head, streamByteCount: 0)
        })
      let facts = PackedFacts(page, layout: layout, digest: streamDigest, orientation: orientation)
      facts.append(to: &head)
      picture.append(to: &head)
      try begin(head, streamByteCount: picture.streamByteCount)
      let start = file.byteCount
      try picture.passStream { bytes in try file.write(bytes) }
      try index?.add(page, picture, streamDigest, orientation, at: start..<file.byteCount)
      pageCount += 1
    } catch {
      // A record cannot be withdrawn once it has been started, so the shard fails if a source file shrinks meanwhile.
      throw .document(PictureError(known: error))
    }
  }

  func leaveOut(_ index: Int) throws(PictureError) {
    var head = WireWriter()
    head.append(PackRecord.Kind.failed.rawValue)
    head.append(UInt32(index))
    try begin(head, streamByteCount: 0)
  }

  func writeOut() throws(PictureError) { if index != nil { try file.flush() } }

  func discardPages() {
    index?.discard()
    index = nil
  }

  func finish() throws(PictureError) -> BookSummary {
    try writeOut()
    index?.finish(for: file)
    return BookSummary(pageCount: pageCount)
  }

  private func begin(_ head: WireWriter, streamByteCount: Int) throws(PictureError) {
    var prefix = WireWriter()
    prefix.append(UInt32(head.bytes.count))
    prefix.append(UInt64(streamByteCount))
    try file.write(prefix.bytes)
    try file.write(head.bytes)
  }
}

/// The profiles that a pack or an index of pages contains. Each profile is stored only once.
struct PackedProfiles {
  private var numbers: [SHA256Digest: UInt32] = [:]

  /// Returns the number of a profile, from 1; 0 for none.
  ///
  /// - Parameter write: writes the head of a record with the profile; called when the profile occurs for the first
  ///   time.
  mutating func number(of profile: [UInt8], _ write: (WireWriter) throws(PictureError) -> Void) throws(PictureError)
    -> UInt32
  {
    guard !profile.isEmpty else { return 0 }
    let digest = SHA256.digest(of: profile)
    if let known = numbers[digest] { return known }
    var head = WireWriter()
    head.append(PackRecord.Kind.profile.rawValue)
    head.append(text: profile)
    try write(head)
    numbers[digest] = UInt32(numbers.count + 1)
    return UInt32(numbers.count)
  }
}
