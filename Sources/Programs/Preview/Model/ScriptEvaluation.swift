import ImageCore
import ImagePipeline
import Platform

/// The outputs and messages of a script, evaluated without writing anything.
package struct ScriptEvaluation: Sendable {
  package enum Status: String, Sendable {
    case ok
    case mistakes
    /// The script's file does not exist.
    case missing
    /// The script did not end in time.
    case stuck
  }

  package struct Message: Sendable {
    package enum Kind: String, Sendable { case mistake, note, print }
    package let kind: Kind
    package let position: ScriptPosition?
    package let text: String

    package init(_ kind: Kind, _ text: String, at position: ScriptPosition? = nil) {
      self.kind = kind
      self.position = position
      self.text = text
    }
  }

  package var status: Status
  package var messages: [Message] = []
  /// The checked graphs of the script, which contain its outputs.
  package var graphs: [CheckedGraph] = []
  /// The settings that the script declares, and the parameters of its plugins, as JSON for the page.
  package var settings: [JSON] = []
  /// Names of given settings that the script does not declare, although it declares others.
  package var unknownSettings: [String] = []
  /// The language of dates in texts.
  package var locale = TimeLocale.english
  /// The paths of the script, its modules and its pictures.
  package var files: [String] = []

  package init(_ status: Status) { self.status = status }
}

/// Evaluates a script for the preview.
package protocol ScriptEvaluator: Sendable {
  /// Evaluates the current version of the script. Called on one thread.
  ///
  /// - Returns: the evaluation; nil if it was stopped and has to be repeated.
  func evaluate(_ settings: [String: String]) -> ScriptEvaluation?
  /// Makes a running evaluation end soon. Safe to call from any thread.
  func stop()
}
