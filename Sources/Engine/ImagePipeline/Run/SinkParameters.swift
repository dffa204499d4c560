import ImageCore
import Scheduling

/// The options of `save` beside those of the codec, and options that every sink takes.
public enum SinkParameters {
  package static let qos = ParameterDescriptor(
    "qos", .choice(QualityOfService.allCases.map(\.name)),
    help: "class of service of this job; the run's when not given")

  package static let after = ParameterDescriptor(
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
}
