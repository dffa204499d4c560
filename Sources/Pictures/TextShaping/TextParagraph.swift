import CText

/// A paragraph as Pango laid it out.
struct TextParagraph {
  /// The lines, with baselines relative to the paragraph's top.
  let lines: [TextLine]
  let height: Double
  /// The distance from the paragraph's top to the top of the next paragraph.
  let pitch: Double
  let width: Double
  let wholeLineCount: Int
  /// The text that is drawn, with an ellipsis if it was shortened.
  let text: String
  /// The missing characters, and their byte ranges in the paragraph.
  let missing: [(character: MissingCharacter, range: Range<Int>)]

  /// - Parameters:
  ///   - bytes: the paragraph's UTF-8.
  ///   - width: the width in which lines are aligned; may be infinite.
  init(
    _ raw: CTextLayout, _ bytes: [UInt8], alignment: TextAlignment, width: Double, use: TextLayouter.Use,
    face: (CTextRun) throws(TextError) -> FontFace
  ) throws(TextError) {
    var reader = ClusterReader(bytes: bytes, use: use)
    var lines: [TextLine] = []
    for index in 0..<raw.line_count {
      let line = raw.lines[index]
      var runs: [GlyphRun] = []
      var texts: [(start: Int, text: String)] = []
      for number in Int(line.first_run)..<Int(line.first_run + line.run_count) {
        let run = raw.runs[number]
        let glyphs = UnsafeBufferPointer(start: raw.glyphs + Int(run.first_glyph), count: Int(run.glyph_count))
        runs.append(reader.run(run, glyphs, face: try face(run), &texts))
      }
      let room = width.isFinite ? width - line.width : 0
      lines.append(
        TextLine(
          text: texts.sorted { $0.start < $1.start }.map(\.text).joined(),
          left: room * alignment.fractionBefore(isRightToLeft: line.is_right_to_left != 0), baseline: line.baseline,
          width: line.width, runs: runs.filter { !$0.clusters.isEmpty }))
    }
    self.lines = lines
    text = lines.map(\.text).joined()
    self.width = raw.width
    height = raw.height
    pitch = raw.pitch
    wholeLineCount = raw.whole_line_count
    missing = reader.missing
  }
}

/// Collects the clusters and missing characters of a paragraph.
private struct ClusterReader {
  let bytes: [UInt8]
  var missing: [(character: MissingCharacter, range: Range<Int>)] = []

  private let use: TextLayouter.Use

  init(bytes: [UInt8], use: TextLayouter.Use) { (self.bytes, self.use) = (bytes, use) }

  /// Returns a run with its clusters, and records their texts and offsets.
  mutating func run(
    _ run: CTextRun, _ glyphs: UnsafeBufferPointer<CTextGlyph>, face: FontFace,
    _ texts: inout [(start: Int, text: String)]
  ) -> GlyphRun {
    var clusters: [GlyphCluster] = []
    var first = 0
    while first < glyphs.count {
      var end = first + 1
      while end < glyphs.count, run.is_ellipsis != 0 || glyphs[end].start == glyphs[first].start { end += 1 }
      let start = Int(glyphs[first].start)
      let range = (start..<max(start, Int(glyphs[first].end))).clamped(to: 0..<bytes.count)
      let text = run.is_ellipsis != 0 ? "…" : String(decoding: bytes[range], as: UTF8.self)
      let part = UnsafeBufferPointer(rebasing: glyphs[first..<end])
      texts.append((start, text))
      // If the ellipsis has no glyph, the bytes that it replaces must not be reported as missing characters.
      let noted = run.is_ellipsis != 0 ? range.lowerBound..<range.lowerBound : range
      if !note(part, text, noted, face) {
        let placed = part.filter { $0.glyph != UInt32(ctext_empty) }
        if !placed.isEmpty {
          clusters.append(
            GlyphCluster(text: text, glyphs: placed.map { PlacedGlyph(glyph: UInt16($0.glyph), x: $0.x, y: $0.y) }))
        }
      }
      first = end
    }
    return GlyphRun(
      face: face, size: run.size, slant: run.slant, isEmboldened: run.is_emboldened != 0,
      isRightToLeft: run.is_right_to_left != 0,
      clusters: run.is_right_to_left != 0
        ? clusters : Self.joined(clusters) { face.advance($0.glyph) * run.size / 1_000 })
  }

  /// Joins diacritics with their letters. Otherwise, PDF readers that sort letters by position would take a diacritic
  /// above, below or over a letter for a separate line or word. Right-to-left text stays unchanged, because PDF readers
  /// reverse it.
  private static func joined(_ clusters: [GlyphCluster], advance: (PlacedGlyph) -> Double) -> [GlyphCluster] {
    var result: [GlyphCluster] = []
    for cluster in clusters {
      if let last = result.last, cluster.beginsWithMark, cluster.isDrawn(on: last, advance: advance) {
        result[result.count - 1] = last.joined(with: cluster)
      } else {
        result.append(cluster)
      }
    }
    return result
  }

  /// Returns whether a cluster cannot be drawn. If so, its character is recorded as missing, unless it is white space.
  private mutating func note(
    _ glyphs: UnsafeBufferPointer<CTextGlyph>, _ text: String, _ range: Range<Int>, _ face: FontFace
  ) -> Bool {
    var reason: MissingCharacter.Reason?
    for glyph in glyphs where glyph.glyph != UInt32(ctext_empty) {
      if glyph.glyph == 0 || glyph.glyph > 0xffff {
        reason = .noFont
      } else if let problem = use == .pictures ? face.isDrawable ? nil : .noOutlines : face.problem {
        reason = use == .pictures ? .noOutlines(face.name) : .font(face.name, problem)
      }
    }
    guard let reason else { return false }
    if let scalar = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) {
      missing.append((MissingCharacter(character: scalar, reason: reason), range))
    }
    return true
  }
}

extension GlyphCluster {
  /// Returns whether the cluster's glyphs are above, below or over those of a letter.
  fileprivate func isDrawn(on letter: GlyphCluster, advance: (PlacedGlyph) -> Double) -> Bool {
    let (first, last) = (glyphs[0], letter.glyphs[letter.glyphs.count - 1])
    return first.y != letter.glyphs[0].y || first.x < last.x + advance(last) * 0.99
  }

  /// Whether the cluster starts with a combining mark, which belongs to the preceding letter.
  fileprivate var beginsWithMark: Bool {
    switch text.unicodeScalars.first?.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}

extension TextAlignment {
  /// Returns the fraction of the free width that is to the left of a line.
  package func fractionBefore(isRightToLeft: Bool) -> Double {
    switch self {
    case .left: 0
    case .centre: 0.5
    case .right: 1
    case .start, .justify: isRightToLeft ? 1 : 0
    case .end: isRightToLeft ? 0 : 1
    }
  }
}
