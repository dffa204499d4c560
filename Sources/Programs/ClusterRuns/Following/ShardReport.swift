import ImagePipeline

/// The result of a shard of a run, from its manifest.
package struct ShardReport: Sendable, Equatable {
  /// The exit status of the shard.
  package let status: Int32
  package let failures: [Diagnostic]
  /// The name of the node that processed it.
  package let host: String

  package init(status: Int32, failures: [Diagnostic] = [], host: String = "") {
    self.status = status
    self.failures = failures
    self.host = host
  }
}
