import ImageCore
import Platform

/// Fills in texts for people. A missing field is left out, so that it does not prevent a whole document.
extension NameTemplate {
  /// The fields of a text for which a picture has no value.
  package struct Gaps {
    /// The EXIF fields that the picture lacks, and `date` if the time when it was taken is unknown.
    package fileprivate(set) var names: Set<String> = []
    /// The other fields that the picture lacks. A field and its alternatives are one entry, separated by commas.
    package fileprivate(set) var fields: Set<String> = []
    /// The fields that should be dates but are not. EXIF fields are listed without `exif.`.
    package fileprivate(set) var undated: Set<String> = []
    /// The text without its fields, if all of them are missing.
    package fileprivate(set) var bareText: String?

    package init() {}

    package var isEmpty: Bool { names.isEmpty && undated.isEmpty && fields.isEmpty }

    /// The missing fields as clauses. All EXIF fields are in one clause: `no EXIF field 'Make' or 'Model'`.
    package var clauses: [String] {
      func list(_ names: Set<String>) -> String {
        names.sorted().map { "'\(printable($0))'" }.joined(separator: " or ")
      }
      // `date` is not an EXIF field, so it has its own clause.
      let exif = names.subtracting([NameTemplate.dateField])
      return [
        names.contains(NameTemplate.dateField) ? "no date" : nil,
        exif.isEmpty ? nil : "no EXIF field \(list(exif))",
        undated.isEmpty ? nil : "no date in the " + FieldName.words(undated.sorted().map(FieldName.whole)),
      ].compactMap(\.self)
        + fields.sorted().map { "no " + FieldName.words($0.split(separator: ",").map(String.init)) }
    }

    /// Up to three of the fields, with alternative texts: `{date|undated} and {title|untitled}`.
    package var examples: String {
      let all =
        names.union(undated).sorted().map { name in
          let isDate = name == NameTemplate.dateField || name.contains("Date") || undated.contains(name)
          let whole = name == NameTemplate.dateField ? name : FieldName.whole(name)
          return "{\(printable(whole))|\(isDate ? "undated" : "unknown")}"
        } + fields.sorted().map { "{\(printable($0))|\($0.contains("title") ? "untitled" : "unknown")}" }
      return all.prefix(3).joined(separator: all.count == 2 ? " and " : ", ")
    }

    package mutating func formUnion(_ other: Gaps) {
      names.formUnion(other.names)
      undated.formUnion(other.undated)
      fields.formUnion(other.fields)
      if bareText == nil { bareText = other.bareText }
    }
  }

  /// Returns the text for one picture, without the separators that missing fields leave behind.
  ///
  /// - Parameter missing: receives the fields for which the picture has no value.
  package func caption(
    for picture: Picture, info: Picture.Info?, index: Int, missing: inout Gaps
  ) throws(TemplateError) -> String {
    try runningText(for: picture, info: info, index: index, missing: &missing).text(page: 1, pageCount: 1)
  }

  /// The text for a page without pictures; nil if the template has a field of a picture or group.
  package var runningTextWithoutPicture: RunningText? {
    var found: [RunningText.Part] = []
    for part in parts {
      switch part {
      case .text(let text): found.append(.text(text))
      case .field("page", let style): found.append(.page(digits: style.digits))
      case .field("pages", let style): found.append(.pageCount(digits: style.digits))
      case .field: return nil
      }
    }
    return RunningText(parts: found)
  }

  /// Returns the text for one picture. The page number and the number of pages are filled in later.
  ///
  /// - Parameter missing: receives the fields for which the picture has no value.
  package func runningText(
    for picture: Picture, info: Picture.Info?, index: Int, missing: inout Gaps
  ) throws(TemplateError) -> RunningText {
    var found: [Piece] = []
    let fields = PictureFields(picture, info)
    for part in parts {
      switch part {
      case .text(let text): found.append(.literal(text))
      case .field("page", let style): found.append(.value(.page(digits: style.digits)))
      case .field("pages", let style): found.append(.value(.pageCount(digits: style.digits)))
      case .field(let name, let style):
        do throws(TemplateError) {
          let text = try value(name, style, fields, picture, info, index, isReadable: true)
          found.append(.value(.text(PathBytes.readable(text))))
        } catch .noSuchEXIF(let field) {
          missing.names.insert(field)
          found.append(.missing)
        } catch .none(let names) {
          missing.fields.insert(names.joined(separator: ","))
          found.append(.missing)
        } catch .noDate {
          missing.names.insert(Self.dateField)
          found.append(.missing)
        } catch .notADate(let field, _) {
          missing.undated.insert(field)
          found.append(.missing)
        }
      }
    }
    let text = RunningText(parts: Self.withoutGaps(found))
    if found.contains(where: \.isMissing), !found.contains(where: \.isValue) {
      let words = text.text(page: 1, pageCount: 1)
      if !words.allSatisfy(\.isWhitespace) { missing.bareText = words }
    }
    return text
  }

  private enum Piece {
    case literal(String)
    case value(RunningText.Part)
    case missing

    var isMissing: Bool { if case .missing = self { true } else { false } }

    var isValue: Bool { if case .value = self { true } else { false } }

    /// Whether the piece only separates fields: it consists of white space and punctuation.
    var isSeparator: Bool {
      guard case .literal(let text) = self else { return false }
      return text.allSatisfy { $0.isWhitespace || ".,;:·•|/\\-–—~".contains($0) }
    }
  }

  /// Returns the parts without the missing fields, and without the adjacent separators that are no longer needed.
  private static func withoutGaps(_ pieces: [Piece]) -> [RunningText.Part] {
    var rest = pieces[...]
    if rest.contains(where: \.isMissing) {
      let start = rest.prefix { $0.isMissing || $0.isSeparator }
      if start.contains(where: \.isMissing) { rest = rest.dropFirst(start.count) }
      let kept = rest.lastIndex { !$0.isMissing && !$0.isSeparator }.map { $0 + 1 }
      let end = rest[(kept ?? rest.startIndex)...]
      if end.contains(where: \.isMissing) { rest = rest.dropLast(end.count) }
    }
    var result: [RunningText.Part] = []
    var isAfterGap = false
    var isAfterSeparator = false
    for piece in rest {
      switch piece {
      case .missing:
        isAfterGap = true
        continue
      case .value(let part): result.append(part)
      case .literal(let text):
        if !(isAfterGap && isAfterSeparator && piece.isSeparator) { result.append(.text(text)) }
      }
      isAfterGap = false
      isAfterSeparator = piece.isSeparator
    }
    return result
  }

  /// Returns an exposure time, given in seconds, as cameras show it: `1/250`, `0.6`, `2`.
  static func exposure(_ seconds: Double) -> String {
    guard seconds > 0, seconds < 1 else { return ParameterValue.text(seconds) }
    let inverse = 1 / seconds
    // Times of up to 1/4 s become fractions, even inexact ones: files may contain 0.0167 for 1/60. Longer times become
    // tenths of a second, as cameras show them, unless they are close to a fraction such as 1/2.
    guard seconds <= 0.25 || abs(inverse - inverse.rounded()) < 0.02 && inverse > 1.5, inverse < 1e9 else {
      return ParameterValue.text((seconds * 10).rounded() / 10)
    }
    return "1/\(Int(inverse.rounded()))"
  }
}

/// The text for one picture or page. The page number and the number of pages are filled in later.
package struct RunningText: Sendable, Hashable {
  package enum Part: Sendable, Hashable {
    case text(String)
    /// The page's number from 1, with leading zeros.
    case page(digits: Int)
    /// The number of pages of the finished document.
    case pageCount(digits: Int)
  }

  package let parts: [Part]

  package init(parts: [Part]) { self.parts = parts }

  /// Whether the text can only be written when the document is complete.
  package var needsPageCount: Bool { parts.contains { if case .pageCount = $0 { true } else { false } } }

  /// Returns the text of one page.
  ///
  /// - Parameter pageCount: may be nil if `needsPageCount` is false.
  package func text(page: Int, pageCount: Int?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .page(let digits): return Self.padded(page, digits: digits)
      case .pageCount(let digits):
        guard let pageCount else { preconditionFailure("the document is not complete") }
        return Self.padded(pageCount, digits: digits)
      }
    }.joined()
  }

  static func padded(_ number: Int, digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

/// Splits the fields of templates into names, and describes the names in messages.
enum FieldName {
  /// Splits `title,date:%B %Y` at its commas. A comma in a date's pattern is part of the pattern, unless a field
  /// follows.
  static func pieces(_ text: Substring, _ known: [String]) -> [Substring] {
    var pieces: [Substring] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let plain = piece.drop { $0 == " " }
      let name = halves(plain).name
      if let last = pieces.last, last.contains("%"), !known.contains(name), !PictureFields.has(name) {
        pieces[pieces.count - 1] = text[last.startIndex..<piece.endIndex]
      } else {
        pieces.append(pieces.isEmpty ? piece : plain)
      }
    }
    return pieces
  }

  /// Splits a field into its name and style. Colons in the path of an XMP property are part of the name:
  /// `xmp.photoshop:DateCreated:%Y`.
  static func halves(_ text: Substring) -> (name: String, style: String?) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let most = text.hasPrefix("xmp.") ? 1 + parts.dropFirst().prefix(while: isName).count : 1
    guard parts.count > most else { return (String(text), nil) }
    return (parts[..<most].joined(separator: ":"), String(text[parts[most].startIndex...]))
  }

  private static func isName(_ text: Substring) -> Bool {
    (text.first?.isLetter ?? false) && text.allSatisfy { $0.isLetter || $0.isNumber || "_-./[]".contains($0) }
  }

  /// Returns the full name of a field. The name of an EXIF field may lack the prefix `exif.`, which is then added.
  static func whole(_ name: String) -> String { PictureFields.has(name) ? name : "exif." + name }

  /// Returns the names of fields as a phrase: `title, date or EXIF field 'Model'`.
  static func words(_ names: [String]) -> String {
    let words = names.map { name in
      let block = PictureFields.blocks.first(where: name.hasPrefix)
      return block.map { "\($0.dropLast().uppercased()) field '\(printable(String(name.dropFirst($0.count))))'" }
        ?? name
    }
    guard words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
  }
}
