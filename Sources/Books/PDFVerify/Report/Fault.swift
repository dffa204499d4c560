import BookExpectations
import ImageCore

/// Everything that can be wrong with a PDF: facts only, the sentences are in `Fault+Text.swift`.
enum Fault: Error, Sendable, Equatable {
  // The file.
  case unreadable(String)
  case empty
  case notAPDF
  case header(HeaderFault)
  case truncated
  /// Bytes after the end of the file.
  case trailing(Int)
  case encrypted
  /// Encrypted, and decrypted by qpdf.
  case decrypted
  /// Encrypted, and with a password, which was not given.
  case locked
  case wrongPassword
  /// A password was given, and nothing is there that takes it.
  case lockedWithoutProgram
  /// What qpdf complained of while decrypting.
  case qpdf(String)
  case startOffset(Int?)
  case tableMalformed(Int)
  case objectStream(object: Int)
  case objectStreamMember(object: Int, stream: Int)
  case offset(object: Int, stated: Int, actual: Int?)
  case moreOffsets(Int)
  case size(stated: Int, actual: Int)
  /// What readers mend in silence: an error where the standard leaves them nothing to mend it by, and in a book
  /// that says how it was written.
  case structure(StructureFault, isError: Bool = false)
  case popplerRefuses(String)
  case poppler(String)
  /// What poppler calls an error, in a book that says how it was written.
  case popplerError(String)
  /// So many lines of its own are left out.
  case morePoppler(Int)
  /// The check itself came to nothing.
  case failure(String)

  // The page tree.
  case noCatalogue
  case noPageTree
  case noPages
  case treeNode(object: Int)
  case pageTwice(object: Int)
  case parent(object: Int, expected: Int)
  case count(object: Int, stated: Int?, actual: Int)
  case popplerPages(own: Int, poppler: Int)
  /// The XMP packet.
  case metadata(String)
  /// No output intent although the document claims this part of PDF/A.
  case archiveIntent(Int)
  case archiveIntentLost(Int)
  /// No identifier of the file, likewise.
  case archiveIdentifier(Int)
  case archiveAction(String, part: Int)
  /// What a document that claims PDF/A (`1b`) may not be, and, of a book that says how it was written, is no more.
  case archiveBroken(String, String)
  case archiveLost(String, String)
  /// What a linearised file says of itself wrongly.
  case linearization(String)
  /// So many bytes were added to one.
  case linearizationLost(Int)

  // A page.
  case pageBox(String)
  case cropBox
  /// What a UserUnit makes of a page, in points; nil where nobody says what was meant.
  case userUnit(Double, Requirements.Size, meant: Requirements.Size?)
  /// Nil where it is no number.
  case rotation(Double?)
  case box(String, String)
  case popplerSize(width: Double, height: Double, ownWidth: Double, ownHeight: Double)
  case streamLength(object: Int, stated: Int?, actual: Int?)
  case contentMissing
  /// The page says that it has none.
  case noContent
  case contentFilter(String)
  case contentDamaged
  case contentMalformed(at: Int)
  case unknownOperator(String)
  case unbalanced(String, String, Int)
  /// What is more than poppler is given to render.
  case contentLimit(String)
  /// Bytes that rendering takes.
  case pageMemory(Int, limit: Int)
  /// Likewise, of a page that was compared at a smaller scale instead.
  case pageScaled(Int, limit: Int)
  case missingResource(String)
  case operands(String)
  case outsideText(String)
  case limit(String)
  case blank

  // The structure of a tagged document, and what a page has of it.
  case tags(String)
  case pageTags(String)
  case noAlternative(Int, page: Int)
  /// In a book that says which tags it has: of elements that are of no page, and of a page's.
  case tagStructure(String)
  case tagsChanged
  /// What is read of a page follows another page than it should; nil for none.
  case tagOrder(after: Int?)
  /// A mark that no element names.
  case unowned(Int)
  case untagged
  case marksCrossText
  case alternative(Int, expected: String, found: String?)

  // A font, by the page's name for it or by its own.
  case missingFont(String)
  case notAFont(String)
  case fontStandard(String)
  case fontMissing(String)
  case fontMissingInArchive(String, part: Int)
  case fontDamaged(String, String)
  case fontNotSearchable(String)
  case fontChanged(String)
  case fontAdded(String)
  case fontLost(String)

  // A picture, by its number on the page.
  case notAnImage(Int)
  case form(Int)
  case angle(Int)
  /// Of a page whose book says how it was written.
  case notAsWritten(String)
  case oddClip(Int)
  case notDecoded(Int, String)
  case cannotCompare(Int, String)
  /// Likewise, for what no book of imghost's has.
  case foreign(Int, String)
  /// Behind those that a picture states.
  case moreRows(Int)
  /// Of JPEG 2000 data.
  case opacityInData(Int)
  case sizeStated(Int, width: Int, height: Int, actualWidth: Int, actualHeight: Int)
  case componentsStated(Int, stated: Int, actual: Int)
  case blankRender(Int)
  case pixels(Int, different: Int, of: Int, most: Int, x: Int, y: Int)
  /// Of a picture of few pixels: which part of what can be seen of it, 0 to 1.
  case magnifiedPixels(Int, share: Double, most: Int, x: Int, y: Int)
  case invisible(Int)

  // What a document says of itself, found and meant; nil for nothing.
  case documentInfo(String, found: String?, meant: String?)
  case documentEntry(String, found: String?, meant: String?)
  case documentNotAsWritten(String)
  case documentMetadata(isThere: Bool, isMeant: Bool, changes: [String] = [])
  case outlineMissing
  case outlineCount(Int, actual: Int)
  case outlineEntry(
    Int, found: DocumentExpectation.OutlineEntry, meant: DocumentExpectation.OutlineEntry)
  // Links, by their number on the page.
  case linkAddress(Int, String, meant: String)
  case linkPlace(Int, String, actual: [Double], expected: [Double])
  case linkMissing(String)
  case linkAdded(String)
  case annotationAdded(String)

  // What was expected.
  /// What travels with the document about its pages.
  case expectations(String)
  case noExpectations(areWanted: Bool)
  /// In a document that says that imghost made it.
  case expectationsLost
  case contentChanged
  case contentOfPage(Int)
  case requiredText(String)
  case requiredTextEarlier(String, page: Int)
  case resolution(Int, Double, least: Double, unit: Double)
  case sourceUnknown(Int, folder: String)
  /// None of its files, in a document that notes no sources.
  case sourceUnnoted(Int, folder: String)
  /// Of several files that it was made of.
  case sourcesMissing(Int, Int, of: Int, folder: String)
  /// Made of no file, all of it or a part.
  case sourceDrawn(Int)
  case sourcePartlyDrawn(Int)
  /// What of a folder of sources could not be read.
  case sourceUnread(String, folder: String, reason: String)
  case moreSourcesUnread(Int, folder: String)
  case noSources(folder: String)
  case captionLost(String)
  case captionPlace(String)
  /// It is there as it was written, but the page ends before it.
  case captionCut(String)
  case captionOutside(String)
  case captionText(String, found: String)
  /// Another text that the book has: of that page, or of another place on this one.
  case captionOfOther(String, found: String, page: Int?)
  case expectedPages(Int, actual: Int)
  // Pages in another order than meant, see `PageAlignment`; numbers from 1, of pages as they are.
  case pageAdded
  case pageCopied(Int)
  case pageSwapped(Int)
  /// By its number as meant.
  case pageMoved(Int)
  /// Likewise.
  case pagesLost(ClosedRange<Int>)
  case morePagesLost(Int)
  /// Points, and how many of them the page's unit has.
  case expectedSize(
    width: Double, height: Double, actualWidth: Double, actualHeight: Double, unit: Double)
  /// The TrimBox and the BleedBox, one after the other; empty for none.
  case expectedBoxes([Double], actual: [Double])
  case expectedPictures(Int, actual: Int)
  case expectedPixelSize(Int, width: Int, height: Int, actualWidth: Int, actualHeight: Int)
  case expectedPlace(Int, expected: [Double], actual: [Double], pixels: Double)
  case expectedOrientation(Int, Int, actual: Int)
  case otherPage(Int, page: Int)
  case otherPlace(Int, picture: Int)
  /// Or those of what belongs to it, where something does.
  case otherBytes(Int, orOf: [String] = [])
  /// What was added to a picture that is stored as it was written.
  case pictureAddition(Int, String)
  /// Packed in another way than imghost's.
  case repacked(Int)
  case unlikeStored(Int, decibels: Double)
  case unlike(Int, decibels: Double)
  case moreLike(Int, page: Int, decibels: Double, meant: Double)
}

/// How much a fault matters.
public enum Severity: String, Sendable, Hashable {
  /// The PDF is not what it should be.
  case error
  /// Something could not be checked, or is unusual.
  case warning
  /// Nothing is wrong, but it is good to know.
  case note
}

extension Fault {
  /// What is worth a look in any file, and wrong in one that says what its pages should show.
  func asWritten() -> Fault {
    switch self {
    case .poppler(let message) where Self.popplerErrors.contains { message.hasPrefix($0) }:
      .popplerError(message)
    case .structure(let fault, _): .structure(fault, isError: true)
    case .archiveIntent(let part): .archiveIntentLost(part)
    case .archiveBroken(let claim, let reason): .archiveLost(claim, reason)
    case .foreign(let number, let reason):
      .notAsWritten("picture \(number): \(reason)")
    case .noContent: .contentMissing
    case .untagged: .notAsWritten("it paints what is neither tagged nor an artifact")
    case .unowned(let mark): .notAsWritten("no element of the structure has its MCID \(mark)")
    default: self
    }
  }

  private static let popplerErrors = ["Syntax error", "Internal error", "Unknown error"]

  /// Bytes among which readers look for the end of a file (PDF 32000-1:2008, Annex H.3, note 18).
  static let toleratedTrailing = 1_024

  var severity: Severity {
    switch self {
    case .trailing(let count): count > Self.toleratedTrailing ? .error : .warning
    case .structure(_, let isError): isError ? .error : .warning
    case .noExpectations(let areWanted): areWanted ? .error : .note
    case .userUnit(_, _, let meant): meant == nil ? .warning : .error
    case .header(.lowered), .encrypted, .linearizationLost, .morePoppler, .moreOffsets, .form,
      .angle, .oddClip,
      .cannotCompare, .foreign,
      .contentFilter, .blank, .poppler, .limit, .fontNotSearchable,
      .noAlternative, .unowned, .untagged, .archiveIntent, .opacityInData, .sourceUnread,
      .sourceDrawn, .moreSourcesUnread, .noSources:
      .warning
    case .fontStandard, .decrypted, .sourcePartlyDrawn, .pageScaled, .moreRows,
      .noContent:
      .note
    default: .error
    }
  }
}
