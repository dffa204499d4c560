import ImageCore
import ImagePipeline
import PDFBook
import TextShaping

/// Finds captions that do not fit on their pages, in books with one picture per page.
///
/// Each text is laid out for this check, unless the options guarantee that all captions fit.
struct CaptionCheck {
  private let layout: BookLayout
  private let style: TextStyle
  private let layouter: TextLayouter?

  /// Creates a check; nil if the options guarantee that every caption fits, or if the layouter cannot be created.
  ///
  /// - Parameter layout: the layout, with margins that leave room for running lines.
  init?(_ arguments: Arguments, _ layout: BookLayout) {
    self.layout = layout
    style = TextStyle(captionOf: arguments)
    guard BookLettering.isPangoThere else {
      layouter = nil
      return
    }
    guard style.overflow.mayRefuse || !Self.isRoomForAll(of: style, in: layout.setup),
      let layouter = try? TextLayouter()
    else { return nil }
    self.layouter = layouter
  }

  /// Returns whether even the longest caption leaves room for a picture. Without a fixed paper size there is always
  /// room, because the page grows.
  private static func isRoomForAll(of style: TextStyle, in setup: PageSetup) -> Bool {
    guard let paper = setup.paper else { return true }
    // Lines of common fonts are less than three times as high as the font size.
    let lines = Double(style.maximumLines ?? 1) * style.size * style.lineSpacing * 3
    let margins = setup.margins.top + setup.margins.bottom
    return lines + style.size + margins + 1 < min(paper.width, paper.height)
  }

  func check(_ picture: CaptionedPicture) throws(PDFError) {
    guard !TextError.isInvisible(picture.caption) else { return }
    let shown = picture.layout
    // If there is no room even without the caption, the mistake is reported for all pictures together.
    guard let page = try? layout.singlePage(shown, 0), let cell = page.cells.first else { return }
    let laid = LaidPicture.standIn(isCut: layout.pixelSize(of: shown, in: cell) != nil, caption: picture.caption)
    guard let layouter else {
      _ = try layout.page(page) { _ in laid }
      return
    }
    // Characters that cannot be shown are noted when the text is written.
    var notes: [TextNote] = []
    _ = try layout.singlePage(shown, laid, captions: style, number: 1, with: layouter, notes: &notes)
  }
}
