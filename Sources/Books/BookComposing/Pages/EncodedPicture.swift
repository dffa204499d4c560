import ImageCore
import ImagePipeline
import PDFBook

/// One picture of a book on its way into the document. An object, because it is handed on often and has much to copy.
final class EncodedPicture: Sendable {
  enum Content: Sendable {
    /// An encoded picture in memory, and the digest of its bytes.
    case encoded(EncodedBytes, SHA256Digest)
    /// A picture that was compressed without loss.
    case compressed(PDFPicture)
    /// A file to be stored unchanged; its header says how it is turned, the digest is of the bytes to be stored. Both
    /// belong to `version`.
    case file(path: String, version: FileVersion, PictureHeader, SHA256Digest)
    /// The same of a small file, in memory.
    case taken(PDFPicture, Orientation, SHA256Digest)
  }

  let content: Content
  /// The picture's place in the plan.
  let place: Int
  /// The path of the file that the picture begins with; nil if there is none.
  let origin: String?
  /// Among the pictures that the book was given, from 0.
  let index: Int
  let metadata: PictureMetadata
  let texts: PageTexts
  /// A record of how the page should look; nil if nobody asked.
  let intended: IntendedPixels?
  let sources: PictureSources
  /// Whether transparency was lost by encoding it.
  let isFlattened: Bool
  /// Whether only the part that its page shows is stored.
  let isCut: Bool
  /// The place of that part in a whole picture; nil for what the plan says.
  let focus: CropFocus?
  /// The properties by which its page is laid out; nil where the plan has them.
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

  /// The picture's name in messages.
  var name: String { PictureFile.name(ofPath: origin, at: index) }

  /// The file whose bytes it is; nil for a picture in memory.
  var path: String? { if case .file(let path, _, _, _) = content { path } else { nil } }

  /// Memory that its picture takes.
  var byteCount: Int {
    switch content {
    case .encoded(let bytes, _): bytes.count
    case .compressed(let picture), .taken(let picture, _, _): picture.memoryByteCount
    case .file: 0
    }
  }
}

/// A record of the pixels a page was made of, before they were encoded.
struct IntendedPixels: Sendable {
  let fingerprint: PixelFingerprint
  /// The peak signal-to-noise ratio in dB of the encoded picture, decoded again, against the pixels meant; infinite
  /// if they are equal.
  let encodedPSNR: Double
}

/// Writes pictures in the plan's order into a document; those that could not be made are left out. Used by one worker
/// at a time.
protocol PageWriter: AnyObject {
  func add(_ page: EncodedPicture) throws(BookFailure)
  /// Notes that a picture could not be made, by its place among those that the book was given.
  func leaveOut(_ index: Int) throws(PictureError)
  /// Writes what remains, and returns what a verifier should find.
  func finish() throws(PictureError) -> BookSummary
}

extension PageWriter {
  func leaveOut(_ index: Int) throws(PictureError) {}
}

/// Why a picture did not get into a document.
enum BookFailure: Error {
  /// The picture's own fault, such as a file that cannot be read any more. Nothing of it is in the document, which can
  /// go on.
  case picture(PictureError)
  /// The document cannot be finished.
  case document(PictureError)
}

/// A written book, and what its verifier is told.
struct BookSummary: Sendable {
  let pageCount: Int
  /// The expectations of its pages; nil if nobody asked.
  var expectations: ExpectationFile?
  /// The lowest PSNR of the pages, see `IntendedPixels`; infinite if nothing was lost.
  var worstPSNR = Double.infinity
  /// The picture with that PSNR: "picture 1 of page 3".
  var worstPlace = "a picture"
  /// The page of that picture, from 1; nil where none lost anything.
  var worstPage: Int?
  /// Bytes that the verifier is likely to take, so that other work makes room for it.
  var verifierBytes = 0
  /// The password that opens the document; nil if it is not encrypted.
  var password: String?
  /// Messages that stop nothing, such as one about a letter that no font has.
  var notes: [String] = []
}

// MARK: - Stored

extension EncodedPicture {
  /// Returns the picture as a document stores it, the digest of its stream if that is known, and how it is turned.
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
