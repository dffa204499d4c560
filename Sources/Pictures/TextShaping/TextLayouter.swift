import CText
import ImageCore
import Platform

/// Lays out texts in any script for which a font is installed.
///
/// The first layouter in a process, or the first use of `problem` or `fontSources`, loads Pango and HarfBuzz. A layouter
/// is used by one thread at a time; its results can be used by any thread.
///
/// `@unchecked Sendable`, because only the current owner of a layouter calls it, even if it has moved to another
/// thread.
package final class TextLayouter: @unchecked Sendable {
  /// The medium of a layouter's texts, which determines the fonts that may be used.
  package enum Use: Sendable {
    /// Books, which embed the fonts.
    case books
    /// Pictures, with sizes in pixels.
    case pictures
  }

  private let use: Use
  private let engine: OpaquePointer
  private var faces: [FaceKey: FontFace] = [:]
  private var descriptions: [String: String] = [:]
  private lazy var families = familyNames()

  private struct FaceKey: Hashable {
    let face: UnsafeMutableRawPointer
    let axes: [Float]
  }

  /// The reason why text cannot be laid out on this machine; nil if it can.
  package static var problem: TextError? {
    var missing: UnsafePointer<CChar>?
    guard ctext_load(&missing) != 0 else { return nil }
    return .noPango(missing: missing.map { String(cString: $0) } ?? "libpangoft2-1.0.so.0")
  }

  /// The paths of fontconfig's configuration files, and of the folders of fonts that they name. Without Pango, they are
  /// unknown, and the usual folders are returned, because plugins may draw texts nevertheless.
  package static var fontSources: (files: [String], folders: [String]) {
    guard problem == nil else { return ([], ["/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts"]) }
    var (fileCount, count) = (0, 0)
    let names = ctext_font_sources(&fileCount, &count)
    defer { ctext_free_names(names, count) }
    let paths = (0..<count).compactMap { names?[$0].map { PathBytes.text($0) } }
    return (Array(paths[..<fileCount]), Array(paths[fileCount...]))
  }

  package init(for use: Use = .books) throws(TextError) {
    self.use = use
    if let problem = Self.problem { throw problem }
    guard let engine = ctext_engine_create() else { throw .outOfMemory }
    self.engine = engine
  }

  deinit { ctext_engine_destroy(engine) }

  /// Returns an error if a font names families of which none is installed; otherwise nil.
  package func problem(withFont font: String) -> TextError? {
    let wanted = (Self.taken(ctext_family_of(description(font))) ?? "").split(separator: ",").map { Self.trimmed($0) }
    guard !wanted.isEmpty else { return nil }
    let generic = ["sans", "sans-serif", "serif", "monospace", "mono", "cursive", "fantasy", "system-ui"]
    let known = Set(families.map { $0.lowercased() } + generic)
    guard !wanted.contains(where: { known.contains($0.lowercased()) }) else { return nil }
    // Pango parses the end of 'Times New Roman' as a style.
    let name = font.hasPrefix(wanted[0] + " Roman") ? wanted[0] + " Roman" : wanted[0]
    let suggestion = Suggestion.nearest(to: name, in: families)
    return .noFont(
      name, suggestion: suggestion,
      substitute: suggestion == nil ? Self.taken(ctext_nearest_family(engine, name + ",")) : nil)
  }

  /// Returns a C string as a text, and frees it.
  private static func taken(_ name: UnsafeMutablePointer<CChar>?) -> String? {
    defer { ctext_free(name) }
    return name.map { String(cString: $0) }
  }

  /// Returns the description of a font in Pango's syntax. A comma prevents Pango from parsing the last words of a
  /// family, such as "Nimbus Roman", as a style.
  private func description(_ font: String) -> String {
    if font == TextStyle.defaultFont { return font }
    if let known = descriptions[font] { return known }
    let isFamily = families.contains { $0.lowercased() == font.lowercased() }
    descriptions[font] = isFamily ? font + "," : font
    return descriptions[font]!
  }

  private func familyNames() -> [String] {
    var count = 0
    let names = ctext_family_names(engine, &count)
    defer { ctext_free_names(names, count) }
    guard let names else { return [] }
    return (0..<count).compactMap { names[$0].map { String(cString: $0) } }.sorted()
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  // MARK: Layout

  /// Breaks a text into lines of at most `width` points, and finds the glyphs. A line feed, U+2028 or U+2029 starts a
  /// new paragraph. With an infinite width, nothing else starts a new line.
  ///
  /// Characters for which no usable font is installed are left out and listed in the block.
  package func layout(_ text: String, style: TextStyle, width: Double = .infinity) throws(TextError) -> TextBlock {
    if let problem = TextError.problem(with: text) { throw problem }
    var text = Self.withLineFeeds(text)
    var missing: [MissingCharacter] = []
    func block(_ layout: TextLayout) -> TextBlock {
      let block = layout.block(text, style, width: width, missing)
      return style.leading.map(block.leaded) ?? block
    }
    // Removing characters can change the fonts of other characters. The loop ends, because the text gets shorter.
    while true {
      let layout = try fitting(text, style, width)
      guard !layout.missing.isEmpty else { return block(layout) }
      for character in layout.missing.map(\.character) where !missing.contains(character) {
        missing.append(character)
      }
      let ranges = layout.missing.map(\.range).filter { !$0.isEmpty }
      guard !ranges.isEmpty else { return block(layout) }
      text = Self.without(ranges, text)
    }
  }

  /// Replaces Unicode's line and paragraph separators with line feeds.
  private static func withLineFeeds(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\u{2028}" || $0 == "\u{2029}" }) else { return text }
    let scalars = text.unicodeScalars.map { $0 == "\u{2028}" || $0 == "\u{2029}" ? "\n" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Removes byte ranges, which contain whole characters, from a text.
  private static func without(_ ranges: [Range<Int>], _ text: String) -> String {
    var bytes: [UInt8] = []
    var start = 0
    let all = Array(text.utf8)
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > start { bytes += all[start..<range.lowerBound] }
      start = max(start, range.upperBound)
    }
    return String(decoding: bytes + all[min(start, all.count)...], as: UTF8.self)
  }

  /// Lays out a text, with a smaller font size if the style's overflow requires it.
  private func fitting(_ text: String, _ style: TextStyle, _ width: Double) throws(TextError) -> TextLayout {
    let first = try layout(text, style, style.size, width)
    guard let allowed = style.maximumLines, first.wholeLineCount > allowed,
      style.overflow == .error || style.overflow == .shrink
    else { return first }
    let smallest = min(style.size, TextStyle.smallestSize)
    var lowest = style.overflow == .shrink ? smallest : style.size
    var best = style.overflow == .shrink ? try layout(text, style, smallest, width) : first
    guard best.wholeLineCount <= allowed else {
      throw .tooLong(text: text, lines: best.wholeLineCount, allowed: allowed)
    }
    // Finds the largest size that fits, to a hundredth of the style's size.
    var highest = style.size
    while highest - lowest > style.size / 100 {
      let middle = (lowest + highest) / 2
      let layout = try layout(text, style, middle, width)
      if layout.wholeLineCount <= allowed {
        (lowest, best) = (middle, layout)
      } else {
        highest = middle
      }
    }
    return best
  }

  private func layout(_ text: String, _ style: TextStyle, _ size: Double, _ width: Double)
    throws(TextError) -> TextLayout
  {
    try TextLayout(text, size: size, maximumLines: style.maximumLines) {
      (paragraph, lines) throws(TextError) in
      try set(paragraph, style, size, width, lines: lines)
    }
  }

  private func set(_ paragraph: String, _ style: TextStyle, _ size: Double, _ width: Double, lines: Int?)
    throws(TextError) -> TextParagraph
  {
    var request = CTextRequest()
    request.size = size
    request.width = width.isFinite ? max(0, width) : -1
    request.line_spacing = style.lineSpacing
    request.direction =
      switch style.direction {
      case .auto: 0
      case .ltr: 1
      case .rtl: 2
      }
    request.justifies = style.alignment == .justify ? 1 : 0
    request.maximum_lines = Int32(clamping: lines ?? 0)
    request.shortens_middle = style.overflow == .middle ? 1 : 0
    request.length = paragraph.utf8.count
    let language = style.language.isEmpty ? Self.language(of: paragraph) : style.language
    let raw = paragraph.withCString { text in
      description(style.font).withCString { font in
        language.withCString { language in
          (request.text, request.font, request.language) = (text, font, language)
          return ctext_layout_create(engine, &request)
        }
      }
    }
    guard let raw else { throw .outOfMemory }
    defer { ctext_layout_destroy(raw) }
    guard raw.pointee.lacks_fonts == 0 else { throw .noFonts }
    return try TextParagraph(
      raw.pointee, Array(paragraph.utf8), alignment: style.alignment, width: width, use: use
    ) { (run) throws(TextError) in try face(run) }
  }

  /// Returns the language tag `ja` for a text that contains kana, because its Han characters need Japanese glyphs;
  /// otherwise an empty text.
  private static func language(of text: String) -> String {
    text.unicodeScalars.contains { (0x3041...0x30ff).contains($0.value) } ? "ja" : ""
  }

  /// Returns the font of a run: the same object whenever face and axes are the same.
  private func face(_ run: CTextRun) throws(TextError) -> FontFace {
    let axes = withUnsafeBytes(of: run.axes) { axes in
      Array(axes.bindMemory(to: Float.self).prefix(Int(run.axis_count)))
    }
    let key = FaceKey(face: run.face, axes: axes)
    if let face = faces[key] { return face }
    guard let face = FontFace(face: run.face, axes: axes, hasMoreAxes: run.has_more_axes != 0) else {
      throw .outOfMemory
    }
    faces[key] = face
    return face
  }
}
