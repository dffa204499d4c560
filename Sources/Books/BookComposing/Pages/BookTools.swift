import BookDesign
import ImageCore
import ImagePipeline
import PDFBook
import Scheduling

/// The operations, the codec and the verifier that books are made with. The program hands them over.
package struct BookTools: Sendable {
  /// Makes the step that scales a picture, if that is asked for, and cuts what sticks out.
  let resize: @Sendable (BookCut) -> Picture.Step
  /// Finds what a picture shows that is stored whole and shown in part.
  var focusSearch: FocusSearch { makeFocusSearch() }
  private let makeFocusSearch: @Sendable () -> FocusSearch
  /// The encoder of pages, and its options for a quality from 1 to 100.
  let pageCodec: any PictureCodec
  let pageArguments: @Sendable (_ quality: Int, _ subsampling: String) -> Arguments
  /// Decodes an encoded page again, to see what it shows.
  let decodePage: @Sendable (EncodedBytes) throws(PictureError) -> any RowSource
  let verifier: VerifierProgram
  /// Reads a Lua file of templates as plain data, or throws a `TemplateFileProblem`.
  let templates: @Sendable ([UInt8]) throws -> TemplateValue
  /// Proves a written book in a process of its own; blocks until that has ended.
  var verify: @Sendable (_ path: String, BookSummary, CancellationToken) -> VerificationOutcome
  /// Starts a document. Its owner commits the file.
  var makeWriter: @Sendable (OutputFile, BookPlan, Arguments) throws(PictureError) -> any PageWriter

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
    makeWriter = { file, plan, arguments throws(PictureError) in
      do throws(PDFError) {
        return try BookWriter(file, plan, arguments, colours)
      } catch {
        throw error.pictureError
      }
    }
  }
}

/// Looks for the part of a picture that is worth showing, on a small version of it.
package struct FocusSearch: Sendable {
  /// Makes that version.
  let preview: Picture.Step
  /// Takes its rows, and the shares of width and height that stay.
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
