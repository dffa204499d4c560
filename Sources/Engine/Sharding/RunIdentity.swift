import ImageCore
import ImagePipeline

/// The facts that all shards of a run must share. Shards with different identities cannot be merged.
package struct RunIdentity: Sendable, Equatable {
  /// The version of imghost and a digest of its program.
  package var version: String
  /// The script's file name.
  package var script: String
  /// The SHA-256 of the script's text, in hexadecimal digits.
  package var digest: String
  package var arguments: [String]
  /// Options that affect the output, with their values, such as `--set` and `--on-error`.
  package var options: [String]

  package init(version: String, script: String, digest: String, arguments: [String], options: [String]) {
    (self.version, self.script, self.digest) = (version, script, digest)
    (self.arguments, self.options) = (arguments, options)
  }

  /// Returns the first difference as a clause; nil if there is none.
  ///
  /// - Parameter host: the machine on which the other shard ran.
  func difference(from other: Self, on host: String) -> String? {
    if version != other.version {
      return "it was made by imghost \(printable(other.version)) on \(printable(host)), and this is \(version)"
    }
    if digest != other.digest { return "it was made by another version of the script" }
    if arguments != other.arguments {
      return "it was made with the script's arguments '\(printable(other.arguments.joined(separator: " ")))', "
        + "and this run has '\(printable(arguments.joined(separator: " ")))'"
    }
    if options != other.options {
      return "it was made with '\(printable(other.options.joined(separator: " ")))', "
        + "and this run has '\(printable(options.joined(separator: " ")))'"
    }
    return nil
  }
}
