import ImageCore

/// The options of `book` for the whole document.
package enum DocumentParameters {
  /// The options in the order of the help.
  package static let all: [ParameterDescriptor] = [
    ParameterDescriptor("title", .text, default: .text(""), help: "title of the document"),
    ParameterDescriptor("author", .text, default: .text(""), help: "author of the document"),
    ParameterDescriptor("subject", .text, default: .text(""), help: "subject of the document"),
    ParameterDescriptor(
      "keywords", .text, default: .text(""), help: "keywords, separated by commas"),
    ParameterDescriptor(
      "metadata", .fields, help: "further metadata entries by name: { Copyright = \"…\" }"),
    ParameterDescriptor(
      "conformance", .choice(["none"] + Conformance.allCases.map(\.rawValue)),
      default: .text("none"),
      help: "standard that the file follows; 2b, 3b and those for print (x) are not externally validated"),
    ParameterDescriptor(
      "output_intent", .text, default: .text(OutputIntent.standard),
      help: "printer that a PDF/X file is meant for: \(OutputIntent.standard), or the path of a printer's profile, "
        + "for pdf/x-1a of CMYK, for pdf/x-4 of CMYK, RGB or gray"
    ).namingFile(unless: [OutputIntent.standard]),
    ParameterDescriptor(
      "tagged", .boolean,
      help: "add a structure for screen readers; by default true if 'alt' or 'lang' is given"),
    ParameterDescriptor(
      "lang", .text, help: "language of the document as a BCP 47 tag: 'en-GB'"),
    ParameterDescriptor(
      "compact", .boolean, default: .boolean(false),
      help: "halve the bytes of a page without its picture, by object streams (PDF 1.5)"),
    ParameterDescriptor(
      "pdf_version", .choice(["auto", "1.4", "1.5", "1.6", "1.7"]), default: .text("auto"),
      help: "version of PDF that the file states; auto is the lowest that supports its content"),
    ParameterDescriptor(
      "page_labels", .text, default: .text(""),
      help:
        "page numbers that viewers show, in the syntax of qpdf: '1:r 5:D' is i to iv, then 1, 2, …"),
    ParameterDescriptor(
      "viewer_layout", .choice(DocumentView.PageLayout.allCases.map(\.rawValue)),
      default: .text("auto"), help: "arrangement of pages in the viewer"),
    ParameterDescriptor(
      "viewer_panes", .choice(DocumentView.Panes.allCases.map(\.rawValue)), default: .text("auto"),
      help: "panel that the viewer shows beside the pages"),
    ParameterDescriptor(
      "viewer_page", .integer(1...10_000_000), default: .integer(1),
      help: "page that the viewer opens first"),
    ParameterDescriptor(
      "viewer_zoom", .text, default: .text("auto"),
      help: "zoom of that page: auto, fit, fit-width, fit-height, or a percentage such as '150%'"),
    ParameterDescriptor(
      "viewer_fit_window", .boolean, default: .boolean(false),
      help: "resize the viewer's window to the first page"),
    ParameterDescriptor(
      "viewer_centre_window", .boolean, default: .boolean(false),
      help: "centre the viewer's window on the screen"),
    ParameterDescriptor(
      "reading_direction", .choice(DocumentView.Direction.allCases.map(\.rawValue)),
      default: .text("left-to-right"), help: "direction in which the book is read"),
  ]
}

extension DocumentInfo {
  /// Creates document information from arguments that `DocumentParameters.all` has checked.
  ///
  /// - Parameter creationTime: seconds since 1970; nil for no date.
  package init(_ arguments: Arguments, creationTime: Int?) {
    self.init(
      title: arguments.text("title"), author: arguments.text("author"),
      subject: arguments.text("subject"), keywords: arguments.text("keywords"),
      entries: arguments.fields("metadata"), creationTime: creationTime)
  }
}

extension DocumentSettings {
  /// Creates settings from arguments that `DocumentParameters.all` has checked. `problems(with:)` reports invalid
  /// values, which are ignored here.
  ///
  /// - Parameter creationTime: seconds since 1970; nil for no date.
  package init(_ arguments: Arguments, creationTime: Int?) {
    self.init(info: DocumentInfo(arguments, creationTime: creationTime))
    labels = (try? PageLabel.parse(arguments.text("page_labels"))) ?? []
    view.layout = DocumentView.PageLayout(rawValue: arguments.text("viewer_layout"))!
    view.panes = DocumentView.Panes(rawValue: arguments.text("viewer_panes"))!
    view.zoom = DocumentView.Zoom(arguments.text("viewer_zoom")) ?? .auto
    view.firstPage = arguments.integer("viewer_page")
    view.fitsWindow = arguments.boolean("viewer_fit_window")
    view.centresWindow = arguments.boolean("viewer_centre_window")
    view.direction = DocumentView.Direction(rawValue: arguments.text("reading_direction"))!
    sharesContents = true
    conformance = Conformance(rawValue: arguments.text("conformance"))
    printer = arguments.text("output_intent")
    isCompact = arguments.boolean("compact")
    language = arguments.optionalText("lang") ?? ""
    isTagged =
      arguments.has("tagged")
      ? arguments.boolean("tagged")
      : !language.isEmpty || Self.hasAlternatives(arguments)
    version = Self.version(arguments)
    view.showsTitle = !info.title.isEmpty
  }

  /// Returns whether pictures have alternative texts. `BookComposing` declares the options for these texts.
  private static func hasAlternatives(_ arguments: Arguments) -> Bool {
    !(arguments.optionalText("alt") ?? "").isEmpty || !arguments.fields("alt_texts").isEmpty
  }

  private static func version(_ arguments: Arguments) -> PDFVersion? {
    arguments.text("pdf_version").split(separator: ".").last.flatMap { Int($0) }.flatMap(PDFVersion.init)
  }

  /// Returns mistakes that the parameter descriptors cannot detect.
  package static func problems(with arguments: Arguments) -> [OptionProblem] {
    var problems = DocumentInfo(arguments, creationTime: nil).problems
    do throws(PageSetupError) {
      _ = try PageLabel.parse(arguments.text("page_labels"))
    } catch {
      problems.append(error.problem)
    }
    let settings = DocumentSettings(arguments, creationTime: nil)
    problems += settings.conformance?.problems(with: settings) ?? []
    do throws(OutputIntentFault) {
      let intent = try settings.outputIntent()
      // The ninth byte is the major version of the profile (ICC.1:2022, 7.2.4).
      if settings.conformance == .pdfX1a, let profile = intent?.profile, profile[8] > 2 {
        problems.add("output_intent", "has version \(profile[8]), and PDF/X-1a allows only 2; use pdf/x-4")
      }
    } catch { problems.append(error.problem) }
    if settings.conformance?.isForPrint != true, arguments.isGiven("output_intent") {
      problems.add("output_intent", "has no effect alone; add conformance = \"pdf/x-4\"")
    }
    if !settings.language.isEmpty, !LanguageTag.isWellFormed(settings.language) {
      problems.add("lang", LanguageTag.advice(against: settings.language))
    }
    if !settings.isTagged, hasAlternatives(arguments) {
      problems.add("alt", "needs a tagged book; leave out 'tagged = false'")
    }
    if arguments.boolean("compact"), version(arguments) == .v14 {
      problems.add("compact", "needs pdf_version 1.5 or more")
    }
    let zoom = arguments.text("viewer_zoom")
    if DocumentView.Zoom(zoom) == nil {
      problems.add("viewer_zoom", "cannot be '\(zoom)'; use auto, fit, fit-width, fit-height, or 1% to 6400%")
    }
    return problems
  }
}
