import ImageCore
import Scheduling

/// The options of `save` beside those of the codec, and options that every sink takes.
public enum SinkParameters {
  package static let qos = ParameterDescriptor(
    "qos", .choice(QualityOfService.allCases.map(\.name)),
    help: "service class of this job; by default the run's")

  package static let after = ParameterDescriptor(
    "after", .jobs,
    help: "jobs to wait for; if one of them fails, this job is cancelled")

  /// Options of every `save`.
  public static let save: [ParameterDescriptor] = [
    qos, after,
    ParameterDescriptor(
      "format", .text, help: "name of the format, if the file name extension does not state it"),
    ParameterDescriptor(
      "background", .colour, default: .colour(.white),
      help: "colour behind transparent pictures in formats without transparency"),
  ]

  /// Options of `book` that are texts. A table such as `{ text = …, font = … }` sets `caption`, `caption_font` and so on.
  public static let texts = ["title_page", "front_title", "spine_text"] + templates
  /// Texts that have fields.
  static let templates = ["caption"] + runningLines
  static let runningLines = ["header", "footer", "page_number"]
}
