import BookExpectations
import TextShaping

/// A content stream for texts that can only be written when the book is complete, such as "page 3 of 40".
package struct DeferredTexts: Sendable, Hashable {
  /// The object of the content stream.
  let object: Int
  /// The size of the page's unit in points.
  let unit: Double
}

extension PDFWriter {
  /// The fonts of the book's texts. Embedded font files are written at the end.
  struct Fonts {
    var table = FontTable()
    /// The object of Helvetica; nil until it is written.
    var helvetica: Int?
    /// The object of the font dictionary to which pages refer; nil until a page needs it.
    var dictionary: Int?
    /// The expectations of the fonts that have been written.
    var expectations: [FontExpectation] = []
  }

  /// Reserves a content stream on a page of this size. The page must refer to it in `addPage`, and `write` must be
  /// called before `finish`.
  package func reserveTexts(onPageOf size: PageSize) -> DeferredTexts {
    DeferredTexts(object: objects.reserve(), unit: size.userUnit)
  }

  /// Writes a reserved content stream; called once for each stream. In a tagged book, the texts must be headers or
  /// footers.
  package func write(_ texts: [PlacedText], as place: DeferredTexts) throws(PDFError) {
    var marks = MarkedContent(isOn: settings.isTagged)
    let bytes = printed(draw(texts, unit: place.unit, marks: &marks)).bytes
    precondition(marks.meanings.isEmpty, "a text that is written later is part of the structure")
    expectations.complete(place.object, bytes)
    try writePacked(bytes, as: place.object)
  }

  /// Returns the content that shows texts, and records the glyphs that they use.
  ///
  /// - Parameter marks: receives the marked content of each text.
  func draw(_ texts: [PlacedText], unit: Double, marks: inout MarkedContent) -> UTF8Text {
    var content = UTF8Text()
    guard !texts.isEmpty else { return content }
    var table = fonts.table
    // Taking the table out of the property avoids a copy on the first change.
    fonts.table = FontTable()
    defer { fonts.table = table }
    for text in texts {
      content += marks.mark(UTF8Text(text.content(unit: unit, fonts: &table) { objects.reserve() }), of: text)
    }
    return content
  }

  /// Returns content with its colours converted by `inks`; unchanged without `inks`.
  func printed(_ content: UTF8Text) -> UTF8Text {
    inks.map { UTF8Text($0.applied(to: String(content))) } ?? content
  }

  /// Returns a page's font resources: only Helvetica, or a reference to the dictionary of all the book's fonts, which
  /// is written at the end; nil if the page has no text.
  func fontResources(of page: PDFPage) throws(PDFError) -> String? {
    let helvetica = page.captions.isEmpty ? nil : try writeHelvetica()
    guard page.texts.isEmpty && page.deferredTexts == nil else {
      let dictionary = fonts.dictionary ?? objects.reserve()
      fonts.dictionary = dictionary
      return " \(dictionary) 0 R"
    }
    return helvetica.map { "<</F \($0) 0 R>>" }
  }

  private func writeHelvetica() throws(PDFError) -> Int {
    if let known = fonts.helvetica { return known }
    let object = objects.reserve()
    try write(
      object, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    fonts.helvetica = object
    return object
  }

  /// Writes the subset of each font, and the dictionary that names the fonts.
  func writeFonts() throws(PDFError) {
    guard let dictionary = fonts.dictionary else { return }
    for font in fonts.table.fonts { try write(font) }
    let helvetica = fonts.helvetica.map { "/F \($0) 0 R" } ?? ""
    try write(dictionary, "<<\(helvetica)\(fonts.table.resources)>>")
  }

  private func write(_ font: EmbeddedFont) throws(PDFError) {
    let program: EmbeddedFont.Program
    do throws(TextError) {
      program = try font.program()
    } catch {
      throw .text(error)
    }
    fonts.expectations.append(program.expectation(font.face.name, font.face.metrics))
    let file = try writePacked(
      program.file, program.isCFF ? "/Subtype/CIDFontType0C" : "/Length1 \(program.file.count)")
    let codeSet = try writePacked(program.codeSet)
    let glyphMap = program.glyphMap.isEmpty ? nil : try writePacked(program.glyphMap)
    let toUnicode = try writePacked(Array(program.toUnicode.utf8))
    let descriptor = objects.reserve()
    try write(descriptor, program.descriptor(font.face.metrics, file: file, codeSet: codeSet))
    let descendant = objects.reserve()
    try write(descendant, program.descendant(descriptor: descriptor, glyphMap: glyphMap))
    try write(font.object, program.composite(descendant: descendant, toUnicode: toUnicode))
  }

  /// Writes a compressed stream as a reserved object or, for nil, as a new one, and returns the object.
  @discardableResult
  func writePacked(_ bytes: [UInt8], _ entries: String = "", as object: Int? = nil) throws(PDFError) -> Int {
    let packed = Deflater.compress(bytes, level: 9)
    return try writeStream(
      object ?? objects.reserve(), "<<\(entries)/Filter/FlateDecode/Length \(packed.count)>>", packed)
  }
}
