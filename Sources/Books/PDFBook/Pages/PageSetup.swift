import ImageCore

/// How a picture fills its area on the page.
package enum PageFit: String, Sendable, Hashable, CaseIterable {
  /// The whole picture, in proportion and centred.
  case inside
  /// In proportion, covering the whole area. The rest is clipped but stays in the file.
  case cover
  /// The same as `inside`; the name that `resize` uses.
  case contain
  /// Stretched to the area, out of proportion.
  case fill
}

/// Distances from a page's edges, in points.
package struct PageMargins: Sendable, Hashable {
  package var top, right, bottom, left: Double

  package init(top: Double = 0, right: Double = 0, bottom: Double = 0, left: Double = 0) {
    (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
  }
}

/// The paper and margins of pages, and how pictures lie on them.
package struct PageSetup: Sendable, Hashable {
  /// The size of the paper in points; nil for pages as large as their picture with margins and caption.
  package var paper: PageSize?
  /// The orientation of the paper. Ignored without a paper.
  package var orientation: PageOrientation
  package var margins: PageMargins
  package var fit: PageFit
  /// Whether a picture may be shown larger than its resolution makes it.
  package var enlarge = true
  /// Whether a picture may be shown smaller than its resolution makes it.
  package var reduce = true
  /// Pixels per inch for pages as large as their picture, and for the unit px. Nil for the file's resolution,
  /// or 96 without one, as in img2pdf.
  package var dpi: Double?
  package var background: Colour?
  package var captions = CaptionOptions()

  package init(
    paper: PageSize? = nil, orientation: PageOrientation = .auto, margins: PageMargins = PageMargins(),
    fit: PageFit = .inside, dpi: Double? = nil, background: Colour? = nil
  ) {
    self.paper = paper
    self.orientation = orientation
    self.margins = margins
    self.fit = fit
    self.dpi = dpi
    self.background = background
  }

  /// The resolution if neither the options nor the file state one.
  package static let defaultDPI = 96.0

  /// Creates a page setup from arguments that `BookParameters.all` has checked.
  ///
  /// - Throws: every mistake that a descriptor cannot find.
  package init(_ arguments: Arguments) throws(PageSetupErrors) {
    self.init(
      orientation: PageOrientation(rawValue: arguments.text("orientation"))!,
      fit: PageFit(rawValue: arguments.text("fit"))!, dpi: arguments.optionalNumber("dpi"),
      background: arguments.optionalColour("background")?.onPaper)
    captions = CaptionOptions(arguments)
    enlarge = arguments.boolean("enlarge")
    reduce = arguments.boolean("reduce")
    var errors: [PageSetupError] = []
    do { try setPaper(arguments.text("paper")) } catch { errors.append(error) }
    do { try setMargins(arguments.text("margin")) } catch { errors.append(error) }
    guard errors.isEmpty else { throw PageSetupErrors(errors: errors) }
  }

  /// Parses the option `paper`.
  package mutating func setPaper(_ text: String) throws(PageSetupError) {
    guard text.lowercased() != "picture" else {
      paper = nil
      return
    }
    let (size, word, direction) = try PaperSize.parse(text, dpi: dpi ?? Self.defaultDPI)
    if let word, word != .auto, orientation != .auto, orientation != word {
      throw .twoOrientations(paper: text, orientation: orientation.rawValue)
    }
    paper = size
    if orientation == .auto { orientation = word ?? direction }
  }

  /// Parses one length for all sides, two (top and bottom, left and right) or four (top, right, bottom, left).
  package mutating func setMargins(_ text: String) throws(PageSetupError) {
    let lengths = try Length.list(text, option: "margin", dpi: dpi ?? Self.defaultDPI)
    switch lengths.count {
    case 1:
      margins = PageMargins(top: lengths[0], right: lengths[0], bottom: lengths[0], left: lengths[0])
    case 2:
      margins = PageMargins(top: lengths[0], right: lengths[1], bottom: lengths[0], left: lengths[1])
    case 4:
      margins = PageMargins(top: lengths[0], right: lengths[1], bottom: lengths[2], left: lengths[3])
    default: throw .marginCount(lengths.count)
    }
  }
}
