import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// Writes the index of a book's pages: the facts about each picture, and where the book has its stream. A later run
/// takes unchanged pictures from the book.
///
/// The format is that of a pack (`PagePackWriter`) without streams: before the picture, each head has the place of the
/// stream in the book. The end of the file is written by `EarlierPages.seal`.
final class PageIndexWriter {
  private let file: OutputFile
  private var profiles = PackedProfiles()
  /// The streams of the book, each once.
  private var streams: [Int: EarlierPages.Part] = [:]

  init(path: String) throws(PictureError) {
    file = try OutputFile(path: path)
    file.removeWorldWrite()
    try file.write(PageIndexReader.magic)
  }

  /// - Parameter stream: the place of the picture's stream in the book.
  func add(
    _ page: EncodedPicture, _ picture: PDFPicture, _ digest: SHA256Digest, _ orientation: Orientation,
    at stream: Range<Int>
  )
    throws(PictureError)
  {
    streams[stream.lowerBound] = (stream, digest)
    var head = WireWriter()
    head.append(PackRecord.Kind.page.rawValue)
    head.append(UInt32(page.index))
    head.append(try profiles.number(of: picture.iccProfile, write))
    head.append(UInt64(stream.lowerBound))
    head.append(UInt64(stream.count))
    PackedFacts(page, layout: nil, digest: digest, orientation: orientation).append(to: &head)
    picture.append(to: &head)
    try write(head)
  }

  private func write(_ head: WireWriter) throws(PictureError) {
    var count = WireWriter()
    count.append(UInt32(head.bytes.count))
    try file.write(count.bytes)
    try file.write(head.bytes)
  }

  /// Gives the index its name.
  ///
  /// - Parameter document: the complete book, before it gets its name.
  func finish(for document: OutputFile) throws(PictureError) {
    try EarlierPages.seal(file, for: document, Array(streams.values))
  }
}

/// Reads pictures of an earlier book by its index, see `PageIndexWriter`. Used by one thread at a time.
final class PageIndexReader {
  static let magic = Array("imghost page index 1\n".utf8)

  private let book: InputFile
  private let index: InputFile
  private var profiles: [[UInt8]] = [[]]
  /// The place of each picture's head in the index, without its first five bytes.
  private var heads: [Int: Range<Int>] = [:]

  /// Reads where the heads are. The index is whole: see `EarlierPages`.
  init(_ pages: EarlierPages) throws(PictureError) {
    do throws(FileError) {
      (book, index) = (try InputFile(path: pages.documentPath), try InputFile(path: pages.indexPath))
    } catch {
      throw .file(error)
    }
    var place = Self.magic.count
    guard let end = EarlierPages.contentByteCount(of: index) else { throw Self.damaged }
    do {
      // Heads are read many at once.
      var (buffer, start) = ([UInt8](), place)
      while place < end {
        if place + 9 > start + buffer.count {
          (buffer, start) = (try index.bytes(at: place, count: min(256 << 10, end - place)), place)
        }
        var reader = WireReader(buffer[(place - start)...])
        let count = Int(try reader.integer(UInt32.self))
        let kind = try reader.integer(UInt8.self)
        let head = place + 5..<max(place + 5, place + 4 + count)
        guard head.upperBound <= end else { throw WireError() }
        if kind == PackRecord.Kind.profile.rawValue {
          var profile = WireReader(try index.bytes(at: head.lowerBound, count: head.count))
          profiles.append(Array(try profile.text()))
        } else {
          heads[Int(try reader.integer(UInt32.self))] = head
        }
        place = head.upperBound
      }
    } catch {
      throw Self.damaged
    }
  }

  private static let damaged = PictureError.operation(
    .unsuitable("the records of this book in .imghost are damaged; remove that folder, and run again"))

  /// Returns the picture at an index of the earlier book.
  func picture(_ index: Int) throws(PictureError) -> (PDFPicture, PackedFacts) {
    do {
      guard let place = heads[index] else { throw WireError() }
      var head = WireReader(try self.index.bytes(at: place.lowerBound + 4, count: place.count - 4))
      let profile = Int(try head.integer(UInt32.self))
      let (offset, count) = (Int(try head.integer(UInt64.self)), Int(try head.integer(UInt64.self)))
      guard profile < profiles.count, offset >= 0, count >= 0, offset <= book.byteCount,
        count <= book.byteCount - offset
      else { throw WireError() }
      let facts = try PackedFacts(&head)
      let picture = try PDFPicture(
        &head, data: .file(book, offset: offset, count: count), iccProfile: profiles[profile])
      try head.finish()
      return (picture, facts)
    } catch {
      throw Self.damaged
    }
  }
}
