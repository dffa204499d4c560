import ImagePipeline
import LuaRuntime

extension Job {
  /// The job's result as a table for `await` and `on_done`.
  ///
  /// The fields are `ok`, `written`, `kept`, `failed`, `cancelled`, `reason` (of the cancellation), `files` and
  /// `errors`; for a book also `path`, `pages`, `verified` (nil without verification) and `verification`.
  var luaResult: LuaValue {
    let result = self.result
    let there = result.outputs.filter { $0.byteCount != nil && $0.failure == nil }
    let errors = result.outputs.compactMap { $0.failure?.text }
    var fields: [(String, LuaValue)] = [
      ("ok", .boolean(result.isSuccess)),
      ("written", .integer(there.count { !$0.isKept })),
      ("kept", .integer(there.count(where: \.isKept))),
      ("failed", .integer(errors.count)),
      ("cancelled", .boolean(result.isCancelled)),
      ("reason", result.reason.map { .string($0.description) } ?? .none),
      ("files", .table(LuaTable(array: there.map { .string($0.path) }))),
      ("errors", .table(LuaTable(array: errors.map { .string($0) }))),
    ]
    if kind == .book {
      fields.append(("path", .string(result.outputs.first?.path ?? "")))
      fields.append(("pages", .integer(result.pages)))
      if let verification = result.verification {
        fields.append(("verified", .boolean(verification.isVerified)))
        fields.append(("verification", .string(verification.summary)))
      }
    }
    return .table(LuaTable(fields: fields))
  }
}
