import ImagePipeline

/// The mode for a script that is a file of tests, which may require `imghost.test`.
package struct TestMode: Sendable {
  /// The part of the file that is run.
  package enum Part: Sendable, Equatable {
    /// No part: the file only names its tests.
    case names
    /// The whole file, as one test.
    case whole
    /// The test with this number, from 1.
    case test(Int)
  }

  /// An event for the program that runs the test.
  package enum Event: Sendable, Equatable {
    /// The file declares a test with this name.
    case declared(name: String, line: Int)
    /// The file declares no tests, and is one test as a whole.
    case isWhole
    /// The test has ended.
    case ended
    case skipped(reason: String)
    /// A golden picture was written.
    case updated(path: String)
  }

  /// One call of `t.run`.
  package struct Request: Sendable {
    package var script: String
    package var arguments: [String] = []
    package var settings: [(name: String, value: String)] = []
    /// The output folder; nil for a new one.
    package var outputFolder: String?
    package var onError: String?
    /// More options of `imghost run`, as on a command line.
    package var options: [String] = []
  }

  /// The results of the run of a script.
  package struct Outcome: Sendable {
    package struct Output: Sendable {
      /// The path inside the output folder.
      package let path: String
      /// The path of the file.
      package let file: String
      package let byteCount: Int
      /// The size in pixels; nil for documents.
      package let size: (width: Int, height: Int)?

      package init(path: String, file: String, byteCount: Int, size: (width: Int, height: Int)?) {
        (self.path, self.file, self.byteCount, self.size) = (path, file, byteCount, size)
      }
    }

    package struct Message: Sendable {
      /// `error` or `note`.
      package let kind: String
      package let script: String?
      package let line: Int?
      package let text: String

      package init(kind: String, script: String?, line: Int?, text: String) {
        (self.kind, self.script, self.line, self.text) = (kind, script, line, text)
      }
    }

    package var status = 0
    package var folder = ""
    package var outputs: [Output] = []
    package var messages: [Message] = []
    package var printed: [String] = []

    package init() {}
  }

  package var part: Part
  /// The name of the file without its extension.
  package var name: String
  /// The absolute path of the working directory.
  package var project: String
  /// A folder for the test's own files, which is removed after the test.
  package var folder: String
  /// Whether golden pictures are replaced by the current ones.
  package var updates: Bool
  /// Called on the script's thread.
  package var onEvent: @Sendable (Event) -> Void
  /// Runs a script in a process of its own, and waits for its end. A `Problem` states why the script cannot be run.
  /// Called on the script's thread.
  package var run: @Sendable (Request, _ isCancelled: () -> Bool) -> Result<Outcome, Problem>

  package struct Problem: Error {
    package let text: String

    package init(_ text: String) { self.text = text }
  }

  package init(
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
