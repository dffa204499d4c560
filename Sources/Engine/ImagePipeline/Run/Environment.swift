import ImageCore
import PictureTraits
import Scheduling
import Synchronization

/// The codecs, operations, plugins and sinks that the program provides for the engine, which knows none of them by
/// name.
package struct Environment: Sendable {
  package var codecs: [any PictureCodec]
  /// Returns the codecs of plugins, which are not in `codecs`. The first call searches for them.
  package var moreCodecs: @Sendable () -> [any PictureCodec] = { [] }
  /// Returns advice on what to install to write files with this extension; nil if unknown.
  package var codecRemedy: @Sendable (String) -> String? = { _ in nil }
  package var recognise: @Sendable (InputFile) throws(PictureError) -> any PictureCodec
  package var operations: [OperationDefinition]
  /// Returns the plugin with a name; nil if there is none.
  package var plugin: @Sendable (String) -> OperationDefinition? = { _ in nil }
  package var pluginNames: @Sendable () -> [String] = { [] }
  /// Returns the reasons why files that seem to contain the plugin with this name were refused: sentences that contain
  /// the paths of the files.
  package var pluginRefusals: @Sendable (String) -> [String] = { _ in [] }
  /// Returns the version that a plugin declares; nil if there is no plugin or codec plugin with this name.
  package var pluginVersion: @Sendable (String) -> String? = { _ in nil }
  /// Returns the path of a plugin's library; nil if it has none.
  package var pluginFile: @Sendable (String) -> String? = { _ in nil }
  package var opening: OpeningSteps
  /// Makes the operation that scales a part of a gain map to a width and height; nil to copy the map unchanged.
  package var showPart: @Sendable (ShownPart, Int, Int) -> (any PictureOperation)? = { _, _, _ in nil }
  /// The operation that draws a text as a picture of its own; nil if there is none.
  package var textPicture: OperationDefinition?
  package var measurements: [MeasurementDefinition] = []
  /// Measures the traits of a small version of a picture.
  package var measureTraits: @Sendable (any RowSource, OperationContext) throws(PictureError) -> PictureTraits = {
    _, _ throws(PictureError) in
    throw .operation(.unsuitable("pictures cannot be measured here"))
  }
  /// The converter between colour profiles.
  package var colours: any ColourConverter = NoColourConverter()
  /// Returns the step that scales down a picture until its longest side has `side` pixels. `isCoarse` allows less
  /// accuracy, for a picture that is only measured.
  package var reduce: @Sendable (_ side: Int, _ isCoarse: Bool) -> Picture.Step = { _, _ in .invalid }
  /// Returns the step that scales a picture to a width and height, ignoring its aspect ratio.
  package var scale: @Sendable (_ width: Int, _ height: Int) -> Picture.Step = { _, _ in .invalid }
  /// The folder with facts about pictures that earlier runs have computed; nil for none.
  package var traitsFolder: String?
  /// The sinks in addition to the engine's own.
  package var sinks: [SinkDefinition]
  /// The identities of code and fonts, for recipes of outputs.
  package var recipes = RecipeFacts()
  /// The checker of documents for scripts; nil if documents cannot be checked.
  package var documents: (any DocumentChecker)?

  package init(
    codecs: [any PictureCodec], recognise: @escaping @Sendable (InputFile) throws(PictureError) -> any PictureCodec,
    operations: [OperationDefinition], opening: OpeningSteps, sinks: [SinkDefinition] = []
  ) {
    self.codecs = codecs
    self.recognise = recognise
    self.operations = operations
    self.opening = opening
    self.sinks = sinks
  }
}

/// The operations that are applied to a picture when its file is opened.
package struct OpeningSteps: Sendable {
  /// Makes the operation that turns a picture upright.
  package var orient: @Sendable (Orientation) -> any PictureOperation
  /// The operation that converts CMYK to sRGB. It receives the file's profile.
  package var convert: any PictureOperation { makeConversion() }
  private let makeConversion: @Sendable () -> any PictureOperation
  let orientName, convertName: String

  /// - Parameter convert: evaluated only when a CMYK picture is opened, because loading a profile takes time.
  package init(
    orient: @escaping @Sendable (Orientation) -> any PictureOperation, named orientName: String,
    convert: @autoclosure @escaping @Sendable () -> any PictureOperation, named convertName: String
  ) {
    self.orient = orient
    makeConversion = convert
    (self.orientName, self.convertName) = (orientName, convertName)
  }
}

extension Environment {
  /// Returns the program's sink of a kind; nil for the engine's own sinks.
  func sink(_ kind: Job.Kind) -> SinkDefinition? { sinks.first { $0.kind == kind } }

  /// All codecs, those of plugins last. The plugins are searched for if they have not been found yet.
  var allCodecs: [any PictureCodec] { codecs + moreCodecs() }

  /// Returns the first codec that writes files and satisfies a condition. Those of plugins come last.
  func codec(writing condition: (any PictureCodec) -> Bool) -> (any PictureCodec)? {
    codecs.first { $0.writes && condition($0) } ?? moreCodecs().first { $0.writes && condition($0) }
  }
}

extension Environment {
  /// Makes the operation for a role; nil if there is none.
  package func step(_ role: OperationRole, _ arguments: [ParameterValue]) throws -> Picture.Step? {
    guard let definition = operations.first(where: { $0.descriptor.role == role }) else { return nil }
    let arguments = try Arguments(RawArguments(positional: arguments), for: definition.descriptor)
    return .operation(name: definition.descriptor.name, try definition.make(arguments), arguments)
  }

  /// Returns a picture in sRGB, which web pages and other programs expect; the picture itself if it needs no
  /// conversion, or if no operation converts profiles.
  package func inSRGB(_ picture: Picture) -> Picture {
    let isInk = (try? picture.info())?.layout.format.model == .cmyk
    guard isInk || StandardProfile.isOtherRGB(picture.metadata().iccProfile),
      let step = try? step(.convertsToProfile, [.text(StandardProfile.srgb.rawValue)])
    else { return picture }
    return Picture(step, inputs: [picture], position: picture.position, origin: picture.origin)
  }
}

/// The options of a run, set on the command line.
package struct RunOptions: Sendable {
  package enum OnError: String, Sendable, CaseIterable { case stop, `continue` }

  /// The folder that relative output paths start from.
  package var outputFolder = "."
  /// Whether all outputs must be inside `outputFolder`.
  package var isConfined = false
  package var onError = OnError.stop
  package var defaultQoS = QualityOfService.default
  /// Whether the run only checks and plans.
  package var isDryRun = false
  /// A folder on a fast disk for copies of pictures that are decoded; nil for none.
  package var stageFolder: String?
  /// The part of the outputs that this run makes.
  package var part = RunPart.whole
  /// Whether a dry run keeps its checked graphs, see `RunResults.checked`.
  package var keepsPlan = false
  /// Whether the records of sinks are kept, see `RunResults.sinkRecords`.
  package var keepsSinkRecords = false
  /// The count of the files that the script requests.
  package let requested = OutputCount()
  /// Standard output, which accepts lines or one file.
  package let standardOutput = StandardOutput()
  /// The files that the program itself writes, each with the option that names it. They can be neither pictures nor
  /// outputs.
  package var ownFiles: [(path: String, option: String)] = []
  /// Whether `RunResults.outputs` are kept.
  package var keepsRecords = false
  /// Whether `RunResults.read` is filled.
  package var keepsDependencies = false
  /// The memory in bytes that is available to the whole run. A picture that is predicted to need more is refused,
  /// because the system would otherwise end the process.
  package var memoryLimit = Int.max
  /// The records of earlier runs' outputs, so that only missing or outdated outputs are made; nil to make everything.
  package var records: (any OutputRecords)?
  /// The maximum number of plan lines for a run that writes files. A dry run describes the whole plan.
  package var mostPlanLines = 0

  package init() {}
}

/// The number of files that a script has requested, whether or not they were made. Written by the script's thread, read
/// by any thread.
package final class OutputCount: Sendable {
  private let count = Atomic(0)

  package var value: Int { count.load(ordering: .relaxed) }
  func add(_ more: Int) { count.add(more, ordering: .relaxed) }
}
