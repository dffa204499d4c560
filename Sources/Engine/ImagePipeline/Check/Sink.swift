import ImageCore
import Scheduling

/// A way to write pictures to files, such as `save`.
///
/// A run has one object of each type of sink. Only the script's thread uses these objects.
package protocol Sink: AnyObject {
  /// Checks one request without making an output, and claims the paths of its outputs.
  func check(_ request: OutputRequest, in context: CheckContext) -> CheckedOutputs

  /// Checks the requests of a graph together, after `check` was called for each.
  func checkTogether(in context: CheckContext) -> CheckedOutputs

  /// Returns why a recorded document may not replace the file at a path; nil if it may.
  func reasonToKeep(_ path: String) -> String?

  /// Recreates a document whose pages shards have made, from the shards' record of it; nil if this sink does not accept
  /// the record.
  func document(of recorded: RecordedDocument, _ job: Job, _ options: RunOptions) -> (any Document)?
}

extension Sink {
  package func checkTogether(in context: CheckContext) -> CheckedOutputs { CheckedOutputs() }
  package func reasonToKeep(_ path: String) -> String? { nil }
  package func document(of recorded: RecordedDocument, _ job: Job, _ options: RunOptions) -> (any Document)? { nil }
}

/// The definition of a sink that another module provides.
package struct SinkDefinition: Sendable {
  /// The kind of the jobs that write the sink's outputs.
  package let kind: Job.Kind
  /// The extension of the sink's files.
  let ending: String
  /// Whether the sink may store files unchanged. Their ends are then read, because only complete files can be stored.
  package let storesFiles: Bool
  /// Makes the sink for one run.
  package let makeSink: @Sendable () -> any Sink
  private let declare: @Sendable () -> [ParameterDescriptor]

  /// - Parameter parameters: returns the options of a call. They are only declared when needed, so that scripts that do
  ///   not use the sink start faster.
  package init(
    _ kind: Job.Kind, ending: String, storesFiles: Bool = false,
    parameters: @autoclosure @escaping @Sendable () -> [ParameterDescriptor],
    makeSink: @escaping @Sendable () -> any Sink
  ) {
    self.kind = kind
    self.ending = ending
    self.storesFiles = storesFiles
    declare = parameters
    self.makeSink = makeSink
  }

  /// The options that a script can give to the sink, declared at each access.
  package var parameters: [ParameterDescriptor] { declare() }
}
