import ImageCore

/// An output that a dry run has planned: a picture in a file, or a document of pages. Immutable; used from any thread.
package struct PlannedOutput: Sendable {
  package enum Content: Sendable {
    case picture(Picture)
    case pages(any PageDrawing)
  }

  /// The file, with the number of the page in one of several pages.
  package let path: String
  package let content: Content
  package let position: ScriptPosition?

  init(_ file: FileOutput) {
    path = file.path
    content = .picture(file.picture)
    position = file.position
  }

  init(_ page: DocumentEntry) {
    path = page.document.title(of: page)
    content = .picture(page.picture)
    position = page.job.position
  }

  init(_ document: any PagedDocument) {
    let drawing = document.makeDrawing()
    path = drawing.path
    content = .pages(drawing)
    position = document.job.position
  }
}

/// A document with designed pages, which can be drawn before the document is made.
package protocol PagedDocument: Document {
  /// Returns what draws its pages.
  func makeDrawing() -> any PageDrawing
}

/// Draws the pages of a document. Immutable; used from any thread.
package protocol PageDrawing: AnyObject, Sendable {
  /// The path of the document.
  var path: String { get }
  var position: ScriptPosition? { get }
  /// The pages in their order, as far as they are known before a picture is decoded.
  var pages: [DrawnPage] { get }

  /// Writes a PDF of one page.
  ///
  /// - Parameters:
  ///   - index: the page's place among `pages`.
  ///   - pictures: the pictures of the page in the order of `DrawnPage.pictures`, encoded as JPEG; nil for one that
  ///     could not be made.
  ///   - focuses: the parts that their cells show, in the same order; nil for what the layout says.
  func draw(page index: Int, pictures: [EncodedBytes?], focuses: [CropFocus?], to descriptor: Int32)
    throws(PictureError)

  /// Returns the part of a picture that its cell shows; nil for what the layout says.
  func focus(ofPicture index: Int, on page: Int, _ environment: Environment, _ context: OperationContext)
    throws(PictureError) -> CropFocus?
}

/// A page that can be drawn.
package struct DrawnPage: Sendable {
  /// A picture on the page, as the document stores it.
  package struct Cell: Sendable {
    package let picture: Picture
    /// Pixels of the picture for each point of the page.
    package let density: Double

    package init(_ picture: Picture, density: Double) {
      self.picture = picture
      self.density = density
    }
  }

  /// The side of a spread that a page lies on.
  package enum Side: String, Sendable { case left, right, single }

  /// The size in points.
  package let width: Double
  package let height: Double
  package let side: Side
  package let pictures: [Cell]
  /// The texts and options that the page depends on beside its pictures: equal for pages that look alike.
  package let identity: String

  package init(width: Double, height: Double, side: Side, pictures: [Cell], identity: String) {
    self.width = width
    self.height = height
    self.side = side
    self.pictures = pictures
    self.identity = identity
  }
}
