import ImageCore
import ImagePipeline
import PDFBook
import TextShaping

/// Finds captions that do not fit their cells and must not be shortened, in books with several pictures per page.
struct CellCaptionCheck {
  private let style: TextStyle
  private let layouter: TextLayouter

  /// Creates a check; nil if captions that do not fit are shortened, or if Pango cannot be used.
  init?(_ arguments: Arguments) {
    style = TextStyle(captionOf: arguments)
    guard style.cellOverflow?.mayRefuse ?? false, BookLettering.isPangoThere, let layouter = try? TextLayouter()
    else { return nil }
    self.layouter = layouter
  }

  /// Returns the problems by picture. Leaving out a picture moves the others to new cells, so they are checked again.
  ///
  /// - Parameter plan: arranges some of the pictures; nil on failure, which is reported elsewhere.
  func problems(of pictures: [CaptionedPicture], plan: ([CaptionedPicture]) -> [PlannedPage]?) -> [Int: String] {
    var problems: [Int: String] = [:]
    var left = Array(pictures.indices)
    while true {
      var refused: Set<Int> = []
      for cell in plan(left.map { pictures[$0] })?.flatMap(\.cells) ?? [] {
        let picture = left[cell.picture]
        do throws(PDFError) {
          try cell.caption?.check(pictures[picture].caption, style: style, with: layouter)
        } catch {
          problems[picture] = "\(error)"
          refused.insert(picture)
        }
      }
      guard !refused.isEmpty else { return problems }
      left.removeAll(where: refused.contains)
    }
  }
}

extension TextOverflow {
  /// Whether a text that is too long can be a mistake.
  var mayRefuse: Bool { self == .error || self == .shrink }
}
