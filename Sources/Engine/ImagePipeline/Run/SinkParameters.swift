import ImageCore
import Scheduling

/// Options that `save` and `book` take beside those of the codec or the document.
public enum SinkParameters {
  private static let qos = ParameterDescriptor(
    "qos", .choice(QualityOfService.allCases.map(\.name)),
    help: "class of service of this job; the run's when not given")

  private static let after = ParameterDescriptor(
    "after", .jobs,
    help: "starts when these jobs are done, and is cancelled where one of them is not")

  /// Options of every `save`.
  public static let save: [ParameterDescriptor] = [
    qos, after,
    ParameterDescriptor(
      "format", .text, help: "format by name, when the file's ending does not tell it"),
    ParameterDescriptor(
      "background", .colour, default: .colour(.white),
      help: "what shows through where the format has no transparency"),
  ]

  /// Options of `book` that are texts: a table such as `{ text = …, font = … }` stands for `caption`,
  /// `caption_font` and so on.
  public static let texts = ["title_page", "front_title", "spine_text"] + templates
  /// Those of them that have fields.
  static let templates = ["caption"] + runningLines
  static let runningLines = ["header", "footer", "page_number"]

  /// Options of every `book`.
  public static let book: [ParameterDescriptor] = [
    qos, after,
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
