import ImageCore

/// What the engine needs of a document writer. The PDF writer is one.
public protocol BookFormat: Sendable {
  /// Options of `book`, beside those of the engine.
  var parameters: [ParameterDescriptor] { get }

  /// What is wrong with options that a descriptor cannot express, such as an unknown paper size.
  func problems(with arguments: Arguments) -> [String]

  /// Why a text that a script wrote can be on no page, whatever its letters look like; nil where it can.
  func problem(withText text: String) -> String?

  /// A text from a picture's name or metadata as pages can show it.
  ///
  /// - Parameters:
  ///   - parts: of it, shown one after another.
  ///   - isOneLine: whether it has no more.
  func showable(_ parts: [String], isOneLine: Bool) -> ShowableText

  /// Why a page cannot have an outline entry or a link, which is named; nil where it can.
  func problem(with references: PageReferences, arguments: Arguments) -> String?

  /// Whether a page may be the file's own bytes: `nil` if so, else why it must be encoded again.
  func reasonToEncode(_ header: PictureHeader) -> String?

  /// Makes a file that may be taken over ready to be stored, on any worker.
  ///
  /// - Parameter keepsBytes: whether a small file's bytes are to be kept; else they are read again when they are
  ///   written.
  func take(_ file: InputFile, _ header: PictureHeader, keepsBytes: Bool) throws(PictureError)
    -> BookPage.Content

  /// Finds out from its head whether such a file can be stored, without reading the rest.
  func tryToTake(_ file: InputFile, _ header: PictureHeader) throws(PictureError)

  /// Makes a picture ready to be stored without loss, on the worker that made it. One whose pixels show that a
  /// document with these options cannot have it fails there.
  func makePreparer(
    for layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) -> any PicturePreparer

  /// What is wrong with single pictures, by their index: those can have no page, whatever the others are.
  func problems(ofPictures pictures: [BookPicture], arguments: Arguments) -> [Int: String]

  /// What is wrong with single pictures for the way they will be stored; nil where the options forbid none.
  func pictureCheck(_ arguments: Arguments) -> ((StoredPicture) -> StoredPictureProblem?)?

  /// Whether a picture's place says what it is, so that none takes the place of another: a cover's front and back.
  func keepsPlaces(_ arguments: Arguments) -> Bool

  /// What shows through pictures whose transparency cannot be stored.
  func background(_ arguments: Arguments) -> Colour

  /// Arranges pictures on pages, before any of them is decoded.
  ///
  /// - Parameters:
  ///   - isComplete: whether none of the call's pictures is missing already, so that options which name a page
  ///     beyond the last one are mistakes.
  ///   - arguments: those in which `problems(with:)` has found nothing wrong.
  func plan(_ pictures: [BookPicture], isComplete: Bool, arguments: Arguments)
    throws(PictureError) -> any BookPlan

  /// Starts a document. The writer writes to `file.descriptor`; its owner commits the file.
  func makeWriter(to file: OutputFile, plan: any BookPlan, arguments: Arguments)
    throws(PictureError) -> any BookWriter
}

extension BookFormat {
  public func background(_ arguments: Arguments) -> Colour {
    arguments.optionalColour("background") ?? .white
  }
}

/// A text that was made fit to be shown.
public struct ShowableText: Sendable, Hashable {
  /// As many as were given; nil where nothing makes it fit.
  public let parts: [String]?
  /// What was done to it, clauses.
  public let changes: [String]

  public init(parts: [String]?, changes: [String] = []) {
    self.parts = parts
    self.changes = changes
  }
}

/// What a plan knows of a picture.
public struct BookPicture: Sendable {
  /// Pixels, upright.
  public let width: Int
  public let height: Int
  public let resolution: Resolution?
  /// Empty for none.
  public let caption: String

  /// In the place of one that is not there, and fine enough for any.
  static let standIn = BookPicture(width: 10_000, height: 10_000, resolution: nil, caption: "")
}

/// How a picture of a document will be stored, as far as it is known before a pixel is decoded.
public enum StoredPicture: Sendable {
  /// A file's own bytes.
  case file(path: String, PictureHeader)
  /// Without loss, from pixels.
  case lossless(PixelFormat, PictureMetadata)
  /// As JPEG, from pixels.
  case encoded(PixelFormat, PictureMetadata)
}

/// What a document's options have against a picture.
public enum StoredPictureProblem: Sendable, Hashable {
  /// It cannot be in the document, and why.
  case refused(String)
  /// Only its pixels tell whether it can; what there is to say of all such pictures, after their names.
  case doubtful(String)
}

/// The part of a picture that a page shows.
public struct BookCut: Sendable, Hashable {
  public enum Way: Sendable, Hashable {
    /// The picture is scaled to cover its cell, and what sticks out is cut off.
    case scaled
    /// It keeps its pixels, and where they are encoded anyway those that stick out are cut off.
    case cropped
    /// All of it is stored, as the cell is not settled before its page is written.
    case clipped
  }

  /// Pixels across and down.
  public let width: Int
  public let height: Int
  public let position: CropPosition
  public let way: Way
  /// Whether little is cut off the top where a strategy looks for what to keep: the script says nothing of that.
  public let keepsHeads: Bool

  public init(
    width: Int, height: Int, position: CropPosition, way: Way, keepsHeads: Bool = false
  ) {
    self.width = width
    self.height = height
    self.position = position
    self.way = way
    self.keepsHeads = keepsHeads
  }

  /// Whether pixels are cut off; the file's own bytes, where they may be stored, are clipped.
  func changesPixels(ofFile isEmbedded: Bool) -> Bool {
    switch way {
    case .scaled: true
    case .cropped: !isEmbedded
    case .clipped: false
    }
  }
}

/// How a document's pictures are arranged.
public protocol BookPlan: Sendable {
  var pageCount: Int { get }
  /// Whether each picture has a page of its own, and each page a picture.
  var isOnePicturePerPage: Bool { get }
  /// What is to be done to a picture's pixels; nil where it stays as it is.
  func cut(ofPicture index: Int) -> BookCut?
  /// What a cover of it takes over, or what it has as a cover; nil where it can have none.
  var binding: BookBinding? { get }
  /// What is worth a line before anything is made.
  ///
  /// - Parameter naming: what messages call a picture.
  func notes(naming: (Int) -> String) -> [String]
}

extension BookPlan {
  public var binding: BookBinding? { nil }
}

/// Makes a picture ready from its rows, as they come.
public protocol PicturePreparer: PictureEncoder {
  /// What was written. Only after `finish()`.
  var prepared: any PreparedPicture { get }
}

/// A picture that a document format has made ready.
public protocol PreparedPicture: Sendable {
  /// Memory that it takes.
  var byteCount: Int { get }
}

/// Takes pictures in the plan's order; those that could not be made are left out. Used by one worker at a
/// time.
public protocol BookWriter: AnyObject {
  func add(_ page: BookPage) throws(BookFailure)
  /// Writes what remains, and returns what a verifier should find.
  func finish() throws(PictureError) -> BookSummary
}

/// Why a picture did not get into a document.
public enum BookFailure: Error {
  /// The picture's own fault, such as a file that cannot be read any more: nothing of it is in the document, which
  /// can go on.
  case picture(PictureError)
  /// The document cannot be finished.
  case document(PictureError)
}

/// One picture of a document, ready to be stored.
public struct BookPage: Sendable {
  public enum Content: Sendable {
    /// An encoded picture in memory, and the digest of its bytes.
    case encoded(EncodedBytes, SHA256Digest)
    /// A picture that a `PicturePreparer` made ready for lossless storage.
    case prepared(any PreparedPicture)
    /// A file to be stored as it is; its header says how it is turned, the digest is of what is stored. Both were
    /// taken of `version`.
    case file(path: String, version: FileVersion, PictureHeader, SHA256Digest)
    /// The same of a small file, in memory.
    case taken(any PreparedPicture, Orientation, SHA256Digest)
  }

  public let content: Content
  /// The picture's place in the plan.
  public let place: Int
  let origin: PictureFile?
  /// Among the pictures that the book was given, from 0.
  let index: Int
  public let metadata: PictureMetadata
  public let texts: PageTexts
  /// What the page should look like, where that was asked for.
  public let intended: IntendedPixels?
  public var sources = PictureSources()
  /// Whether transparency was lost by encoding it.
  public var isFlattened = false
  /// Whether only the part that its page shows is stored.
  public var isCut = false
  /// The place of that part in a whole picture; nil for what the plan says.
  public var focus: CropFocus?
  /// The path of the file that the picture begins with; empty where there is none, or nobody asks.
  public var sourcePath = ""

  /// What messages call the picture.
  public var name: String { PictureFile.name(of: origin, at: index) }

  /// The file whose bytes it is; nil where it is in memory.
  var path: String? { if case .file(let path, _, _, _) = content { path } else { nil } }

  /// Memory that its picture takes.
  var byteCount: Int {
    switch content {
    case .encoded(let bytes, _): bytes.count
    case .prepared(let picture), .taken(let picture, _, _): picture.byteCount
    case .file: 0
    }
  }
}

/// What is said at, about and by a page's picture. One object for all that say nothing: thousands wait.
public final class PageTexts: Sendable {
  public let caption: String?
  public let running: RunningTexts
  public let references: PageReferences

  private init(_ caption: String?, _ running: RunningTexts, _ references: PageReferences) {
    self.caption = caption
    self.running = running
    self.references = references
  }

  static let none = PageTexts(nil, RunningTexts(), PageReferences())

  /// `none` where there is nothing.
  static func of(caption: String?, running: RunningTexts, references: PageReferences) -> PageTexts {
    caption == nil && running.all.isEmpty && references == PageReferences()
      ? .none : PageTexts(caption, running, references)
  }
}

/// What leads to a page's picture, away from it, and stands for it. Empty where there is none.
public struct PageReferences: Sendable, Hashable {
  /// Titles in the outline, parted by ` > `.
  public var outline = ""
  /// An address.
  public var link = ""
  /// What is read to those who do not see it.
  public var alternative = ""
}

/// A record of the pixels a page was made of, before they were encoded.
public struct IntendedPixels: Sendable {
  public let fingerprint: PixelFingerprint
  /// Peak signal-to-noise ratio in dB of the encoded picture, decoded again, against the pixels meant;
  /// infinite where they are equal.
  public let encodedPSNR: Double
}

/// What a verifier is told to expect, in a file of the verifier's own format.
public protocol BookExpectations: AnyObject, Sendable {
  var path: String { get }
  /// Why there is no such file.
  var failure: FileError? { get }
}

/// What was written.
public struct BookSummary: Sendable {
  public let pageCount: Int
  /// What the verifier is told to expect; nil where nobody asked.
  public let expectations: (any BookExpectations)?
  /// Bytes that the verifier is likely to take, so that other work makes room for it.
  public let verifierBytes: Int
  /// What opens the document, where it was encrypted with a password.
  public let password: String?
  /// The least of the pages' `IntendedPixels.encodedPSNR`; infinite where nothing was lost.
  public let worstPSNR: Double
  /// Where that is: "picture 1 of page 3".
  public let worstPlace: String
  /// What is worth a line and stops nothing, such as a letter that no font has.
  public let notes: [String]

  public init(
    pageCount: Int, expectations: (any BookExpectations)? = nil, worstPSNR: Double,
    worstPlace: String = "a picture", verifierBytes: Int = 0, password: String? = nil,
    notes: [String] = []
  ) {
    self.verifierBytes = verifierBytes
    self.password = password
    self.notes = notes
    self.pageCount = pageCount
    self.expectations = expectations
    self.worstPSNR = worstPSNR
    self.worstPlace = worstPlace
  }
}

/// What a verifier found.
public struct VerificationOutcome: Sendable {
  public let isVerified: Bool
  /// One line: "4 pages: structure, sizes and pixels verified".
  public let summary: String
  /// What is wrong, a line each.
  public let findings: [String]

  public init(isVerified: Bool, summary: String, findings: [String]) {
    self.isVerified = isVerified
    self.summary = summary
    self.findings = findings
  }

  /// Of a book whose path leads to another file by now.
  static let replaced = VerificationOutcome(
    isVerified: false,
    summary: "another run or program has replaced the file since it was written; give each its own "
      + "name", findings: [])
}
