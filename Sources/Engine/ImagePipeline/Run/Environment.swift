import ImageCore
import Scheduling
import Synchronization

/// The lists of codecs, operations and plugins, and the sink of books, which the program hands to the engine. The
/// engine knows none of them by name.
public struct Environment: Sendable {
  public var codecs: [any PictureCodec]
  /// Returns the codecs beside `codecs`, those of plugins. They are looked for when they are first asked for.
  public var moreCodecs: @Sendable () -> [any PictureCodec] = { [] }
  /// Returns what to install so that files with an extension can be written; nil if nothing is known.
  public var codecRemedy: @Sendable (String) -> String? = { _ in nil }
  public var recognise: @Sendable (InputFile) throws(PictureError) -> any PictureCodec
  public var operations: [OperationDefinition]
  /// Finds a plugin by name; nil if there is none.
  public var plugin: @Sendable (String) -> OperationDefinition? = { _ in nil }
  public var pluginNames: @Sendable () -> [String] = { [] }
  /// Returns why files that seem to hold a plugin of a name give none, in sentences with their paths.
  public var pluginRefusals: @Sendable (String) -> [String] = { _ in [] }
  /// Returns the version that a plugin gives itself; nil if there is none of this name. Codecs count.
  public var pluginVersion: @Sendable (String) -> String? = { _ in nil }
  /// Returns the library of a plugin; nil if it has none.
  public var pluginFile: @Sendable (String) -> String? = { _ in nil }
  public var opening: OpeningSteps
  /// Makes the operation that scales a part of a gain map to a width and a height; nil to leave gain maps out.
  public var showPart: @Sendable (ShownPart, Int, Int) -> (any PictureOperation)? = { _, _, _ in nil }
  /// The function that makes a picture of a text; nil if there is none.
  public var textPicture: OperationDefinition?
  public var measurements: [MeasurementDefinition] = []
  /// Computes conversions between colour profiles.
  public var colours: any ColourConverter = NoColourConverter()
  /// Makes a picture so small that its longest side has as many pixels; coarsely for what is only measured.
  public var reduce: @Sendable (_ side: Int, _ isCoarse: Bool) -> Picture.Step = { _, _ in .invalid }
  /// Scales a picture to a width and a height, whatever its proportions.
  public var scale: @Sendable (_ width: Int, _ height: Int) -> Picture.Step = { _, _ in .invalid }
  /// The folder with what is known about pictures from earlier runs; nil for none.
  public var traitsFolder: String?
  /// The sink of `book`.
  package var book: SinkDefinition
  /// Checks documents for scripts; nil if that is not possible.
  public var documents: (any DocumentChecker)?

  package init(
    codecs: [any PictureCodec], recognise: @escaping @Sendable (InputFile) throws(PictureError) -> any PictureCodec,
    operations: [OperationDefinition], opening: OpeningSteps, book: SinkDefinition
  ) {
    self.codecs = codecs
    self.recognise = recognise
    self.operations = operations
    self.opening = opening
    self.book = book
  }
}

/// The operations on a picture where its file is opened.
public struct OpeningSteps: Sendable {
  /// Makes the operation that turns a picture upright.
  public var orient: @Sendable (Orientation) -> any PictureOperation
  /// Converts CMYK to sRGB; it is told the file's profile.
  public var convert: any PictureOperation { makeConversion() }
  private let makeConversion: @Sendable () -> any PictureOperation

  /// - Parameter convert: made when the first CMYK picture is opened: a profile takes time that other scripts save.
  public init(
    orient: @escaping @Sendable (Orientation) -> any PictureOperation,
    convert: @autoclosure @escaping @Sendable () -> any PictureOperation
  ) {
    self.orient = orient
    makeConversion = convert
  }
}

extension Environment {
  /// All codecs; those of plugins come last and are looked for now.
  var allCodecs: [any PictureCodec] { codecs + moreCodecs() }

  /// Returns the first codec that writes files and meets a condition; those of plugins come last.
  func codec(writing condition: (any PictureCodec) -> Bool) -> (any PictureCodec)? {
    codecs.first { $0.writes && condition($0) } ?? moreCodecs().first { $0.writes && condition($0) }
  }
}

/// How a run is to go: what the command line says.
public struct RunOptions: Sendable {
  public enum OnError: String, Sendable, CaseIterable { case stop, `continue` }

  /// Relative output paths are inside it.
  public var outputFolder = "."
  /// Whether outputs may lie nowhere else.
  public var isConfined = false
  public var onError = OnError.stop
  public var defaultQoS = QualityOfService.default
  /// Check and plan only.
  public var isDryRun = false
  /// A folder on a quick disk, into which pictures are copied before they are decoded; nil for none.
  public var stageFolder: String?
  /// The outputs that are made here.
  public var part = RunPart.whole
  /// Whether a dry run keeps what it plans, see `Run.planned`.
  public var keepsPlan = false
  /// Whether designed books are kept as declarations, see `Run.designs`.
  public var keepsDesigns = false
  /// Gets to know how many files the script asks for.
  public let requested = OutputCount()
  /// Standard output, which takes lines or one file.
  public let standardOutput = StandardOutput()
  /// Files that the program writes itself, with the option that says so: no picture, and no output.
  public var ownFiles: [(path: String, option: String)] = []
  /// Whether `Run.outputRecords` are kept.
  public var keepsRecords = false
  /// Bytes there are at all: a picture that is predicted to need more is refused, rather than have the
  /// system end the process.
  public var memoryLimit = Int.max
  /// The most lines of the plan that a run that writes describes; a dry run describes all of it.
  public var mostPlanLines = 0

  public init() {}
}

/// How many files a script has asked for, whatever became of them. Counted on its thread, read from any.
public final class OutputCount: Sendable {
  private let count = Atomic(0)

  public var value: Int { count.load(ordering: .relaxed) }
  func add(_ more: Int) { count.add(more, ordering: .relaxed) }
}

/// An event of a run, reported to an observer on any thread.
public enum RunEvent: Sendable {
  case started(pictures: Int)
  /// One picture's work is over, well or not.
  case pictureDone
  /// - Parameter quality: the quality that a goal of `save` found; nil without a goal.
  case wrote(path: String, byteCount: Int, layout: PictureLayout?, quality: Int? = nil)
  case failed(Diagnostic)
  case note(Diagnostic)
  case cancelled(path: String, CancellationReason)
  case verified(path: String, VerificationOutcome)
}
