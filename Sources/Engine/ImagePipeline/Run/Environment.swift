import ImageCore
import PictureTraits
import Scheduling
import Synchronization

/// The lists of codecs, operations, plugins and sinks that the program hands to the engine. The engine knows none of
/// them by name.
package struct Environment: Sendable {
  package var codecs: [any PictureCodec]
  /// Returns the codecs of plugins, which `codecs` does not have. They are looked for when they are first asked for.
  package var moreCodecs: @Sendable () -> [any PictureCodec] = { [] }
  /// Returns what to install so that files with an extension can be written; nil if nothing is known.
  package var codecRemedy: @Sendable (String) -> String? = { _ in nil }
  package var recognise: @Sendable (InputFile) throws(PictureError) -> any PictureCodec
  package var operations: [OperationDefinition]
  /// Finds a plugin by name; nil if there is none.
  package var plugin: @Sendable (String) -> OperationDefinition? = { _ in nil }
  package var pluginNames: @Sendable () -> [String] = { [] }
  /// Returns why files that seem to hold the plugin of a name do not provide it, in sentences with their paths.
  package var pluginRefusals: @Sendable (String) -> [String] = { _ in [] }
  /// Returns the version that a plugin gives itself; nil if there is none of this name. Plugins that are codecs are
  /// included.
  package var pluginVersion: @Sendable (String) -> String? = { _ in nil }
  /// Returns the path of a plugin's library; nil if it has none.
  package var pluginFile: @Sendable (String) -> String? = { _ in nil }
  package var opening: OpeningSteps
  /// Makes the operation that scales a part of a gain map to a width and a height; nil to leave gain maps out.
  package var showPart: @Sendable (ShownPart, Int, Int) -> (any PictureOperation)? = { _, _, _ in nil }
  /// The function that makes a picture of a text; nil if there is none.
  package var textPicture: OperationDefinition?
  package var measurements: [MeasurementDefinition] = []
  /// Measures the traits of a small version of a picture.
  package var measureTraits: @Sendable (any RowSource, OperationContext) throws(PictureError) -> PictureTraits = {
    _, _ throws(PictureError) in
    throw .operation(.unsuitable("pictures cannot be measured here"))
  }
  /// Computes conversions between colour profiles.
  package var colours: any ColourConverter = NoColourConverter()
  /// Returns the step that reduces a picture until its longest side has `side` pixels; coarsely if it is only measured.
  package var reduce: @Sendable (_ side: Int, _ isCoarse: Bool) -> Picture.Step = { _, _ in .invalid }
  /// Returns the step that scales a picture to a width and a height, whatever its proportions.
  package var scale: @Sendable (_ width: Int, _ height: Int) -> Picture.Step = { _, _ in .invalid }
  /// The folder with what is known about pictures from earlier runs; nil for none.
  package var traitsFolder: String?
  /// The sinks in addition to the engine's own.
  package var sinks: [SinkDefinition]
  /// The identities of code and fonts, for recipes of outputs.
  package var recipes = RecipeFacts()
  /// Checks documents for scripts; nil if that is not possible.
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
  /// The operation that converts CMYK to sRGB. It is told the file's profile.
  package var convert: any PictureOperation { makeConversion() }
  private let makeConversion: @Sendable () -> any PictureOperation
  /// The names of the two operations.
  let orientName, convertName: String

  /// - Parameter convert: made only when a CMYK picture is opened, because a profile takes time that other scripts
  ///   save.
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
  /// Returns the sink of a kind that the program has handed in; nil for the engine's own.
  func sink(_ kind: Job.Kind) -> SinkDefinition? { sinks.first { $0.kind == kind } }

  /// All codecs; those of plugins come last and are looked for now.
  var allCodecs: [any PictureCodec] { codecs + moreCodecs() }

  /// Returns the first codec that writes files and meets a condition; those of plugins come last.
  func codec(writing condition: (any PictureCodec) -> Bool) -> (any PictureCodec)? {
    codecs.first { $0.writes && condition($0) } ?? moreCodecs().first { $0.writes && condition($0) }
  }
}

extension Environment {
  /// Makes the operation of a role; nil if there is none.
  package func step(_ role: OperationRole, _ arguments: [ParameterValue]) throws -> Picture.Step? {
    guard let definition = operations.first(where: { $0.descriptor.role == role }) else { return nil }
    let arguments = try Arguments(RawArguments(positional: arguments), for: definition.descriptor)
    return .operation(name: definition.descriptor.name, try definition.make(arguments), arguments)
  }

  /// Returns a picture in sRGB, which web pages and other programs assume: the picture itself if it needs no
  /// conversion.
  package func inSRGB(_ picture: Picture) -> Picture {
    let isInk = (try? picture.info())?.layout.format.model == .cmyk
    guard isInk || StandardProfile.isOtherRGB(picture.metadata().iccProfile),
      let step = try? step(.convertsToProfile, [.text(StandardProfile.srgb.rawValue)])
    else { return picture }
    return Picture(step, inputs: [picture], position: picture.position, origin: picture.origin)
  }
}

/// The options of a run, which the command line sets.
package struct RunOptions: Sendable {
  package enum OnError: String, Sendable, CaseIterable { case stop, `continue` }

  /// The folder that relative output paths start from.
  package var outputFolder = "."
  /// Whether all outputs must lie inside `outputFolder`.
  package var isConfined = false
  package var onError = OnError.stop
  package var defaultQoS = QualityOfService.default
  /// Whether the run only checks and plans.
  package var isDryRun = false
  /// A folder on a quick disk, into which pictures are copied before they are decoded; nil for none.
  package var stageFolder: String?
  /// The outputs that are made here.
  package var part = RunPart.whole
  /// Whether a dry run keeps what it plans, see `RunResults.checked`.
  package var keepsPlan = false
  /// Whether sinks keep records of what they arrange, see `RunResults.sinkRecords`.
  package var keepsSinkRecords = false
  /// Counts the files that the script asks for.
  package let requested = OutputCount()
  /// Standard output, which takes lines or one file.
  package let standardOutput = StandardOutput()
  /// The files that the program writes itself, each with the option that names it. They can be neither pictures nor
  /// outputs.
  package var ownFiles: [(path: String, option: String)] = []
  /// Whether `RunResults.outputs` are kept.
  package var keepsRecords = false
  /// Whether `RunResults.read` is kept.
  package var keepsDependencies = false
  /// The bytes of memory that there are at all. A picture that is predicted to need more is refused, so that the system
  /// does not end the process.
  package var memoryLimit = Int.max
  /// The record of what earlier runs have written, so that only the rest is made; nil to make everything.
  package var records: (any OutputRecords)?
  /// The most lines of the plan that a run describes if it writes files. A dry run describes the whole plan.
  package var mostPlanLines = 0

  package init() {}
}

/// The number of files that a script has asked for, whatever became of them. Counted on the script's thread, and read
/// from any.
package final class OutputCount: Sendable {
  private let count = Atomic(0)

  package var value: Int { count.load(ordering: .relaxed) }
  func add(_ more: Int) { count.add(more, ordering: .relaxed) }
}

/// An event of a run, reported to an observer on any thread.
package enum RunEvent: Sendable {
  case started(pictures: Int)
  /// The work for one picture is over, whether or not it succeeded.
  case pictureDone
  /// - Parameter quality: the quality that a goal of `save` found; nil without a goal.
  case wrote(path: String, byteCount: Int, layout: PictureLayout?, quality: Int? = nil)
  /// The output was there already, as an earlier run had made it.
  case kept(path: String, byteCount: Int)
  case failed(Diagnostic)
  case note(Diagnostic)
  case cancelled(path: String, CancellationReason)
  case verified(path: String, VerificationOutcome)
}
