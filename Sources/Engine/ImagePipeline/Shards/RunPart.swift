import ImageCore

/// The number of shards in a plan.
package enum ShardCount: Sendable {
  case number(Int)
  /// As many shards as needed so that each takes about this many seconds with this machine's number of workers.
  case seconds(Double)
}

/// The part of a script's outputs that a run makes.
package enum RunPart: Sendable {
  case whole
  /// The outputs of one shard; the rest is left to the other shards.
  case shard(ShardIndex, any ShardStore)
  /// No outputs: shards have made them. Documents are assembled from the pages in packs, see `ShardStore.pack`.
  case merge(any FinishedShards)
  /// No outputs: the run only divides the work into shards.
  case plan(ShardCount)

  /// The shard that the run makes; nil for other runs.
  package var shard: ShardIndex? { if case .shard(let index, _) = self { index } else { nil } }
  package var finished: (any FinishedShards)? { if case .merge(let shards) = self { shards } else { nil } }
  package var store: (any ShardStore)? { if case .shard(_, let store) = self { store } else { nil } }
  /// Whether the results of other parts are unknown while the script runs.
  package var isDivided: Bool {
    switch self {
    case .shard, .plan: true
    case .whole, .merge: false
    }
  }
  /// Records that a merge has to run the script, because the effect of a call is known only during the merge. Does
  /// nothing unless the run makes a shard.
  package func needScript(_ call: String, _ position: ScriptPosition?) {
    store?.needScript(call + (position.map { " in \($0.file):\($0.line)" } ?? ""))
  }
  package var isWhole: Bool { if case .whole = self { true } else { false } }
}

/// The storage where a shard leaves everything that `merge` needs. Used from any thread.
package protocol ShardStore: Sendable {
  /// Returns the path of the pack, the shard's file of a document's pages.
  func pack(of path: String) -> String

  /// Records that a pack has been written.
  func wrote(pack: String, of path: String, pageCount: Int)

  /// Records that a pack of an earlier run is kept.
  func kept(pack: String, of path: String, pageCount: Int)

  /// Returns the number of pages in a pack that the run has written or kept; nil for any other.
  func pageCount(ofPack path: String) -> Int?

  /// Records a loss. A merge reports it in one note with the same loss in other shards.
  ///
  /// - Parameter note: the note about this shard alone, which is reported after this call.
  func lost(_ loss: ShardLoss, told note: Diagnostic)

  /// The number of pages in the packs so far.
  var packedPageCount: Int { get }

  /// The number of pages in packs that this run has written.
  var madePageCount: Int { get }

  /// Records a document that a merge can write without the script.
  func planned(_ document: RecordedDocument)

  /// Records the reason why a merge has to run the script. The first reason counts.
  func needScript(_ reason: String)
}

/// The results of all shards of a run. Used from any thread.
package protocol FinishedShards: Sendable {
  /// Returns the result of an output; nil if no shard was to make it.
  ///
  /// - Parameter key: see `Job.Output.key`.
  func output(_ key: String) -> FinishedOutput?

  /// Passes all outputs with their keys to `body`, in the order of the shards. Several shards may report the same
  /// failure.
  func eachOutput(_ body: (String, FinishedOutput) -> Void)

  /// Returns the paths of the packs with a document's pages, in the order of their shards.
  func packs(of path: String) -> [String]

  /// Returns the reason, from the record of the shards, why there are no packs for a document that the script requests;
  /// nil if the record contains no reason.
  func problem(withRecordOf path: String) -> String?

  /// Opens a pack for reading, if its owner is trusted.
  func open(pack path: String) throws(PictureError) -> InputFile

  /// Failures and notes, in the order of the shards.
  var events: [RunEvent] { get }
  var losses: [ShardLoss] { get }
}

/// Something that a shard's files lack, or that an operation could not do.
package struct ShardLoss: Sendable, Hashable {
  /// The operation or function.
  package let subject: String
  package let text: String
  /// The paths of the pictures, sorted.
  package let files: [String]

  package init(subject: String, text: String, files: [String]) {
    self.subject = subject
    self.text = text
    self.files = files
  }
}

/// The result of an output that a shard has made.
package enum FinishedOutput: Sendable {
  /// - Parameters:
  ///   - path: the final path of the output.
  ///   - isKept: whether an earlier run of the shard made the output.
  case written(byteCount: Int, path: String, isKept: Bool)
  case failed(Diagnostic)
  case cancelled
}
