import BookExpectations
import ImageCore

extension PDFPage {
  /// The lowest version of PDF that supports everything on the page.
  var version: PDFVersion {
    let pictures = placements.reduce(PDFVersion.v14) { max($0, $1.picture.version) }
    return size.userUnit > 1 ? max(.v16, pictures) : pictures
  }

  /// The graphics states of everything that is painted partly transparent.
  private var graphicsStates: Set<GraphicsState> {
    // Most pages have nothing of it.
    if under.isEmpty, over.isEmpty, texts.isEmpty, deferredBackgrounds.isEmpty { return [] }
    let backgrounds = texts.compactMap(\.background) + deferredBackgrounds
    return Set(
      (under + over).compactMap(\.graphicsState)
        + backgrounds.filter { $0.alpha < 1 }.map { GraphicsState($0) })
  }

  /// Whether its content is long enough to be compressed.
  var isLong: Bool { (under + over).contains(where: \.isLong) }

  /// Whether the page has anything that is partly transparent.
  var isTranslucent: Bool { !graphicsStates.isEmpty || !masks.isEmpty }

  /// The soft masks of its shapes.
  var masks: Set<VeilMask> { over.isEmpty ? [] : Set(over.compactMap(\.mask)) }

  /// Appends the page dictionary (PDF 32000-1:2008, 7.7.3.3).
  ///
  /// - Parameters:
  ///   - content: the object of the content stream; that of deferred texts follows it.
  ///   - fonts: the font resources, a dictionary or a reference to one.
  ///   - masks: the soft masks by the names of their graphics states, with the objects of their forms.
  func appendDictionary(
    parent: Int, content: Int, fonts: String?, masks: [(name: String, object: Int)] = [], tags: StructureTree.PageTags?,
    to text: inout UTF8Text
  ) {
    let unit = size.userUnit
    // Appended piece by piece: a book may have a million of them.
    text.append("<</Type/Page/Parent ")
    text.append(parent)
    text.append(" 0 R/MediaBox[0 0 ")
    PDFNumber.append(size.width, size.height, unit: unit, to: &text)
    text.append("]")
    if unit > 1 { text += "/UserUnit \(PDFNumber.text(unit))" }
    if let boxes { text.append(string: boxes.entries(unit: unit)) }
    text.append("/Resources<<")
    if !placements.isEmpty {
      text.append("/XObject<<")
      for (index, placement) in placements.enumerated() {
        text.append("/")
        text.append(string: Self.pictureName(index))
        text.append(" ")
        text.append(placement.picture.object)
        text.append(" 0 R")
      }
      text.append(">>")
    }
    if let fonts { text += "/Font\(fonts)" }
    let states = graphicsStates
    if !states.isEmpty || !masks.isEmpty {
      let soft = masks.map { "/\($0.name)<</SMask<</S/Luminosity/G \($0.object) 0 R>>>>" }
      text += "/ExtGState<<\((states.sorted().map(\.resource) + soft).joined())>>"
    }
    text.append(">>/Contents")
    if let deferredTexts {
      text += "[\(content) 0 R \(deferredTexts.object) 0 R]"
    } else {
      text.append(" ")
      text.append(content)
      text.append(" 0 R")
    }
    if !links.isEmpty { text += "/Annots[\(annotations(unit: unit, tags: tags))]" }
    if let tags { text.append(string: tags.entries) }
    text.append(">>")
  }

  /// Returns the page's annotations. In a tagged book they are objects of their own, because the structure
  /// refers to them.
  private func annotations(unit: Double, tags: StructureTree.PageTags?) -> String {
    tags.map { $0.annotations.map { "\($0) 0 R" }.joined(separator: " ") }
      ?? links.map { $0.dictionary(unit: unit) }.joined()
  }
}
