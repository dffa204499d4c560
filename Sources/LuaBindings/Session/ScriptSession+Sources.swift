import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  /// `open`, `glob`, `canvas`: where pictures come from.
  func registerSources() {
    register("open") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let path)? = arguments.first else {
        throw LuaHostError(
          message: "open takes a path, not \(arguments.first?.kindName ?? "nil")")
      }
      let raw = session.options(arguments.dropFirst())
      return [session.object(session.run.open(path, raw, at: position))]
    }
    register("glob") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let pattern)? = arguments.first else {
        throw LuaHostError(
          message: "glob takes a pattern such as \"photos/*.jpg\", not "
            + (arguments.first?.kindName ?? "nil"))
      }
      let matches = FilePattern(pattern).matches()
      for path in matches.unreachable {
        session.run.note(
          Diagnostic(
            .input, at: position, subject: "glob", file: path,
            message: "the name is not UTF-8; rename the file"))
      }
      if matches.paths.isEmpty, matches.unreachable.isEmpty {
        session.run.report("glob", "'\(printable(pattern))' matches no file", position)
      }
      let raw = session.options(arguments.dropFirst())
      let items = matches.paths.map {
        session.object(
          session.run.open($0, raw, mayBeLink: matches.links.contains($0), at: position))
      }
      return [.table(LuaTable(array: items))]
    }
    register("canvas") { (session, arguments, position) throws(LuaHostError) in
      let raw = session.options(arguments[...], for: SourceParameters.canvas)
      return [session.object(session.run.canvas(raw, at: position))]
    }
  }

  /// Arguments without pictures among them.
  func options(
    _ arguments: ArraySlice<LuaValue>, for parameters: [ParameterDescriptor] = [],
    groups: [String] = []
  ) -> RawArguments {
    var conversion = ArgumentConversion(pictures: pictures)
    // In Lua a missing argument and nil are the same.
    var given = arguments
    while case .some(LuaValue.none) = given.last { given.removeLast() }
    return conversion.raw(given, for: parameters, groups: groups)
  }
}
