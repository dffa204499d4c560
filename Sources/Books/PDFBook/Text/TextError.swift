/// Why a text cannot be shown.
public enum TextError: Error, Sendable, Equatable {
  /// Pango, HarfBuzz or one of theirs is not installed or too old; names the library or function.
  case noPango(missing: String)
  /// UTF-8 bytes; at most `TextLimits.byteCount`.
  case tooManyBytes(Int)
  /// A character that is no letter but an order: anything below U+0020 but a line feed, U+007F to U+009F.
  case control(UInt32, text: String)
  /// U+FFFD, which stands where bytes were no UTF-8.
  case notUTF8(text: String)
  /// More lines than allowed, in the smallest letters allowed.
  case tooLong(text: String, lines: Int, allowed: Int)
  /// An option's text is higher than the room for it; points.
  case tooHigh(_ option: String, text: String, height: Double, room: Double)
  /// No family of this name is installed.
  ///
  /// - Parameters:
  ///   - suggestion: an installed one that is written much like it.
  ///   - substitute: the installed one that the system would take, where none is.
  case noFont(String, suggestion: String?, substitute: String?)
  /// A font cannot be put into a PDF.
  case font(String, FontProblem)
  case outOfMemory
}

/// Why a font's glyphs cannot be embedded.
public enum FontProblem: Error, Sendable, Hashable {
  /// Only pictures of its glyphs, in colour or in dots.
  case noOutlines
  /// Its licence bits (OS/2 fsType) forbid embedding, or embedding a part.
  case forbidden
  /// A variable font in a form that cannot be fixed at one place of its axes.
  case variable
  /// Its tables contradict each other, or HarfBuzz could not make a subset.
  case damaged
}

/// The limits of one text.
public enum TextLimits {
  /// UTF-8 bytes: several pages in the usual sizes, and no megabyte from a broken EXIF field.
  public static let byteCount = 10_000
}

extension TextError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noPango(let missing):
      "text needs Pango 1.50 and HarfBuzz 6, and '\(missing)' was not found; install libpangoft2-1.0-0 and "
        + "libharfbuzz-subset0"
    case .tooManyBytes(let count):
      "a text of \(count) bytes is too long; at most \(TextLimits.byteCount)"
    case .control(let value, let text):
      "the text '\(Self.start(of: text))' contains the control character \(Self.codePoint(value))"
    case .notUTF8(let text):
      "the text '\(Self.start(of: text))' is not valid UTF-8 (or contains U+FFFD)"
    case .tooLong(let text, let lines, let allowed):
      "the text '\(Self.start(of: text))' takes \(lines) lines where \(allowed) "
        + (allowed == 1 ? "is" : "are")
        + " allowed; 'caption_lines' allows more, and without 'caption_overflow' it is cut"
    case .tooHigh(let option, let text, let height, let room):
      "'\(option)': '\(Self.start(of: text))' takes \(Int(height.rounded(.up))) points of height where "
        + "\(Int(room)) are free; make '\(option)_size' smaller, or the text shorter"
    case .noFont(let name, let suggestion, let substitute):
      "no font '\(Self.start(of: name))' is installed"
        + (suggestion.map { " (did you mean '\($0)'?)" } ?? "")
        + (substitute.map { " (the nearest is '\($0)')" } ?? "")
        + "; 'fc-list : family' names those that are"
    case .font(let name, let problem): "the font '\(name)' cannot be embedded: \(problem)"
    case .outOfMemory: "there is not enough memory to lay out a text"
    }
  }

  /// Whether nothing of a text can be seen: spaces, joiners, marks of direction and their like.
  public static func isInvisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      // U+2800 is a sign of Braille without a dot.
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
        || properties.generalCategory == .format || scalar == "\u{2800}"
    }
  }

  /// What is needed to recognise it, without what a terminal would obey.
  static func start(of text: String) -> String {
    let shown = String.UnicodeScalarView(
      text.unicodeScalars.prefix(40).map {
        $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? "\u{fffd}" : $0
      })
    return String(shown) + (text.unicodeScalars.count > 40 ? "…" : "")
  }

  /// `U+0041`.
  static func codePoint(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension FontProblem: CustomStringConvertible {
  public var description: String {
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
  /// Whether it is no letter but an order, at which viewers draw a box or nothing.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  static func firstControl(in text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first(where: isControl)
  }

  /// What is wrong with a text whatever its font; nil for one that can be laid out.
  public static func problem(with text: String) -> TextError? {
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
