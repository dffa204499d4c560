import BookDesign
import ImageCore
import ImagePipeline
import PDFBook
import Scheduling

/// The operations, the codec and the verifier that the program provides for making books.
package struct BookTools: Sendable {
  /// Makes the step that scales a picture if necessary, and crops it to its cell.
  let resize: @Sendable (BookCut) -> Picture.Step
  /// The search for the part of a picture that its cell shows, if the whole picture is stored.
  var focusSearch: FocusSearch { makeFocusSearch() }
  private let makeFocusSearch: @Sendable () -> FocusSearch
  /// The encoder of pages, and its options for a quality from 1 to 100.
  let pageCodec: any PictureCodec
  let pageArguments: @Sendable (_ quality: Int, _ subsampling: String) -> Arguments
  /// Decodes an encoded page to compare it with its source.
  let decodePage: @Sendable (EncodedBytes) throws(PictureError) -> any RowSource
  let verifier: VerifierProgram
  /// Reads a Lua file of templates as plain data; throws a `TemplateFileProblem` on failure.
  let templates: @Sendable ([UInt8]) throws -> TemplateValue
  /// Verifies a written book in a separate process, and blocks until the process has ended.
  var verify: @Sendable (_ path: String, BookSummary, CancellationToken) -> VerificationOutcome
  /// Starts a document in a file. The writer does not commit the file; its owner does.
  var makeWriter: @Sendable (OutputFile, BookPlan, Arguments, PageIndexWriter?) throws(PictureError) -> any PageWriter

  package init(
    resize: @escaping @Sendable (BookCut) -> Picture.Step,
    focusSearch: @autoclosure @escaping @Sendable () -> FocusSearch, pageCodec: any PictureCodec,
    pageArguments: @escaping @Sendable (_ quality: Int, _ subsampling: String) -> Arguments,
    decodePage: @escaping @Sendable (EncodedBytes) throws(PictureError) -> any RowSource, verifier: VerifierProgram,
    colours: any ColourConverter = NoColourConverter(),
    templates: @escaping @Sendable ([UInt8]) throws -> TemplateValue = { _ in
      throw TemplateFileProblem(line: nil, reason: "nothing reads templates here")
    }
  ) {
    self.resize = resize
    makeFocusSearch = focusSearch
    self.pageCodec = pageCodec
    self.pageArguments = pageArguments
    self.decodePage = decodePage
    self.verifier = verifier
    self.templates = templates
    verify = { verifier.verify($0, $1, $2) }
    makeWriter = { file, plan, arguments, index throws(PictureError) in
      do throws(PDFError) {
        return try BookWriter(file, plan, arguments, index: index, colours)
      } catch {
        throw error.pictureError
      }
    }
  }
}

/// A search, in a small version of a picture, for the part that is most worth showing.
package struct FocusSearch: Sendable {
  /// Makes the small version.
  let preview: Picture.Step
  /// Finds the part. The arguments include the rows of the small version, and the shares of width and height to keep.
  let find:
    @Sendable (
      any RowSource, _ width: Double, _ height: Double, SmartCropStrategy, _ keepsHeads: Bool, OperationContext
    )
      throws(PictureError) -> CropFocus

  package init(
    preview: Picture.Step,
    find:
      @escaping @Sendable (
        any RowSource, Double, Double, SmartCropStrategy, Bool, OperationContext
      )
      throws(PictureError) -> CropFocus
  ) {
    self.preview = preview
    self.find = find
  }
}

/// The part of a picture that a page shows.
package struct BookCut: Sendable, Hashable {
  package enum Way: Sendable, Hashable {
    /// The picture is scaled to cover its cell, and the parts outside are cut off.
    case scaled
    /// The picture is not scaled. If it is encoded, and not copied from its file, the pixels outside the cell are cut
    /// off.
    case cropped
    /// The whole picture is stored, because its cell may still change until its page is written.
    case clipped
  }

  /// The width and height in pixels.
  package let width: Int
  package let height: Int
  package let position: CropPosition
  package let way: Way
  /// Whether a search for the part to keep should cut only a little off the top. Set if the script chooses no position.
  package let keepsHeads: Bool

  package init(width: Int, height: Int, position: CropPosition, way: Way, keepsHeads: Bool = false) {
    self.width = width
    self.height = height
    self.position = position
    self.way = way
    self.keepsHeads = keepsHeads
  }

  /// Returns whether the picture is scaled, or pixels are cut off. A file that can be stored unchanged is not cropped,
  /// but clipped when its page is drawn.
  func changesPixels(ofFile isEmbedded: Bool) -> Bool {
    switch way {
    case .scaled: true
    case .cropped: !isEmbedded
    case .clipped: false
    }
  }
}
