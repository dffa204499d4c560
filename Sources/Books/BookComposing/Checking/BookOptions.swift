import ImageCore
import ImagePipeline
import PDFBook

/// The options of `book`.
package enum BookOptions {
  /// All options in the order of the help.
  package static let all = own + BookParameters.all + QPDFPass.parameters

  /// The options for texts with a style of their own. Each also takes a table: `caption = { text = …, font = … }` sets
  /// `caption`, `caption_font` and so on.
  package static let texts = [
    "title_page", "front_title", "spine_text", "caption", "header", "footer", "page_number", "section_heading",
  ]

  /// Returns mistakes in options that a descriptor cannot detect, such as an unknown paper size.
  static func problems(with arguments: Arguments, _ verifier: VerifierProgram) -> [OptionProblem] {
    var problems: [OptionProblem] = []
    if arguments.boolean("verify"), let problem = verifier.problem { problems.add(problem) }
    do throws(PageSetupErrors) {
      let layout = try BookLayout(arguments)
      problems += BookLettering(arguments, margins: layout.setup.margins).problems(with: arguments)
      if layout.options.kind != .cover, SpineText(arguments) != nil {
        problems.add("spine_text", "is for a cover; set 'layout' to 'cover'")
      }
    } catch {
      problems += error.errors.map(\.problem)
    }
    if case .text? = arguments["background"], !arguments.isDesigned {
      problems.add("background", "is '\(PageParameters.tint)', which is only for layout 'auto'; give a colour")
    }
    return problems + TextParameters.problems(in: arguments)
      + OptionScope.problems(with: arguments)
      + DocumentSettings.problems(with: arguments)
      + QPDFPass(arguments).problems(with: arguments)
  }

  /// The options of a book apart from those in `BookParameters` and `QPDFPass`.
  private static let own: [ParameterDescriptor] = [
    SinkParameters.qos, SinkParameters.after, SinkParameters.note,
    ParameterDescriptor(
      "verify", .boolean, default: .boolean(false),
      help: "render every page of the finished book and compare it with the pictures"),
    ParameterDescriptor(
      "quality", .integer(1...100), default: .integer(90),
      help: "quality of pictures that are encoded as JPEG"),
    ParameterDescriptor(
      "subsampling", .choice(["auto", "4:2:0", "4:2:2", "4:4:4"]), default: .text("auto"),
      help:
        "chroma subsampling of pictures that are encoded as JPEG; auto is 4:4:4 from quality 90, else 4:2:0"
    ),
    ParameterDescriptor(
      "lossless", .boolean, default: .boolean(false),
      help: "store processed pictures lossless instead of as JPEG; unchanged PNGs always are"),
    ParameterDescriptor(
      "caption", .text,
      help: "text below each picture, with fields such as {stem}, or { text = …, font = …, … }"),
    ParameterDescriptor(
      "captions", .texts,
      help:
        "captions in the order of the pictures, or by file name or stem; the others get 'caption'"
    ),
    ParameterDescriptor(
      "header", .text,
      help: "line of text at the top of every page, with fields such as {stem}, {page} and {pages}"),
    ParameterDescriptor(
      "footer", .text, help: "line of text at the bottom of every page, with the same fields"),
    ParameterDescriptor(
      "page_number", .text,
      help: "page number at the bottom of every page, such as '{page} / {pages}'",
      synonyms: ["page_numbers", "numbers", "folio"]),
    ParameterDescriptor(
      "section_heading", .text,
      help: "heading of each group of pictures, such as '{section}', in place of the header of its first page"),
    ParameterDescriptor(
      "chapter", .text,
      help:
        "text that opens each group of pictures, such as '{date:%e %B %Y}', with the fields of its first picture",
      synonyms: ["chapters", "opener"]),
    ParameterDescriptor(
      "colophon", .text,
      help:
        "text of the last page, in paragraphs; true for the title, the number of pictures, their dates and the paper"),
    ParameterDescriptor(
      "section_page_break", .boolean, default: .boolean(true), help: "whether each group of pictures begins a page"),
    ParameterDescriptor(
      "alt", .text,
      help:
        "alternative text of each picture for screen readers, with fields; makes the book tagged"),
    ParameterDescriptor(
      "alt_texts", .fields,
      help:
        "alternative texts by file name or stem: { [\"beach.jpg\"] = \"A dog…\" }; the others get 'alt'"
    ),
    ParameterDescriptor(
      "outline", .text,
      help: "outline entry of each page, with levels separated by ' > ': '{folder} > {stem}'",
      synonyms: ["toc", "bookmarks", "bookmark", "contents", "index"]),
    ParameterDescriptor(
      "link", .text,
      help: "address that a click on each picture opens: 'https://example.org/{name}'"),
    ParameterDescriptor(
      "background", .colour,
      help:
        "colour of the page, also behind transparent pictures, or 'pictures' for a calm tint of the colours of each "
        + "designed page; by default white paper",
      synonyms: ["color", "colour", "page_color", "page_colour", "bg"]
    ).accepting([PageParameters.tint]),
    ParameterDescriptor(
      "cover_of", .jobs,
      help: "book inside the cover, from img.book: takes its page count, paper and paper_thickness"),
    ParameterDescriptor(
      "reencode", .boolean, default: .boolean(false),
      help: "encode unchanged files again as JPEG instead of storing their bytes"),
  ]
}
