import ImageCore
import ImageMetadata

/// The format and options of saved files. Files with the same settings share an object.
final class SaveFormat: Sendable {
  let codec: any PictureCodec
  let arguments: Arguments
  /// The goal that determines the quality; nil if the options set none.
  let goal: QualityGoal?

  init(codec: any PictureCodec, arguments: Arguments) {
    self.codec = codec
    self.arguments = arguments
    goal = QualityGoal(arguments, codec)
  }

  /// Whether the script sets any option of the format.
  var hasOptions: Bool { hasOptions(but: []) }

  /// Returns whether the script sets an option of the format other than `names`.
  func hasOptions(but names: Set<String>) -> Bool {
    arguments.given.contains { given in
      !names.contains(given.name) && codec.saveParameters.contains { $0.name == given.name }
    }
  }

  /// Whether encoded files contain no metadata of their pictures, except what viewers need: the profile, the
  /// orientation and the resolution.
  var ignoresMetadata: Bool { !codec.writesMetadata || MetadataChoice(arguments) == .none }

  /// The colour that replaces transparency if alpha is removed.
  var background: Colour { arguments.colour("background") }
}

/// A way to make an output from the bytes of a source file whose picture is unchanged.
enum SourceUse: UInt8, Sendable {
  /// The output consists of the bytes of the source.
  case copied
  /// The output contains the source, a JPEG, in a form that can be restored byte for byte.
  case wrapped
  /// The output is the JPEG from which the source was made, restored.
  case restored
}

/// One file that a checked `save` writes.
package struct FileOutput: Sendable {
  package private(set) var picture: Picture
  let format: SaveFormat
  let job: Job
  /// The path of the file after following links.
  let place: InternedPath
  /// The name that contains the file's digest; nil if `place` is the final path.
  let hashed: HashedName?
  /// The output's index in the job.
  private let storedIndex: Int32
  /// The use of the source's bytes; nil if the picture is encoded.
  private(set) var use: SourceUse?
  /// The file of an earlier run whose coded pixels the output reuses; nil for none.
  private(set) var earlier: EarlierFile?

  init(
    picture: Picture, format: SaveFormat, use: SourceUse?, job: Job, place: InternedPath, hashed: HashedName?,
    index: Int
  ) {
    self.place = place
    self.hashed = hashed
    self.picture = picture
    self.format = format
    self.job = job
    storedIndex = Int32(index)
    self.use = use
  }

  /// Returns the output with an equal picture in place of its own.
  func with(_ picture: Picture) -> Self {
    var other = self
    other.picture = picture
    return other
  }

  /// Returns the same output, made from the file of an earlier run.
  func with(_ earlier: EarlierFile?) -> Self {
    var other = self
    other.earlier = earlier
    return other
  }

  /// The same output, with the picture encoded.
  var encoded: Self {
    var other = self
    other.use = nil
    return other
  }

  var index: Int { Int(storedIndex) }
  /// The file's path, which is stored in the job.
  package var path: String { job.state.withLock { $0.result.outputs[index].path } }
  /// The identifier of the output for shards; see `Job.Output.key`.
  var key: String { job.state.withLock { $0.result.outputs[index].key } }
  /// The file whose own bytes are copied; nil if the output is not a copy of its source.
  var copiesSource: PictureFile? { use == .copied ? picture.origin : nil }
  /// The goal that determines the quality; nil also for a copy.
  var goal: QualityGoal? { use == .copied ? nil : format.goal }
  package var position: ScriptPosition? { job.position }
}
