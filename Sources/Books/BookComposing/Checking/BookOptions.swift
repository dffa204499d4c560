import ImageCore
import ImagePipeline
import PDFBook

/// The options of `book`.
package enum BookOptions {
  /// All of them, in the order of help.
  package static let all: [ParameterDescriptor] = {
    let known = Set(own.map(\.name))
    return own + BookParameters.all.filter { !known.contains($0.name) } + LastPass.parameters
  }()

  /// Returns what is wrong with options that a descriptor cannot express, such as an unknown paper size.
  static func problems(with arguments: Arguments, _ verifier: VerifierProgram) -> [String] {
    var problems: [String] = []
    if arguments.boolean("verify"), let problem = verifier.problem { problems.append(problem) }
    do throws(PageSetupErrors) {
      let layout = try BookLayout(arguments)
      problems += BookLettering(arguments, margins: layout.setup.margins).problems(with: arguments)
      if let problem = SpineText(arguments)?.problem(on: layout) { problems.append(problem) }
    } catch {
      problems += error.errors.map { "\($0)" }
    }
    return problems + TextParameters.problems(in: arguments)
      + OptionScope.problems(with: arguments)
      + DocumentSettings.problems(with: arguments)
      + LastPass(arguments).problems(with: arguments)
  }

  /// Options that decide how pages are made.
  private static let own: [ParameterDescriptor] = [
    SinkParameters.qos, SinkParameters.after,
    ParameterDescriptor(
      "verify", .boolean, default: .boolean(false),
      help: "render every page again and compare it with what was meant"),
    ParameterDescriptor(
      "quality", .integer(1...100), default: .integer(90),
      help: "JPEG quality of pages that are encoded"),
    ParameterDescriptor(
      "subsampling", .choice(["auto", "4:2:0", "4:2:2", "4:4:4"]), default: .text("auto"),
      help: "their resolution of colour; auto is 4:4:4 from quality 90 on, else 4:2:0"),
    ParameterDescriptor(
      "lossless", .boolean, default: .boolean(false),
      help: "store processed pages without loss instead of as JPEG; untouched PNGs always are"),
    ParameterDescriptor(
      "caption", .text,
      help: "text under each picture, with fields such as {stem}, or { text = …, font = …, … }"),
    ParameterDescriptor(
      "captions", .texts,
      help:
        "such texts in the order of the pictures, or by file name or stem; 'caption' for the others"
    ),
    ParameterDescriptor(
      "header", .text, help: "line above every page's room, with fields; also {page} and {pages}"),
    ParameterDescriptor("footer", .text, help: "the same below it"),
    ParameterDescriptor(
      "page_number", .text, help: "the same for numbers, such as '{page} / {pages}'",
      synonyms: ["page_numbers", "numbers", "folio"]),
    ParameterDescriptor(
      "alt", .text,
      help: "text that is read instead of each picture, with fields; the book is tagged then"),
    ParameterDescriptor(
      "alt_texts", .fields,
      help:
        "such texts by file name or stem: { [\"beach.jpg\"] = \"A dog…\" }; 'alt' for the others"),
    ParameterDescriptor(
      "outline", .text,
      help: "entry of each page in the outline, levels parted by ' > ': '{folder} > {stem}'",
      synonyms: ["toc", "bookmarks", "bookmark", "contents", "index"]),
    ParameterDescriptor(
      "link", .text, help: "address that each picture opens: 'https://example.org/{name}'"),
    ParameterDescriptor(
      "background", .colour,
      help: "colour of the page, also behind transparent pictures; white paper if not given",
      synonyms: ["color", "colour", "page_color", "page_colour", "bg"]),
    ParameterDescriptor(
      "cover_of", .jobs,
      help: "of a cover the book inside, from img.book: its pages, paper and paper_thickness"),
    ParameterDescriptor(
      "reencode", .boolean, default: .boolean(false),
      help: "encode untouched files again, as JPEG, instead of storing their own bytes"),
  ]
}
