import ImageCore
import ImageMetadata
import Platform

/// A text with fields in braces, filled in for each picture: `"web/{stem}.jpg"`.
///
/// - The picture's file: `{stem}`, `{name}`, `{label}`, `{ext}`, `{folder}`.
/// - Numbers: `{width}`, `{height}`, and `{index}` from 1; `{index:3}` pads to three digits.
/// - Metadata: `{title}`, `{description}`, `{exif.NAME}`, `{xmp.NAME}`, `{iptc.NAME}`.
/// - Dates: `{date}` is the day when the picture was taken, from EXIF or XMP; `{date:%d.%m.%Y}` and
///   `{exif.DateTimeOriginal:%Y}` are formatted by a pattern, see `DateText`.
/// - Alternatives: `{title,stem|text}` is the first of these fields that the picture has, or else the text.
/// - In names of files: `{hash}` is the digest of the file, `{hash:8}` its first eight digits.
/// - In running lines of a document: `{page}`, `{pages}`. In documents with groups: `{section}`, the group's name.
/// - Braces: `{{`, `}}`.
package struct NameTemplate: Sendable {
  package enum TemplateError: Error, Sendable, Equatable {
    /// - Parameter valid: the fields that the text may contain, without those with a prefix such as `exif.`.
    case unknownField(String, suggestion: String?, valid: [String])
    case unclosed
    case noSuchEXIF(String)
    /// The picture has none of these fields.
    case none(of: [String])
    /// An IPTC field that the standard does not define.
    case unknownIPTC(String, suggestion: String?)
    /// The field `page`, `pages`, `section` or `hash` in a list of alternatives, where it is not allowed.
    case notAmongOthers(String)
    /// A conversion in a date's pattern that does not exist.
    case unknownConversion(field: String, String)
    /// A style that the field does not accept.
    case unknownStyle(field: String, String)
    /// A field that is to be formatted as a date, and its value, which is not a date.
    case notADate(String, value: String)
    /// The time when the picture was taken is unknown.
    case noDate
    /// The picture has no source file, which the field requires.
    case noFile(String)
    /// The field `index` in a text that is drawn on a picture, where the index is unknown.
    case noIndex
    /// The file's digest in the name of its folder, which must exist before the file.
    case hashInFolder
  }

  /// The purpose of the text.
  package enum Use: Sendable {
    /// A path. Slashes in values do not create folders.
    case path
    /// A text for people to read.
    case caption
    /// A text that is drawn on the picture itself, where the picture's index is unknown.
    case picture
    /// A URL. In values, control characters and bytes that are not UTF-8 are percent-encoded. If the URL ends with a
    /// value, white space at the end of the URL is percent-encoded, too.
    case address
    /// A text on every page of a document.
    case runningLine
  }

  enum Part: Sendable, Equatable {
    case text(String)
    case field(String, FieldStyle)
  }

  /// The form of a field's value, and the replacements for a missing value.
  struct FieldStyle: Sendable, Equatable {
    /// The minimum number of digits, with leading zeros.
    var digits = 0
    /// The pattern of a date; nil to write the value unchanged.
    var datePattern: String?
    /// The text for pictures without the value.
    var otherwise: String?
    /// The number of digits of a digest.
    var hashDigits = HashedName.allDigits
    /// The alternatives for pictures that lack the first field, in order of preference.
    var others: [Alternative] = []
  }

  struct Alternative: Sendable, Equatable {
    let name: String
    let style: FieldStyle
  }

  static let numbers = ["index", "width", "height"] + pageFields
  static let fields =
    ["stem", "name", "label", "ext", "folder", "index", "width", "height", dateField] + PictureFields.texts
  /// The field for the moment when the picture was taken.
  static let dateField = "date"
  static let pageFields = ["page", "pages"]
  /// The field for the name of a picture's group, in documents with groups.
  static let groupField = "section"

  private(set) var parts: [Part]
  /// The language of dates.
  private let locale: TimeLocale

  /// - Parameters:
  ///   - locale: the language of dates.
  ///   - hasGroups: whether the pictures are in groups, so that `{section}` is allowed.
  package init(_ template: String, use: Use = .path, locale: TimeLocale = .english, hasGroups: Bool = false)
    throws(TemplateError)
  {
    self.locale = locale
    var parts: [Part] = []
    // Scalars instead of characters, because a brace and a combining mark after it form one character.
    var text = String.UnicodeScalarView()
    var rest = template.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if (scalar == "{" || scalar == "}") && rest.first == scalar {
        text.append(scalar)
        rest.removeFirst()
      } else if scalar == "{" {
        guard let end = rest.firstIndex(of: "}") else { throw .unclosed }
        if !text.isEmpty { parts.append(.text(String(text))) }
        text = String.UnicodeScalarView()
        parts.append(try Self.field(Substring(rest[..<end]), use, hasGroups: hasGroups))
        rest = rest[rest.index(after: end)...]
      } else {
        text.append(scalar)
      }
    }
    if !text.isEmpty { parts.append(.text(String(text))) }
    self.parts = parts
    let afterHash = parts.drop { !$0.isHash }
    if afterHash.contains(where: { if case .text(let text) = $0 { text.contains("/") } else { false } }) {
      throw .hashInFolder
    }
  }

  /// Whether the name is known only when the file is complete.
  package var hasHash: Bool { parts.contains(where: \.isHash) }

  private static func field(_ text: Substring, _ use: Use, hasGroups: Bool) throws(TemplateError) -> Part {
    let choices = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    let known =
      (use == .runningLine ? fields + pageFields : fields) + (hasGroups ? [groupField] : [])
      + (use == .path ? [HashedName.field] : [])
    var found: [Alternative] = []
    for piece in FieldName.pieces(choices[0], known) {
      let (name, pattern) = FieldName.halves(piece)
      if use == .picture, name == "index" { throw .noIndex }
      guard known.contains(name) || PictureFields.has(name) else {
        throw .unknownField(name, suggestion: Suggestion.nearest(to: name, in: known), valid: known)
      }
      if name.hasPrefix("iptc."), IPTCNames.name(meaning: String(name.dropFirst(5))) == nil {
        throw .unknownIPTC(
          name, suggestion: Suggestion.nearest(to: String(name.dropFirst(5)), in: IPTCNames.all + IPTCNames.firstWords))
      }
      var style = FieldStyle()
      if let pattern { try style.read(pattern, of: name) }
      found.append(Alternative(name: name, style: style))
    }
    if found.count > 1,
      let alone = found.first(where: { (pageFields + [groupField, HashedName.field]).contains($0.name) })
    {
      throw .notAmongOthers(alone.name)
    }
    var style = found[0].style
    style.others = Array(found.dropFirst())
    if choices.count > 1 { style.otherwise = String(choices[1]) }
    return .field(found[0].name, style)
  }

  /// Returns the template for a group's pictures, with the group's name filled in.
  package func inGroup(_ name: String?) -> NameTemplate {
    guard let name else { return self }
    var result = self
    result.parts = parts.map { part in
      if case .field(Self.groupField, _) = part { .text(name) } else { part }
    }
    return result
  }

  /// Whether the template has the field for the group's name.
  package var namesGroup: Bool { parts.contains { if case .field(Self.groupField, _) = $0 { true } else { false } } }

  /// Returns the first field, with its braces, in a text that is not a template; nil if there is none.
  package static func firstField(in text: String) -> String? {
    for part in text.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
      guard let end = part.firstIndex(of: "}") else { continue }
      let name = String(part[..<end].prefix { $0 != ":" && $0 != "|" && $0 != "," })
      if (fields + pageFields).contains(name) || PictureFields.has(name) { return "{\(part[..<end])}" }
    }
    return nil
  }

  /// Whether the text may differ from picture to picture.
  var hasFields: Bool { parts.contains { if case .field = $0 { true } else { false } } }

  /// Whether filling in the template requires the header of a picture.
  var needsHeader: Bool {
    parts.contains { part in
      part.names.contains { $0 == "width" || $0 == "height" || $0 == Self.dateField || PictureFields.has($0) }
    }
  }

  /// Whether the template ends in a field, so that each picture may have another format.
  var endsInField: Bool { if case .field? = parts.last { true } else { false } }

  /// Returns the text for one picture.
  ///
  /// - Parameters:
  ///   - info: may be nil if `needsHeader` is false.
  ///   - index: the value of `{index}`: the picture's position in its request, from 1.
  package func text(
    for picture: Picture, info: Picture.Info?, index: Int, use: Use = .path
  ) throws(TemplateError) -> String {
    if use == .path { return try fileName(for: picture, info: info, index: index).path }
    var result = ""
    let fields = PictureFields(picture, info)
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .field(let name, let style):
        let value = try value(name, style, fields, picture, info, index)
        switch use {
        case .address: result += AddressPart.encoded(value)
        case .path, .caption, .picture, .runningLine: result += PathBytes.readable(value)
        }
      }
    }
    return use == .address && endsInField ? AddressPart.withEncodedEnd(result) : result
  }

  /// The text with a harmless value in every field. Anything that is wrong with this text is wrong with the template
  /// itself.
  package var ordinaryText: String {
    parts.enumerated().map { place, part in
      switch part {
      case .text(let text): text
      // A metadata field at the beginning may contain the scheme of the URL.
      case .field: place == 0 && part.names.contains(where: PictureFields.has) ? "https://x" : "x"
      }
    }.joined()
  }

  /// Returns the value of the first of a field and its alternatives that the picture has, or else the replacement text.
  ///
  /// - Parameter isReadable: whether exposure times are formatted for people.
  func value(
    _ name: String, _ style: FieldStyle, _ fields: PictureFields, _ picture: Picture, _ info: Picture.Info?,
    _ index: Int, isReadable: Bool = false
  ) throws(TemplateError) -> String {
    guard !style.others.isEmpty else {
      return try single(name, style, fields, picture, info, index, isReadable: isReadable)
    }
    var first = style
    (first.others, first.otherwise) = ([], nil)
    let all = [Alternative(name: name, style: first)] + style.others
    for field in all {
      let found = try? single(field.name, field.style, fields, picture, info, index, isReadable: isReadable)
      if let found, !found.allSatisfy(\.isWhitespace) { return found }
    }
    guard let otherwise = style.otherwise else { throw .none(of: all.map(\.name)) }
    return otherwise
  }

  private func single(
    _ name: String, _ style: FieldStyle, _ fields: PictureFields, _ picture: Picture, _ info: Picture.Info?,
    _ index: Int, isReadable: Bool
  ) throws(TemplateError) -> String {
    func padded(_ number: Int) -> String { RunningText.padded(number, digits: style.digits) }
    let file = picture.origin
    switch name {
    case "stem": return file?.stem ?? ""
    case "name": return file?.name ?? ""
    case "label": return file?.label ?? ""
    case "ext": return PathName.fileExtension(file?.path ?? "")
    case "folder": return file?.folderName ?? ""
    case "index": return padded(index)
    case Self.groupField: return ""
    default: break
    }
    guard let info else { preconditionFailure("a template that needs the header got none") }
    switch name {
    case "width": return padded(info.layout.width)
    case "height": return padded(info.layout.height)
    case Self.dateField:
      guard let date = PictureDate(fields.metadata) else {
        guard let otherwise = style.otherwise else { throw .noDate }
        return otherwise
      }
      return style.datePattern.map { date.text($0, locale) } ?? date.day
    default:
      let field = name.hasPrefix("exif.") ? String(name.dropFirst("exif.".count)) : nil
      guard let value = fields.value(name) else {
        if let otherwise = style.otherwise { return otherwise }
        if let field { throw .noSuchEXIF(field) }
        throw .none(of: [name])
      }
      guard let pattern = style.datePattern else {
        let text = value.text
        return isReadable && field == "ExposureTime" ? Double(text).map(Self.exposure) ?? text : text
      }
      // `info` cannot be used: the facts kept for planning may lack the time zone.
      let offset = field.flatMap {
        DateText.needsZone(pattern) ? PictureDate.offset(of: $0, fields.metadata.exif) : nil
      }
      let written = DateText.text(value.text, offset: offset, pattern: pattern, locale: locale)
      guard let text = written ?? style.otherwise else {
        throw .notADate(field ?? name, value: value.text)
      }
      return text
    }
  }
}

extension NameTemplate.FieldStyle {
  /// Reads the style after a field's colon: the minimum number of digits, the number of digits of a digest, or the
  /// pattern of a date.
  fileprivate mutating func read(_ text: String, of field: String) throws(NameTemplate.TemplateError) {
    if NameTemplate.numbers.contains(field), !text.isEmpty, text.count <= 9,
      text.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(text)
    {
      digits = min(20, count)
    } else if field == HashedName.field {
      hashDigits = try HashedName.digits(text)
    } else if field == NameTemplate.dateField || PictureFields.blocks.contains(where: field.hasPrefix),
      text.contains("%")
    {
      if let wrong = DateText.wrongConversion(in: text) { throw .unknownConversion(field: field, wrong) }
      datePattern = text
    } else {
      throw .unknownStyle(field: field, text)
    }
  }
}

extension NameTemplate.TemplateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownField(let name, let suggestion, let valid):
      "unknown field '{\(name)}'" + (suggestion.map { " (did you mean '{\($0)}'?)" } ?? "")
        + "; valid: " + valid.map { "{\($0)}" }.joined(separator: ", ")
        + ", {exif.NAME}, {xmp.NAME}, {iptc.NAME}"
        + (name == HashedName.field ? "; {hash} is for the names of files" : "")
        + (NameTemplate.pageFields.contains(name)
          ? "; {page} and {pages} are for 'header', 'footer' and 'page_number'" : "")
        + (name == NameTemplate.groupField
          ? "; {section} is for books of groups: img.book(path, photos:group_by(\"day\"), …)" : "")
    case .unclosed: "a '{' is not closed; write '{{' for a brace"
    case .noDate: "the picture does not say when it was taken; {date|text} gives a text instead"
    case .noFile(let name):
      "a picture that comes from no file has no {\(name)}; use {index} or a name of your own"
    case .noIndex:
      "a text on a picture has no {index}; number the pictures in the script: for i, photo in ipairs(photos) do"
    case .hashInFolder: "{hash} is known when the file is complete, and names no folder; move it behind the last '/'"
    case .noSuchEXIF(let name):
      "the picture has no EXIF field '\(name)'; {exif.\(name)|text} gives a text instead"
    case .none(let names):
      "the picture has no \(FieldName.words(names)); {\(names.joined(separator: ","))|text} gives a text instead"
    case .unknownIPTC(let name, let suggestion):
      "unknown field '{\(name)}'" + (suggestion.map { " (did you mean '{iptc.\($0)}'?)" } ?? "") + "; valid: "
        + IPTCNames.all.map { "{iptc.\($0)}" }.joined(separator: ", ")
    case .notAmongOthers(let name): "{\(name)} is no field of a picture and stands alone, without commas"
    case .notADate(let name, let value):
      "the \(FieldName.words([FieldName.whole(name)])) is '\(value)', which is not a date; "
        + "{\(FieldName.whole(name)):…|text} gives a text instead"
    case .unknownConversion(let field, let conversion):
      "{\(field)} has the unknown date conversion '\(conversion)'; valid: "
        + DateText.conversions.map { "%\($0)" }.joined(separator: " ")
        + ", and with a flag such as %-d and %^b"
    case .unknownStyle(let field, let text): "{\(field)} cannot have ':\(text)'; " + Self.styles(of: field)
    }
  }

  /// Returns the end of a message, about the styles that a field accepts.
  private static func styles(of field: String) -> String {
    if field == HashedName.field { return "it takes a number of digits from 1 to \(HashedName.allDigits): {hash:8}" }
    if NameTemplate.numbers.contains(field) { return "a number takes its least digits: {\(field):3}" }
    if field == NameTemplate.dateField || PictureFields.blocks.contains(where: field.hasPrefix) {
      return "a date takes a pattern: {\(field):%d.%m.%Y}"
    }
    return "it takes nothing: {\(field)}"
  }
}

extension NameTemplate.Part {
  /// The names of the part's field and of its alternatives; empty for a text.
  var names: [String] {
    if case .field(let name, let style) = self { [name] + style.others.map(\.name) } else { [] }
  }

  var isHash: Bool { if case .field(HashedName.field, _) = self { true } else { false } }
}

extension MetadataValue {
  /// The value as text.
  package var text: String {
    switch self {
    case .text(let text): text
    case .integer(let value): String(value)
    case .number(let value): ParameterValue.text(value)
    case .numbers(let values): values.map(ParameterValue.text).joined(separator: " ")
    case .texts(let texts): texts.joined(separator: ", ")
    }
  }
}
