import ImageCore
import TextShaping

/// A mistake in one option of a page setup.
package enum PageSetupError: Error, Sendable, Equatable {
  case paper(String, suggestion: String?)
  /// A word that is not a number with a unit.
  case length(option: String, String)
  /// A number of margins other than one, two or four.
  case marginCount(Int)
  /// A length outside its limits, in points.
  case tooShort(option: String, String, least: Double)
  case tooLong(option: String, String, most: Double)
  case lengthCount(option: String, most: Int, found: Int)
  /// An impossible paper size, in points. Sides are from 3 points to `PageSize.maximumSide`.
  case paperSize(width: Double, height: Double)
  /// A word that is not a range of page labels.
  case pageLabel(String)
  /// An orientation in `paper` that contradicts the option `orientation`.
  case twoOrientations(paper: String, orientation: String)
}

/// All mistakes in one page setup.
package struct PageSetupErrors: Error, Sendable, Equatable {
  package let errors: [PageSetupError]
}

extension PageSetupError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .paper(let text, let suggestion):
      "'paper' cannot be '\(text)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? "")
        + "; use 'picture', a name such as 'a4', 'b5', 'letter' or '10x15', or a size such as "
        + "'210mm x 297mm'"
    case .length(let option, let text): Self.text(option, text)
    case .tooShort(let option, let text, let least):
      "'\(option)' is '\(text)'; it must be at least \(PDFNumber.text(least)) point\(least == 1 ? "" : "s")"
    case .marginCount(let count):
      "'margin' takes one length, two (top and bottom, left and right) or four (top, right, bottom, left), "
        + "not \(count)"
    case .tooLong(let option, let text, let most):
      "'\(option)' is '\(TextError.excerpt(of: text))'; it must be at most \(Length.text(most)) mm"
    case .lengthCount(let option, let most, let found):
      "'\(option)' takes \(most == 1 ? "one length" : "one or two lengths"), not \(found)"
    case .paperSize(let width, let height):
      PDFError.pageSize(width: width, height: height).description
    case .pageLabel(let text):
      "'page_labels' contains '\(text)'; write ranges as 'FIRST:STYLE/START/PREFIX' from page 1, such as "
        + "'1:r 5:D', with the style D, r, R, a, A or none"
    case .twoOrientations(let paper, let orientation):
      "'paper' is '\(paper)' but 'orientation' is '\(orientation)'; give one of them"
    }
  }

  /// Returns the message for a word that should be a length.
  private static func text(_ option: String, _ word: String) -> String {
    let shown = TextError.excerpt(of: word)
    if Double(word).map({ $0 >= 0 && $0.isFinite }) ?? false {
      return
        "'\(option)' contains '\(shown)', a number without a unit; write '\(shown)mm' or '\(shown)pt', or "
        + "the number without quotation marks for points"
    }
    if word.hasPrefix("-") { return "'\(option)' contains '\(shown)'; a length cannot be negative" }
    return "'\(option)' contains '\(shown)', which is not a length; "
      + "write a number with mm, cm, in, pt or px, such as '10mm'"
  }
}
