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
