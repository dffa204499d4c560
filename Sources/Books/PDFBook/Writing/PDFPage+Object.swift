import ImageCore

extension PDFPage {
  /// The lowest version of PDF that supports everything on the page.
  var version: PDFVersion {
    let pictures = placements.map(\.picture.version).max() ?? .v14
    return size.userUnit > 1 ? max(.v16, pictures) : pictures
  }

  /// The graphics states of everything that is painted partly transparent.
  private var graphicsStates: Set<GraphicsState> {
    let backgrounds = texts.compactMap(\.background) + deferredBackgrounds
    return Set(
      (under + over).compactMap(\.graphicsState)
        + backgrounds.filter { $0.alpha < 1 }.map { GraphicsState($0) })
  }

  /// Whether its content is long enough to be compressed.
  var isLong: Bool { (under + over).contains(where: \.isLong) }

  /// Whether the page has anything that is partly transparent.
  var isTranslucent: Bool { !graphicsStates.isEmpty }

  /// Returns the page dictionary (PDF 32000-1:2008, 7.7.3.3).
  ///
  /// - Parameters:
  ///   - contents: the content streams' object numbers.
  ///   - fonts: the font resources, a dictionary or a reference to one.
  func dictionary(parent: Int, contents: [Int], fonts: String?, tags: StructureTree.PageTags?) -> String {
    let unit = size.userUnit
    let pictures = placements.enumerated().map { index, placement in
      "/\(Self.pictureName(index)) \(placement.picture.object) 0 R"
    }
    var resources = pictures.isEmpty ? "" : "/XObject<<\(pictures.joined())>>"
    if let fonts { resources += "/Font\(fonts)" }
    let states = graphicsStates.sorted().map(\.resource).joined()
    if !states.isEmpty { resources += "/ExtGState<<\(states)>>" }
    let streams = contents.map { "\($0) 0 R" }.joined(separator: " ")
    return "<</Type/Page/Parent \(parent) 0 R"
      + "/MediaBox[0 0 \(PDFNumber.text([size.width / unit, size.height / unit]))]"
      + (unit > 1 ? "/UserUnit \(PDFNumber.text(unit))" : "")
      + (boxes?.entries(unit: unit) ?? "")
      + "/Resources<<\(resources)>>/Contents\(contents.count == 1 ? " \(streams)" : "[\(streams)]")"
      + (links.isEmpty ? "" : "/Annots[\(annotations(unit: unit, tags: tags))]")
      + (tags?.entries ?? "") + ">>"
  }

  /// Returns the page's annotations. In a tagged book they are objects of their own, because the structure
  /// refers to them.
  private func annotations(unit: Double, tags: StructureTree.PageTags?) -> String {
    tags.map { $0.annotations.map { "\($0) 0 R" }.joined(separator: " ") }
      ?? links.map { $0.dictionary(unit: unit) }.joined()
  }
}
