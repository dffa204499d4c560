import ImageCore
import CommandInterface
import ImagePipeline
import PluginHost

/// The events of `--json`: each is one object on a line of standard output.
package enum RunEvents {
  /// The version of the schema, Docs/Reference/events.schema.json.
  package static let schema = 2

  static func emit(_ event: String, _ fields: [(String, JSON)]) {
    Terminal.output(JSON.object([("event", .text(event)), ("schema", .integer(schema))] + fields).line)
  }

  static func emit(_ event: RunEvent) {
    let (name, fields) = fields(event)
    emit(name, fields)
  }

  static func emitPluginLog(_ plugin: String, isWarning: Bool, _ text: String) {
    emit("plugin_log", [("plugin", .text(plugin)), ("warning", .boolean(isWarning)), ("text", .text(text))])
  }

  static func emitEnd(_ totals: Run.Totals, _ status: ExitStatus, seconds: Double) {
    emit(
      "finished",
      [
        ("status", .integer(Int(status.rawValue))), ("written", .integer(totals.written)),
        ("kept", .integer(totals.kept)),
        ("failed", .integer(totals.failed)), ("cancelled", .integer(totals.cancelled)),
        ("bytes", .integer(totals.byteCount)), ("seconds", .number(seconds)),
      ])
  }

  /// Returns the name and the fields of an event.
  static func fields(_ event: RunEvent) -> (name: String, fields: [(String, JSON)]) {
    switch event {
    case .started(let pictures): ("started", [("pictures", .integer(pictures))])
    case .pictureDone: ("picture_done", [])
    case .wrote(let path, let byteCount, let layout, let quality):
      (
        "wrote",
        [
          ("path", .text(path)), ("bytes", .integer(byteCount)),
          ("width", .optional(layout?.width)), ("height", .optional(layout?.height)),
        ] + (quality.map { [("quality", .integer($0))] } ?? [])
      )
    case .kept(let path, let byteCount): ("kept", [("path", .text(path)), ("bytes", .integer(byteCount))])
    case .failed(let diagnostic): ("failed", diagnostic.json)
    case .note(let diagnostic): ("note", diagnostic.json)
    case .cancelled(let path, let reason):
      ("cancelled", [("path", .text(path)), ("reason", .text(reason.description))])
    case .verified(let path, let outcome):
      (
        "verified",
        [
          ("path", .text(path)), ("ok", .boolean(outcome.isVerified)),
          ("summary", .text(outcome.summary)),
          ("findings", .array(outcome.lines(about: path).map { .text($0) })),
        ]
      )
    }
  }
}

extension Diagnostic {
  fileprivate var json: [(String, JSON)] {
    [
      ("kind", .text(kind.rawValue)), ("script", .optional(position?.file)),
      ("line", .optional(position?.line)), ("subject", .optional(subject)),
      ("file", .optional(file)), ("message", .text(messageWithAdvice)), ("text", .text(text)),
    ]
  }
}
