/// The reason why a text cannot be shown.
package enum TextError: Error, Sendable, Equatable {
  /// Pango, HarfBuzz or a library that they need is missing or too old; the value names the library or function.
  case noPango(missing: String)
  /// The text has more than `TextLimits.byteCount` bytes of UTF-8.
  case tooManyBytes(Int)
  /// The text contains a control character: below U+0020 except a line feed, or U+007F to U+009F.
  case control(UInt32, text: String)
  /// The text contains U+FFFD, which replaces bytes that are not UTF-8.
  case notUTF8(text: String)
  /// The text has more lines than allowed, even at the smallest font size that its style permits.
  case tooLong(text: String, lines: Int, allowed: Int)
  /// The text of an option is higher than the available space. Both numbers are in points. `hasSizeOption` tells
  /// whether an option with the same name and `_size` sets the font size.
  case tooHigh(_ option: String, text: String, height: Double, room: Double, hasSizeOption: Bool = true)
  /// No family with this name is installed.
  ///
  /// - Parameters:
  ///   - suggestion: an installed family with a similar name.
  ///   - substitute: the family that the system would use, if there is no suggestion.
  case noFont(String, suggestion: String?, substitute: String?)
  /// No font is installed.
  case noFonts
  /// A font cannot be embedded in a PDF.
  case font(String, FontProblem)
  case outOfMemory
}

/// The reason why a font's glyphs cannot be embedded.
package enum FontProblem: Error, Sendable, Hashable {
  /// The font contains only pictures of its glyphs: bitmaps or colour glyphs.
  case noOutlines
  /// The licence bits (OS/2 fsType) forbid embedding or subsets.
  case forbidden
  /// The font is variable, and HarfBuzz cannot fix it at one position of its axes.
  case variable
  /// The tables are inconsistent, or HarfBuzz failed to create a subset.
  case damaged
}

/// The limits for one text.
package enum TextLimits {
  /// The maximum size of a text in bytes of UTF-8. It allows several pages at usual font sizes, but not a megabyte from
  /// a damaged EXIF field.
  package static let byteCount = 10_000
}

extension TextError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noPango(let missing):
      "text needs Pango 1.50 and HarfBuzz 6, and '\(missing)' was not found; install libpangoft2-1.0-0 and "
        + "libharfbuzz-subset0"
    case .tooManyBytes(let count):
      "a text of \(count) bytes is too long; at most \(TextLimits.byteCount)"
    case .control(let value, let text):
      "the text '\(Self.excerpt(of: text))' contains the control character \(Self.codePoint(value))"
    case .notUTF8(let text):
      "the text '\(Self.excerpt(of: text))' is not valid UTF-8 (or contains U+FFFD)"
    case .tooLong(let text, let lines, let allowed):
      "the text '\(Self.excerpt(of: text))' takes \(lines) lines, and \(allowed) "
        + (allowed == 1 ? "is" : "are")
        + " allowed; raise 'caption_lines', or leave out 'caption_overflow' to shorten it"
    case .tooHigh(let option, let text, let height, let room, let hasSizeOption):
      "'\(option)': '\(Self.excerpt(of: text))' is \(Int(height.rounded(.up))) points high, and there is room for "
        + "\(Int(room)); "
        + (hasSizeOption ? "reduce '\(option)_size', or shorten the text" : "shorten or divide the text")
    case .noFont(let name, let suggestion, let substitute):
      "the font '\(Self.excerpt(of: name))' is not installed"
        + (suggestion.map { " (did you mean '\($0)'?)" } ?? "")
        + (substitute.map { " (the nearest is '\($0)')" } ?? "")
        + "; 'fc-list : family' lists the installed ones"
    case .noFonts: "text needs a font, and none is installed; install fonts-dejavu-core"
    case .font(let name, let problem): "the font '\(name)' cannot be embedded: \(problem)"
    case .outOfMemory: "there is not enough memory to lay out a text"
    }
  }

  /// Returns whether a text has only invisible characters: spaces, joiners, direction marks and similar ones.
  package static func isInvisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      // U+2800 is the Braille pattern without dots.
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
        || properties.generalCategory == .format || scalar == "\u{2800}"
    }
  }

  /// Returns the first 40 characters, for messages. Control characters are replaced, because a terminal would interpret
  /// them.
  package static func excerpt(of text: String) -> String {
    let shown = String.UnicodeScalarView(text.unicodeScalars.prefix(40).map { isControl($0) ? "\u{fffd}" : $0 })
    return String(shown) + (text.unicodeScalars.count > 40 ? "…" : "")
  }

  /// Returns `U+0041` for 0x41.
  package static func codePoint(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension FontProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noOutlines: "it has pictures instead of outlines, as fonts of coloured emoji do"
    case .forbidden: "its licence forbids it (OS/2 fsType)"
    case .variable:
      "it is a variable font of a kind that HarfBuzz cannot fix (CFF2, or too many axes)"
    case .damaged: "HarfBuzz cannot make a subset of it"
    }
  }
}

extension TextError {
  /// Returns whether a character is a control character, which viewers show as a box or not at all.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  package static func firstControl(in text: String) -> Unicode.Scalar? { text.unicodeScalars.first(where: isControl) }

  /// Returns the problem that a text has in any font; nil if it can be laid out.
  package static func problem(with text: String) -> TextError? {
    guard text.utf8.count <= TextLimits.byteCount else { return .tooManyBytes(text.utf8.count) }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0a: continue
      case 0xfffd: return .notUTF8(text: text)
      default: if isControl(scalar) { return .control(scalar.value, text: text) }
      }
    }
    return nil
  }
}
