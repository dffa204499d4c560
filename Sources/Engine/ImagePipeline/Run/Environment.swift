import ImageCore
import Scheduling
import Synchronization

/// What the program hands to the engine: the lists of codecs, operations and plugins, and the document
/// writer. The engine knows none of them by name.
public struct Environment: Sendable {
  public var codecs: [any PictureCodec]
  public var recognise: @Sendable (InputFile) throws(PictureError) -> any PictureCodec
  public var operations: [OperationDefinition]
  /// Finds a plugin by name; nil where there is none. The second closure names all there are.
  public var plugin: @Sendable (String) -> OperationDefinition?
  public var pluginNames: @Sendable () -> [String]
  /// Why files that seem to hold a plugin of a name give none, sentences with their paths.
  public var pluginRefusals: @Sendable (String) -> [String] = { _ in [] }
  /// The library of the plugin of a name, where it has one.
  public var pluginFile: @Sendable (String) -> String? = { _ in nil }
  /// Makes the operation that turns a picture upright.
  public var orient: @Sendable (Orientation) -> any PictureOperation
  /// Numbers about a picture's pixels, by name.
  public var statistics:
    @Sendable (any RowSource, OperationContext) throws(PictureError) -> [(
      String, ParameterValue
    )]
  /// Makes the step that scales a picture, where that is asked for, and cuts what sticks out.
  public var resize: @Sendable (BookCut) -> Picture.Step
  public var book: any BookFormat
  /// How pages are encoded: the codec, and its options for a quality from 1 to 100.
  public var pageCodec: any PictureCodec
  public var pageArguments: @Sendable (_ quality: Int, _ subsampling: String) -> Arguments
  /// Decodes an encoded page again, to see what it shows.
  public var decodePage: @Sendable (EncodedBytes) throws(PictureError) -> any RowSource
  /// Proves a document in a process of its own; blocks until that has ended.
  public var verify:
    @Sendable (_ path: String, BookSummary, CancellationToken) -> VerificationOutcome

  /// Checks documents for scripts; nil where that is not possible.
  public var documents: (any DocumentChecker)?
  /// Finds what of a picture stays that is stored whole and shown in part; nil where that is not possible.
  public var focusSearch: FocusSearch?

  public init(
    codecs: [any PictureCodec],
    recognise: @escaping @Sendable (InputFile) throws(PictureError) -> any PictureCodec,
    operations: [OperationDefinition],
    plugin: @escaping @Sendable (String) -> OperationDefinition?,
    pluginNames: @escaping @Sendable () -> [String],
    orient: @escaping @Sendable (Orientation) -> any PictureOperation,
    statistics:
      @escaping @Sendable (any RowSource, OperationContext) throws(PictureError) -> [(
        String, ParameterValue
      )],
    resize: @escaping @Sendable (BookCut) -> Picture.Step,
    book: any BookFormat,
    pageCodec: any PictureCodec,
    pageArguments: @escaping @Sendable (Int, String) -> Arguments,
    decodePage: @escaping @Sendable (EncodedBytes) throws(PictureError) -> any RowSource,
    verify:
      @escaping @Sendable (String, BookSummary, CancellationToken) -> VerificationOutcome
  ) {
    self.codecs = codecs
    self.recognise = recognise
    self.operations = operations
    self.plugin = plugin
    self.pluginNames = pluginNames
    self.orient = orient
    self.statistics = statistics
    self.resize = resize
    self.book = book
    self.pageCodec = pageCodec
    self.pageArguments = pageArguments
    self.decodePage = decodePage
    self.verify = verify
  }
}

/// Looks for the part of a picture that is worth showing, on a small version of it.
public struct FocusSearch: Sendable {
  /// Makes that version.
  public let preview: Picture.Step
  /// Takes its rows, and the shares of width and height that stay.
  public let find:
    @Sendable (
      any RowSource, _ width: Double, _ height: Double, SmartCropStrategy, _ keepsHeads: Bool,
      OperationContext
    )
      throws(PictureError) -> CropFocus

  public init(
    preview: Picture.Step,
    find:
      @escaping @Sendable (
        any RowSource, Double, Double, SmartCropStrategy, Bool, OperationContext
      )
      throws(PictureError) -> CropFocus
  ) {
    self.preview = preview
    self.find = find
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
  /// Gets to know how many files the script asks for.
  public let requested = OutputCount()
  /// Files that the program writes itself, with the option that says so: no picture, and no output.
  public var ownFiles: [(path: String, option: String)] = []
  /// Bytes there are at all: a picture that is predicted to need more is refused, rather than have the
  /// system end the process.
  public var memoryLimit = Int.max

  public init() {}
}

/// How many files a script has asked for, whatever became of them. Counted on its thread, read from any.
public final class OutputCount: Sendable {
  private let count = Atomic(0)

  public var value: Int { count.load(ordering: .relaxed) }
  func add(_ more: Int) { count.add(more, ordering: .relaxed) }
}

/// What happens during a run, told to an observer on any thread.
public enum RunEvent: Sendable {
  case started(pictures: Int)
  /// One picture's work is over, well or not.
  case pictureDone
  case wrote(path: String, byteCount: Int, layout: PictureLayout?)
  case failed(Diagnostic)
  case note(Diagnostic)
  case cancelled(path: String, CancellationReason)
  case verified(path: String, VerificationOutcome)
}
