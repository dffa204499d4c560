import ImageCore
import ImagePipeline
import Platform

/// The outputs and messages of a script, found out without making any of it.
package struct ScriptEvaluation: Sendable {
  package enum Status: String, Sendable {
    case ok
    case mistakes
    /// The script's file is not there.
    case missing
    /// The script did not end.
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
  package var outputs: [PlannedOutput] = []
  /// Settings that the script declares, and parameters of its plugins, as JSON for the page.
  package var settings: [JSON] = []
  /// Names among the settings that the script does not declare, though it declares others.
  package var unknownSettings: [String] = []
  /// The language of dates in texts.
  package var locale = TimeLocale.english
  /// The script, its modules and its pictures.
  package var files: [String] = []

  package init(_ status: Status) { self.status = status }
}

/// Finds out what a script asks for.
package protocol ScriptEvaluator: Sendable {
  /// Evaluates the script as it is now. Called on one thread.
  ///
  /// - Returns: Nil if it was stopped; it is to be evaluated again then.
  func evaluate(_ settings: [String: String]) -> ScriptEvaluation?
  /// Ends a running evaluation soon. From any thread.
  func stop()
}
