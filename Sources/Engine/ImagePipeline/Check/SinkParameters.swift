import ImageCore
import Scheduling

/// The options of the engine's own sinks that do not depend on the codec. Some of them are options of every sink.
package enum SinkParameters {
  package static let qos = ParameterDescriptor(
    "qos", .choice(QualityOfService.allCases.map(\.name)),
    help: "service class of this job; by default the run's")

  package static let after = ParameterDescriptor(
    "after", .jobs,
    help: "jobs to wait for; if one of them fails, this job is cancelled")

  package static let note = ParameterDescriptor(
    "note", .data,
    help: "anything for the manifest of the run: a text, a number, true or false, or a table of these")

  package static let maximumByteCount = ParameterDescriptor(
    "max_bytes", .byteCount,
    help:
      "largest file, such as '80k' (k is 1000 bytes, as in summaries); finds the highest quality that fits, at most 'quality' if given",
    synonyms: ["max_size", "maxsize", "max_file_size", "target_size", "size"])

  package static let similarity = ParameterDescriptor(
    "target", .number(0...1),
    help: "similarity to the picture (SSIM), such as 0.98; finds the lowest quality that reaches it",
    synonyms: ["ssim", "target_quality"])

  /// The options for goals that `save` reaches by adjusting the quality, for every format whose codec supports them
  /// (`QualityGoal.takesGoals`).
  package static let goals = [maximumByteCount, similarity]

  /// The options of every `save`.
  package static let save: [ParameterDescriptor] = [
    qos, after, note,
    ParameterDescriptor(
      "format", .text, help: "name of the format, if the file name extension does not state it"),
    ParameterDescriptor(
      "background", .colour, default: .colour(.white),
      help: "colour behind transparent pictures in formats without transparency"),
    profile, proof, maximumByteCount, similarity,
  ]

  /// The option for the profile of the printer whose colours are simulated.
  static let proof = ParameterDescriptor(
    "proof", .text,
    help: "path of a printer's profile, or cmyk for FOGRA39: shows how its colours come out, in sRGB or 'profile'"
  ).namingFile(unless: StandardProfile.allCases.map(\.rawValue))

  /// The option for the colour profile of saved files.
  static let profile = ParameterDescriptor(
    "profile", .text, default: .text("keep"),
    help: "colour profile: keep that of the picture, or convert to "
      + StandardProfile.allCases.map(\.rawValue).joined(separator: ", ") + " or a file's"
  ).namingFile(unless: ["keep"] + StandardProfile.allCases.map(\.rawValue))

  /// The options of every `multipage`. Goals and profiles are options of `save` alone.
  package static let multipage = save.filter { !goals.contains($0) && $0 != profile && $0 != proof }

  /// The options of every `animation`.
  package static let animation =
    multipage + [
      ParameterDescriptor(
        "delay", .number(0...3_600), unit: "s",
        help: "time for which each frame is shown; by default that of the frame's file, or 0.1"),
      ParameterDescriptor(
        "loop", .integer(0...65_535),
        help: "number of times the animation runs, 0 for ever; by default that of the frames' file, or 0"),
    ]

  /// Returns the options of a kind of output, without those of the file format; empty for an unknown kind.
  static func all(of kind: Job.Kind, _ environment: Environment) -> [ParameterDescriptor] {
    switch kind {
    case .save: save
    case .animation: animation
    case .multipage: multipage
    case .tiles: tiles
    default: environment.sink(kind)?.parameters ?? []
    }
  }

  /// Returns the options of `tiles` with the defaults of a layout.
  static func tiles(of layout: TileLayout) -> [ParameterDescriptor] {
    tiles.map { parameter in
      switch parameter.name {
      case "size": parameter.with(default: .integer(layout.usualSide))
      case "overlap": parameter.with(default: .integer(layout.usualOverlap))
      default: parameter
      }
    }
  }

  /// The options of every `tiles`, without those of the tiles' file format.
  package static let tiles: [ParameterDescriptor] = [
    qos, after, note,
    ParameterDescriptor(
      "layout", .choice(TileLayout.allCases.map(\.rawValue)), default: .text(TileLayout.deepzoom.rawValue),
      help: "deepzoom writes NAME.dzi and NAME_files; iiif a folder for the IIIF Image API 3.0, level 0"),
    ParameterDescriptor(
      "size", .integer(16...8_192), unit: "px", help: "side of a tile; by default 254 for deepzoom and 256 for iiif",
      synonyms: ["tile_size", "tilesize"]),
    ParameterDescriptor(
      "overlap", .integer(0...4_096), unit: "px",
      help: "deepzoom: pixels that a tile shows of each neighbour; by default 1"),
    ParameterDescriptor(
      "id", .text, default: .text("https://example.com/iiif"),
      help: "iiif: address of the folder in which the picture's folder will lie"),
    ParameterDescriptor(
      "format", .text, default: .text("jpg"), help: "format of the tiles: jpg, png, webp or another that is written",
      synonyms: ["suffix"]),
    ParameterDescriptor(
      "background", .colour, default: .colour(.white),
      help: "colour behind transparent pictures in formats without transparency"),
  ]
}
