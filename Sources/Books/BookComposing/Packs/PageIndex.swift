import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// Writes the index of a book or a pack: the facts about each picture, so that a later run can reuse unchanged
/// pictures.
///
/// The facts have the same format as in a pack; see `PackedFacts`.
final class PageIndexWriter {
  private let journal: PageJournal
  private var profiles = PackedProfiles()

  init(_ journal: PageJournal) { self.journal = journal }

  /// - Parameter stream: the range of the picture's stream in the book or pack.
  func add(
    _ page: EncodedPicture, _ picture: PDFPicture, _ digest: SHA256Digest, _ orientation: Orientation,
    at stream: Range<Int>
  ) throws(PictureError) {
    var facts = WireWriter()
    facts.append(
      try profiles.number(of: picture.iccProfile) { (head) throws(PictureError) in journal.add(shared: head.bytes) })
    PackedFacts(page, layout: nil, digest: digest, orientation: orientation).append(to: &facts)
    picture.append(to: &facts)
    journal.add(page: page.index, (stream, digest), facts: facts.bytes)
  }

  /// Ends the index.
  ///
  /// - Parameter document: the complete book or pack, before it is renamed to its final name.
  func finish(for document: OutputFile) { journal.end(for: document) }

  /// Removes the index and the link to the document's file, so that they take no space on the disk.
  func discard() { journal.discard() }
}

/// Reads pictures of an earlier book with its index; see `PageIndexWriter`. Used by one thread at a time.
final class PageIndexReader {
  private let book: InputFile
  private let index: InputFile
  private var profiles: [[UInt8]] = [[]]
  private let pages: [Int: PageIndex.Page]

  init(_ source: EarlierPages.Source) throws(PictureError) {
    do throws(FileError) {
      (book, index) = (try InputFile(path: source.documentPath), try InputFile(path: source.indexPath))
    } catch {
      throw .file(error)
    }
    guard let contents = PageIndex(index) else { throw Self.damaged }
    var status = stat()
    guard fstat(book.descriptor, &status) == 0, source.isExamined(status) else {
      throw .operation(.protected("'\(source.documentPath)', whose pages it takes, was replaced; run again"))
    }
    pages = Dictionary(contents.pages.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    do {
      for place in contents.shared {
        var record = WireReader(try index.bytes(at: place.lowerBound, count: place.count))
        guard try record.integer(UInt8.self) == PackRecord.Kind.profile.rawValue else { throw WireError() }
        profiles.append(Array(try record.text()))
      }
    } catch {
      throw Self.damaged
    }
  }

  private static let damaged = PictureError.operation(
    .unsuitable("the records of this book in .imghost are damaged; remove that folder, and run again"))

  /// Returns the picture that has this index in the earlier book, and the facts about it.
  func picture(_ index: Int) throws(PictureError) -> (PDFPicture, PackedFacts) {
    do {
      guard let page = pages[index] else { throw WireError() }
      let stream = page.stream.place
      var record = WireReader(try self.index.bytes(at: page.facts.lowerBound, count: page.facts.count))
      let profile = Int(try record.integer(UInt32.self))
      guard profile < profiles.count, stream.upperBound <= book.byteCount else { throw WireError() }
      let facts = try PackedFacts(&record)
      let picture = try PDFPicture(
        &record, data: .file(book, offset: stream.lowerBound, count: stream.count), iccProfile: profiles[profile])
      try record.finish()
      return (picture, facts)
    } catch {
      throw Self.damaged
    }
  }
}
