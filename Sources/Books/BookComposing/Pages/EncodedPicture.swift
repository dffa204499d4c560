import ImageCore
import ImagePipeline
import PDFBook

/// One picture of a book on its way into the document. It is a class, because it is passed on often and is expensive to
/// copy.
final class EncodedPicture: Sendable {
  enum Content: Sendable {
    /// An encoded picture in memory, and the digest of its bytes.
    case encoded(EncodedBytes, SHA256Digest)
    /// A picture that was losslessly compressed.
    case compressed(PDFPicture)
    /// A file to be stored unchanged, with its header and the digest of the bytes to be stored, both as of `version`.
    case file(path: String, version: FileVersion, PictureHeader, SHA256Digest)
    /// A picture that already has its stored form, with its orientation and the digest of its stream.
    case taken(PDFPicture, Orientation, SHA256Digest)
  }

  let content: Content
  /// The picture's index in the plan.
  let place: Int
  /// The path of the file on which the picture is based; nil if there is none.
  let origin: String?
  /// The picture's index, from 0, among the pictures of the request that neither hints nor the design leave out.
  let index: Int
  let metadata: PictureMetadata
  let texts: PageTexts
  /// A record of the pixels that were encoded; nil if the book is not verified, or if the picture was not encoded.
  let intended: IntendedPixels?
  let sources: PictureSources
  /// Whether encoding removed transparency.
  let isFlattened: Bool
  /// Whether the stored picture has been cropped to the part that its page shows.
  let isCut: Bool
  /// The position of the part that the page shows, for a picture that is stored whole; nil if the plan determines it.
  let focus: CropFocus?
  /// The picture's properties for the layout of its page; nil if the plan contains them.
  let layout: LayoutPicture?

  init(
    content: Content, place: Int, origin: String?, index: Int, metadata: PictureMetadata = PictureMetadata(),
    texts: PageTexts, intended: IntendedPixels?, sources: PictureSources = PictureSources(), isFlattened: Bool = false,
    isCut: Bool = false, focus: CropFocus? = nil, layout: LayoutPicture? = nil
  ) {
    self.content = content
    (self.place, self.origin, self.index) = (place, origin, index)
    self.metadata = metadata
    self.texts = texts
    self.intended = intended
    self.sources = sources
    (self.isFlattened, self.isCut, self.focus, self.layout) = (isFlattened, isCut, focus, layout)
  }

  var name: String { PictureFile.name(ofPath: origin, at: index) }

  /// The path of a source file that is stored unchanged (`Content.file`); nil for all other contents.
  var path: String? { if case .file(let path, _, _, _) = content { path } else { nil } }

  var byteCount: Int {
    switch content {
    case .encoded(let bytes, _): bytes.count
    case .compressed(let picture), .taken(let picture, _, _): picture.memoryByteCount
    case .file: 0
    }
  }
}

/// A record of the pixels from which a page was encoded.
struct IntendedPixels: Sendable {
  let fingerprint: PixelFingerprint
  /// The peak signal-to-noise ratio in dB of the decoded page compared with the original pixels; infinite if they are
  /// equal.
  let encodedPSNR: Double
}

/// Writes pictures to a document in the plan's order, without those that could not be made. Used by one worker at a
/// time.
protocol PageWriter: AnyObject {
  func add(_ page: EncodedPicture) throws(BookFailure)
  /// Records that the picture with this `EncodedPicture.index` could not be made.
  func leaveOut(_ index: Int) throws(PictureError)
  /// Writes the buffered bytes, if a later run could reuse the finished pages.
  func writeOut() throws(PictureError)
  /// Removes the data that would let a later run reuse the finished pages.
  func discardPages()
  /// Writes the end of the document, and returns its summary, with the expectations for a verifier.
  func finish() throws(PictureError) -> BookSummary
}

extension PageWriter {
  func writeOut() throws(PictureError) {}
  func discardPages() {}
  func leaveOut(_ index: Int) throws(PictureError) {}
}

/// The reason why a picture could not be added to a document.
enum BookFailure: Error {
  /// A fault of the picture, such as a file that can no longer be read. Nothing of the picture has been written, so the
  /// document can continue without it.
  case picture(PictureError)
  /// The document cannot be finished.
  case document(PictureError)
}

/// A written book, and the information for its verifier.
struct BookSummary: Sendable {
  let pageCount: Int
  /// The expectations of the book's pages; nil if the book is not verified.
  var expectations: ExpectationFile?
  /// The lowest PSNR of the pages, see `IntendedPixels`; infinite if nothing was lost.
  var worstPSNR = Double.infinity
  /// The picture with that PSNR, such as "picture 1 of page 3".
  var worstPlace = "a picture"
  /// The page of that picture, from 1; nil if no page lost anything.
  var worstPage: Int?
  /// The memory in bytes that the verifier will probably need, which the run keeps free for it.
  var verifierBytes = 0
  /// The password that opens the document; nil if it opens without one.
  var password: String?
  /// Notes, such as one about a character that no font has.
  var notes: [String] = []
}

// MARK: - Stored

extension EncodedPicture {
  /// Returns the picture in its stored form, the digest of its stream if known, and its orientation.
  ///
  /// - Throws: `PictureError`, or a fault of the file's format.
  func stored() throws -> (PDFPicture, SHA256Digest?, Orientation) {
    switch content {
    case .encoded(let bytes, let digest):
      return (try PDFPicture(jpeg: bytes, iccProfile: metadata.iccProfile), digest, .upright)
    case .compressed(let picture): return (picture, nil, .upright)
    case .file(let path, let version, let header, let digest):
      let file: InputFile
      do throws(FileError) { file = try InputFile(path: path) } catch { throw PictureError.file(error) }
      guard file.version == version else {
        throw PictureError.operation(.unsuitable("the file was changed while the book was written; write it again"))
      }
      return (try PDFPicture(whole: file, header), digest, header.metadata.orientation)
    case .taken(let picture, let orientation, let digest): return (picture, digest, orientation)
    }
  }
}
