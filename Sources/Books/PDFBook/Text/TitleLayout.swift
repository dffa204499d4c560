import TextShaping

/// Lays out titles. If a word is longer than a line, the font shrinks before the word is broken.
extension TextLayouter {
  /// The smallest font size that is tried to avoid breaking a word, as a multiple of the style's size.
  private static let smallestTitle = 0.6

  /// Lays out a title in a font size at which its longest word fits on a line. A word that is still too long is broken,
  /// if possible after a character such as `_` or `/`, and noted.
  /// - Parameters:
  ///   - option: the option to name in notes.
  ///   - page: the page's number, for notes.
  ///   - notes: receives a note for each text that is not shown in full.
  func title(
    _ text: String, style: TextStyle, width: Double, option: String, page: Int = 1, notes: inout [TextNote]
  ) throws(PDFError) -> TextBlock {
    let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    func broken(_ size: Double) throws(PDFError) -> String? {
      var style = style
      style.size = size
      for word in words.sorted() where try self.block(word, style: style, width: width).isWordBroken {
        return word
      }
      return nil
    }
    var style = style
    var text = text
    if try broken(style.size) != nil {
      var (low, high) = (style.size * Self.smallestTitle, style.size)
      if let word = try broken(low) {
        (text, style.size) = (Self.withBreaks(text), low)
        notes.append(.line("\(option): '\(TextError.excerpt(of: word))' is longer than a line, and is broken"))
      } else {
        while high - low > style.size / 100 {
          let middle = (low + high) / 2
          if try broken(middle) == nil { low = middle } else { high = middle }
        }
        style.size = low
      }
    }
    let block = try self.block(text, style: style, width: width)
    notes += block.notes(page: page, option: option)
    return block
  }

  /// Splits a title into its paragraphs, each at its place. The first paragraph is the heading. Returns the title
  /// itself if it has only one paragraph.
  ///
  /// - Parameter style: the style of the title before its font was shrunk.
  func paragraphs(of title: PlacedText, style: TextStyle) throws(PDFError) -> [PlacedText] {
    let texts = title.block.text.split(separator: "\n", omittingEmptySubsequences: false)
    guard texts.count > 1 else { return [title] }
    var style = style
    style.size = title.block.size
    var found: [PlacedText] = []
    var first = 0
    for text in texts {
      let block = try self.block(String(text), style: style, width: title.block.width)
      guard first + block.lines.count <= title.block.lines.count else { return [title] }
      if let line = block.lines.first, !TextError.isInvisible(block.text) {
        let top = title.top - title.block.lines[first].baseline + line.baseline
        found.append(PlacedText(block, left: title.left, top: top, role: found.isEmpty ? title.role : .paragraph))
      }
      first += block.lines.count
    }
    // A title is not split if that would change the line breaks of its paragraphs.
    return first == title.block.lines.count && !found.isEmpty ? found : [title]
  }

  /// Inserts invisible break opportunities (U+200B) after characters that join words.
  private static func withBreaks(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      result.append(character)
      if "_/\\.@&+=".contains(character) { result.append("\u{200B}") }
    }
  }
}

extension TextBlock {
  /// Whether a line ends inside a word of letters and digits; never true in scripts that do not separate words with
  /// spaces.
  var isWordBroken: Bool {
    zip(lines, lines.dropFirst()).contains { line, next in
      guard let last = line.text.unicodeScalars.last, let first = next.text.unicodeScalars.first
      else { return false }
      return last.belongsToWord && first.belongsToWord
    }
  }
}

extension Unicode.Scalar {
  fileprivate var belongsToWord: Bool {
    guard properties.isAlphabetic || properties.numericType != nil || properties.isGraphemeExtend
    else { return false }
    switch value {
    // Scripts that allow a line to end without a space: Thai, Lao, Myanmar and Khmer; kana, Chinese and Korean,
    // including full-width and half-width forms.
    case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x2e80...0xa4cf, 0xac00...0xd7ff,
      0xf900...0xfaff, 0xff00...0xffef, 0x20000...0x3ffff:
      return false
    default: return true
    }
  }
}
