import BookExpectations
import ImageCore

/// The settings for viewers that open the book (PDF 32000-1:2008, 7.7.2, 12.2, 12.3.2).
package struct DocumentView: Sendable, Hashable {
  /// The arrangement of pages in the viewer, named as in img2pdf.
  package enum PageLayout: String, Sendable, Hashable, CaseIterable {
    case auto, single
    case oneColumn = "one-column"
    case twoColumnLeft = "two-column-left"
    case twoColumnRight = "two-column-right"
    case twoPageLeft = "two-page-left"
    case twoPageRight = "two-page-right"

    var name: String? {
      switch self {
      case .auto: nil
      case .single: "SinglePage"
      case .oneColumn: "OneColumn"
      case .twoColumnLeft: "TwoColumnLeft"
      case .twoColumnRight: "TwoColumnRight"
      case .twoPageLeft: "TwoPageLeft"
      case .twoPageRight: "TwoPageRight"
      }
    }
  }

  /// The panel that is shown next to the pages.
  package enum Panes: String, Sendable, Hashable, CaseIterable {
    case auto, none, outlines, thumbnails, fullscreen

    var name: String? {
      switch self {
      case .auto: nil
      case .none: "UseNone"
      case .outlines: "UseOutlines"
      case .thumbnails: "UseThumbs"
      case .fullscreen: "FullScreen"
      }
    }
  }

  /// The zoom of the page that is opened first.
  package enum Zoom: Sendable, Hashable {
    case auto
    /// The whole page.
    case fit
    /// The page is as wide, or as high, as the window.
    case fitWidth, fitHeight
    /// A factor; 1 shows the page in its own size.
    case scale(Double)

    /// Parses `auto`, `fit`, `fit-width`, `fit-height` or a percentage such as `150%`.
    init?(_ text: String) {
      switch text {
      case "auto": self = .auto
      case "fit": self = .fit
      case "fit-width": self = .fitWidth
      case "fit-height": self = .fitHeight
      default:
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 1, percent <= 6_400
        else { return nil }
        self = .scale(percent / 100)
      }
    }
  }

  package enum Direction: String, Sendable, Hashable, CaseIterable {
    case leftToRight = "left-to-right"
    case rightToLeft = "right-to-left"
  }

  package var layout = PageLayout.auto
  package var panes = Panes.auto
  package var zoom = Zoom.auto
  /// The number of the page that is opened first, from 1.
  package var firstPage = 1
  package var fitsWindow = false
  package var centresWindow = false
  /// The direction in which a reader turns the pages.
  package var direction = Direction.leftToRight
  /// Whether the window's title is the document's title instead of the file name.
  package var showsTitle = false

  package init() {}

  /// Returns the catalogue's entries for these settings.
  ///
  /// - Parameter page: the object of the page `firstPage`; nil if the book has fewer pages.
  func entries(firstPageObject page: Int?) -> String {
    var text = layout.name.map { "/PageLayout/\($0)" } ?? ""
    text += panes.name.map { "/PageMode/\($0)" } ?? ""
    let preferences = preferences.map { "/\($0)\($1.hasPrefix("/") ? "" : " ")\($1)" }.joined()
    if !preferences.isEmpty { text += "/ViewerPreferences<<\(preferences)>>" }
    guard let page, opensSomewhere else { return text }
    let place =
      switch zoom {
      case .auto: "/XYZ null null null"
      case .fit: "/Fit"
      case .fitWidth: "/FitH null"
      case .fitHeight: "/FitV null"
      case .scale(let scale): "/XYZ null null \(PDFNumber.text(scale))"
      }
    return text + "/OpenAction[\(page) 0 R\(place)]"
  }

  /// Returns the entries that `imghost-verify` checks.
  ///
  /// - Parameter isThere: whether the page `firstPage` exists.
  func expectation(hasFirstPage isThere: Bool) -> [DocumentExpectation.Entry] {
    var entries: [DocumentExpectation.Entry] = []
    if isThere, opensSomewhere {
      let (kind, numbers): (String, [Double]) =
        switch zoom {
        case .auto: ("XYZ", [])
        case .fit: ("Fit", [])
        case .fitWidth: ("FitH", [])
        case .fitHeight: ("FitV", [])
        case .scale(let scale): ("XYZ", [scale])
        }
      entries.append(.init("OpenAction", DocumentExpectation.opening(page: firstPage, kind: kind, numbers: numbers)))
    }
    if let name = layout.name { entries.append(.init("PageLayout", name)) }
    if let name = panes.name { entries.append(.init("PageMode", name)) }
    if !preferences.isEmpty {
      let words = preferences.map { "\($0) \($1.drop { $0 == "/" })" }.sorted()
      entries.append(.init("ViewerPreferences", words.joined(separator: ", ")))
    }
    return entries
  }

  private var opensSomewhere: Bool { firstPage > 1 || zoom != .auto }

  /// The viewer preferences (12.2): names and values in PDF's syntax.
  private var preferences: [(String, String)] {
    (fitsWindow ? [("FitWindow", "true")] : []) + (centresWindow ? [("CenterWindow", "true")] : [])
      + (showsTitle ? [("DisplayDocTitle", "true")] : [])
      + (direction == .rightToLeft ? [("Direction", "/R2L")] : [])
  }
}
