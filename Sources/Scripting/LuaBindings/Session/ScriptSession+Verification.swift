import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  func registerVerification() {
    register("verify") { (session, arguments, position) throws(LuaHostError) in
      try session.refuseOutputsOfPlugins("verify")
      guard let path = Self.path(arguments.first) else {
        throw .mistake("verify takes a path first: img.verify(\"book.pdf\", { pages = 4 })")
      }
      let raw = session.options(arguments.dropFirst())
      if session.isDivided, session.run.makes(document: path) {
        throw .mistake(
          "no shard has the finished '\(printable(path))'; leave this out and give the book verify = true, which "
            + "'imghost merge' does, or use 'imghost run' without --shard")
      }
      session.run.options.part.needScript("'verify'", position)
      guard let check = session.run.documentCheck(path, raw, at: position) else { return [session.standIn()] }
      let report = try session.waiting { try session.run.verify(check, onFinished: session.notify) }
      return [report.luaTable]
    }
  }
}

extension DocumentReport {
  /// The result of `img.verify`.
  fileprivate var luaTable: LuaValue {
    let errors = findings.filter { $0.severity == "error" }
    // A document without errors does not count as verified if it was not compared with expectations.
    let text = reasonUnsealed ?? errors.map(\.line).joined(separator: "\n")
    let others = findings.filter { $0.severity != "error" }
    let sheets = pages.enumerated().map { index, page in
      LuaValue.table(
        LuaTable(fields: [
          ("number", .integer(index + 1)), ("width", .number(page.width)),
          ("height", .number(page.height)), ("pictures", .integer(page.pictures)),
          ("ok", .boolean(!errors.contains { $0.page == index + 1 })),
          ("text", page.text.map { .string($0) } ?? .none),
        ]))
    }
    let fonts = fonts.map { font in
      LuaValue.table(LuaTable(fields: [("name", .string(font.name)), ("embedded", .boolean(font.isEmbedded))]))
    }
    return .table(
      LuaTable(fields: [
        ("ok", .boolean(isSound)), ("sealed", .boolean(isSealed)),
        ("verified", .boolean(isSound && isSealed && isLookedAt)),
        ("path", .string(path)), ("pages", .integer(expectedPages ?? pages.count)),
        ("sheets", .table(LuaTable(array: sheets))),
        ("faults", .table(LuaTable(array: errors.map(\.luaTable)))),
        ("remarks", .table(LuaTable(array: others.map(\.luaTable)))),
        ("fonts", .table(LuaTable(array: fonts))),
        ("text", .string(text)),
      ]))
  }
}

extension DocumentReport.Finding {
  fileprivate var line: String { (page.map { "page \($0): " } ?? "") + text }

  fileprivate var luaTable: LuaValue {
    .table(
      LuaTable(fields: [
        ("page", page.map { .integer($0) } ?? .none), ("severity", .string(severity)), ("text", .string(text)),
      ]))
  }
}
