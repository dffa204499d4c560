import BookExpectations
import ImageCore
import TextShaping

/// The fonts of one book, in the order of their first use.
struct FontTable {
  var fonts: [EmbeddedFont] = []
  private var indices: [ObjectIdentifier: Int] = [:]

  /// Returns the index of a font, which is also the number in its resource name `/T0`, `/T1`, …. A new font gets the
  /// object that `reserve` returns.
  mutating func index(_ face: FontFace, reserve: () -> Int) -> Int {
    if let index = indices[ObjectIdentifier(face)] { return index }
    fonts.append(EmbeddedFont(face, object: reserve()))
    indices[ObjectIdentifier(face)] = fonts.count - 1
    return fonts.count - 1
  }

  /// The entries of the fonts in a font resource dictionary.
  var resources: String { fonts.enumerated().map { "/T\($0) \($1.object) 0 R" }.joined() }
}

extension EmbeddedFont.Program {
  /// Returns the data that `imghost-verify` needs to check this font.
  func expectation(_ name: String, _ metrics: FontMetrics) -> FontExpectation {
    // `widths` has the form `/DW 500/W[3[250 333]7[600]]`.
    let numbers = widths.withoutKeys().split(separator: " ").map { word in
      Double(word).map(FontExpectation.width) ?? String(word)
    }
    return FontExpectation(
      name, program: file, glyphMap: glyphMap, widths: numbers, toUnicode: Array(toUnicode.utf8),
      entries: [
        compositeEntries,
        descendantEntries + [
          (
            "CIDSystemInfo",
            TagDigest.dictionary([
              ("Registry", TagDigest.text("Adobe")), ("Ordering", TagDigest.text("Identity")), ("Supplement", "0"),
            ])
          )
        ], descriptorEntries(metrics),
        [isCFF ? ("Subtype", "/CIDFontType0C") : ("Length1", "\(file.count)")],
      ].map { TagDigest.dictionary($0) }.joined(), codeSet: codeSet)
  }

  /// Entries that do not refer to another object. Names and numbers are in the form that `TagDigest` uses.
  private typealias Entries = [(key: String, value: String)]

  private static func text(_ entries: Entries) -> String {
    entries.map { key, value in
      let isPlain = value.first!.isNumber || value.first == "-"
      return "/\(key)\(isPlain ? " " : "")\(value)"
    }.joined()
  }

  private func descriptorEntries(_ metrics: FontMetrics) -> Entries {
    [
      ("Type", "/FontDescriptor"), ("FontName", "/\(name)"), ("Flags", "\(metrics.flags)"),
      ("FontBBox", "[\(PDFNumber.text(metrics.box))]"),
      ("ItalicAngle", PDFNumber.text(metrics.italicAngle)),
      ("Ascent", PDFNumber.text(metrics.ascent)), ("Descent", PDFNumber.text(metrics.descent)),
      ("CapHeight", PDFNumber.text(metrics.capHeight)), ("StemV", PDFNumber.text(metrics.stem)),
    ]
  }

  private var descendantEntries: Entries {
    [("Type", "/Font"), ("Subtype", isCFF ? "/CIDFontType0" : "/CIDFontType2"), ("BaseFont", "/\(name)")]
  }

  private var compositeEntries: Entries {
    [
      ("Type", "/Font"), ("Subtype", "/Type0"),
      ("BaseFont", "/\(name)\(isCFF ? "-Identity-H" : "")"), ("Encoding", "/Identity-H"),
    ]
  }

  /// Returns the font descriptor (PDF 32000-1:2008, 9.8).
  func descriptor(_ metrics: FontMetrics, file: Int, codeSet: Int) -> String {
    "<<\(Self.text(descriptorEntries(metrics)))"
      + "/CIDSet \(codeSet) 0 R/\(isCFF ? "FontFile3" : "FontFile2") \(file) 0 R>>"
  }

  /// Returns the CID font (9.7.4).
  func descendant(descriptor: Int, glyphMap: Int?) -> String {
    "<<\(Self.text(descendantEntries))"
      + "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
      + "/FontDescriptor \(descriptor) 0 R\(widths)"
      + (glyphMap.map { "/CIDToGIDMap \($0) 0 R" } ?? "") + ">>"
  }

  /// Returns the Type 0 font to which the font resources of pages refer (9.7.6).
  func composite(descendant: Int, toUnicode: Int) -> String {
    "<<\(Self.text(compositeEntries))" + "/DescendantFonts[\(descendant) 0 R]/ToUnicode \(toUnicode) 0 R>>"
  }
}

extension String {
  /// Returns the list of widths without the keys `/DW` and `/W`, and with spaces around its brackets.
  fileprivate func withoutKeys() -> String {
    var text = ""
    for character in self {
      switch character {
      case "/", "D", "W": text += " "
      case "[", "]": text += " \(character) "
      default: text.append(character)
      }
    }
    return text
  }
}
