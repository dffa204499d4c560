import ImagePipeline

/// Makes a script a file of tests: it may require `imghost.test`.
public struct TestMode: Sendable {
  /// The part of the file that is run.
  public enum Part: Sendable, Equatable {
    /// None: its tests are named.
    case names
    /// All of it, as one test.
    case whole
    /// The test with this number, from 1.
    case test(Int)
  }

  /// An event for the program that runs the test.
  public enum Event: Sendable, Equatable {
    /// The file has a test of this name.
    case declared(name: String, line: Int)
    /// The file has no tests and is one itself.
    case isWhole
    /// The test has come to its end.
    case ended
    case skipped(reason: String)
    /// A golden picture was written.
    case updated(path: String)
  }

  /// One call of `t.run`.
  public struct Request: Sendable {
    public var script: String
    public var arguments: [String] = []
    public var settings: [(name: String, value: String)] = []
    /// Nil for a fresh folder.
    public var outputFolder: String?
    public var onError: String?
    /// More options of `imghost run`, as on a command line.
    public var options: [String] = []
  }

  /// The results of the run of a script.
  public struct Outcome: Sendable {
    public struct Output: Sendable {
      /// The path inside the output folder.
      public let path: String
      /// The path of the file.
      public let file: String
      public let byteCount: Int
      /// Pixels; nil for documents.
      public let size: (width: Int, height: Int)?

      public init(path: String, file: String, byteCount: Int, size: (width: Int, height: Int)?) {
        (self.path, self.file, self.byteCount, self.size) = (path, file, byteCount, size)
      }
    }

    public struct Message: Sendable {
      /// `error` or `note`.
      public let kind: String
      public let script: String?
      public let line: Int?
      public let text: String

      public init(kind: String, script: String?, line: Int?, text: String) {
        (self.kind, self.script, self.line, self.text) = (kind, script, line, text)
      }
    }

    public var status = 0
    public var folder = ""
    public var outputs: [Output] = []
    public var messages: [Message] = []
    public var printed: [String] = []

    public init() {}
  }

  public var part: Part
  /// The name of the file without its ending.
  public var name: String
  /// The working directory, absolute.
  public var project: String
  /// A folder for the test's own files, which is removed after it.
  public var folder: String
  /// Whether golden pictures are written anew.
  public var updates: Bool
  /// Called on the script's thread.
  public var onEvent: @Sendable (Event) -> Void
  /// Runs a script in a process of its own and waits for its end; a text says why it cannot be run. Called on the
  /// script's thread.
  public var run: @Sendable (Request, _ isCancelled: () -> Bool) -> Result<Outcome, Problem>

  public struct Problem: Error {
    public let text: String

    public init(_ text: String) { self.text = text }
  }

  public init(
    part: Part, name: String, project: String, folder: String, updates: Bool,
    onEvent: @escaping @Sendable (Event) -> Void,
    run: @escaping @Sendable (Request, _ isCancelled: () -> Bool) -> Result<Outcome, Problem>
  ) {
    self.part = part
    self.name = name
    self.project = project
    self.folder = folder
    self.updates = updates
    self.onEvent = onEvent
    self.run = run
  }
}
