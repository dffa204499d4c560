import ImageCore
import Scheduling

/// A way to write pictures to files: `save` is one, `book` another.
///
/// A run has one of each, which only the script's thread uses.
package protocol Sink: AnyObject {
  /// Checks one call without decoding a pixel; mistakes, notes and outputs go to the checker.
  func check(_ request: OutputRequest, with checker: inout SinkChecker)

  /// Checks what calls say about each other, after the last call of a batch.
  func checkTogether(with checker: inout SinkChecker)

  /// Returns a document as shards have recorded it, whose pages come from their packs; nil if the record is none of it.
  func document(of book: RecordedBook, _ job: Job, _ options: RunOptions) -> (any Document)?
}

extension Sink {
  package func document(of book: RecordedBook, _ job: Job, _ options: RunOptions) -> (any Document)? { nil }
}

/// A sink that the program hands to the engine.
package struct SinkDefinition: Sendable {
  /// Makes the sink of one run.
  package let makeSink: @Sendable () -> any Sink
  private let declare: @Sendable () -> [ParameterDescriptor]

  /// - Parameter parameters: the options of a call. Declared when first used: a script without a book starts faster.
  package init(
    parameters: @autoclosure @escaping @Sendable () -> [ParameterDescriptor],
    makeSink: @escaping @Sendable () -> any Sink
  ) {
    declare = parameters
    self.makeSink = makeSink
  }

  /// The options of a call.
  package var parameters: [ParameterDescriptor] { declare() }
}
