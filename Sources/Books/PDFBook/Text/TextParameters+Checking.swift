import ImageCore
import TextShaping

extension TextParameters {
  /// Returns mistakes in the names of fonts and languages, whatever is installed, and in outline titles; one
  /// clause each.
  package static func problems(in arguments: Arguments) -> [String] {
    var problems: [String] = []
    for name in names {
      let font = arguments.text("\(name)_font")
      if font.allSatisfy(\.isWhitespace) {
        problems.append("'\(name)_font' is empty; leave it out, or name a family such as 'Serif'")
      } else if let control = TextError.firstControl(in: font) {
        problems.append(
          "'\(name)_font' is '\(TextError.excerpt(of: font))', with the control character "
            + "\(TextError.codePoint(control.value)); write family and style in one line: 'Noto Serif Italic'"
        )
      }
      let language = arguments.text("\(name)_language")
      if !language.isEmpty, !LanguageTag.isWellFormed(language) {
        problems.append("'\(name)_language' \(LanguageTag.advice(against: language))")
      }
    }
    if let outline = arguments.optionalText("outline"), let control = TextError.firstControl(in: outline) {
      problems.append("'outline': \(TextError.control(control.value, text: outline))")
    }
    return problems
  }
}

extension LanguageTag {
  /// Returns the end of a message about a tag that is not well-formed.
  static func advice(against text: String) -> String {
    "cannot be '\(TextError.excerpt(of: text))'; write a language as BCP 47 does: 'en', 'en-GB', 'zh-Hant'"
  }
}
