import ImageCore
import ImagePipeline

/// Finds the part of a picture that its page shows, by searching a small version. Only for pictures that are stored
/// whole.
struct FocusFinder {
  private let preview: DirectPicture
  private let search: FocusSearch
  private let strategy: SmartCropStrategy
  private let keepsHeads: Bool
  /// The shares of the picture's width and height to keep.
  private let width: Double
  private let height: Double

  /// Creates a finder; nil if no search is needed, or if no small version can be made.
  init?(_ page: DocumentEntry, of assembler: BookAssembler, _ environment: Environment) {
    guard let cut = assembler.cut(of: page),
      !cut.changesPixels(ofFile: page.copiesSource != nil),
      case .smart(let strategy) = cut.position, let whole = try? page.picture.info().layout,
      let preview = try? DirectPicture(
        Picture(assembler.tools.focusSearch.preview, inputs: [page.picture], position: nil), environment)
    else { return nil }
    self.preview = preview
    search = assembler.tools.focusSearch
    self.strategy = strategy
    keepsHeads = cut.keepsHeads
    width = Double(cut.width) / Double(whole.width)
    height = Double(cut.height) / Double(whole.height)
  }

  /// The memory that the search takes, in bytes.
  var byteCount: Int { preview.byteCount }

  /// Returns the part to show. Returns nil if no codec can decode the picture, such as JPEG 2000 without its plugin;
  /// the page then shows the picture's centre.
  func focus(_ context: OperationContext) throws(PictureError) -> CropFocus? {
    do throws(DirectPicture.Failure) {
      return try preview.read(context) { rows throws(PictureError) in
        try search.find(rows, width, height, strategy, keepsHeads, context)
      }
    } catch {
      if case .codec(.unsupported) = error.error { return nil }
      throw error.error
    }
  }
}
