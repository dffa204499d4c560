import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  /// `open`, `glob`, `canvas`: where pictures come from.
  func registerSources() {
    register("open") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let path)? = arguments.first else {
        try Self.refuseBytes(arguments.first, "open")
        throw .mistake("open takes a path, not \(arguments.first?.kindName ?? "nil")")
      }
      let raw = session.options(arguments.dropFirst())
      return [session.object(session.run.open(path, raw, at: position))]
    }
    register("glob") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let pattern)? = arguments.first else {
        try Self.refuseBytes(arguments.first, "glob")
        throw .mistake(
          "glob takes a pattern such as \"photos/*.jpg\", not "
            + (arguments.first?.kindName ?? "nil"))
      }
      let isNew = session.patterns.insert(pattern).inserted
      let matches = session.matches(of: pattern, isNew: isNew)
      for path in matches.unreachable {
        session.run.note(
          Diagnostic(
            .input, at: position, subject: "glob", file: path,
            message: "the name is not UTF-8; rename the file"))
      }
      if isNew { session.tellUnread(matches.unread, position) }
      // As with a file that is not there, the rest goes on where the run is told to.
      if matches.paths.isEmpty {
        if matches.unreachable.isEmpty {
          session.run.note(
            Diagnostic(
              .input, at: position, subject: "glob",
              message: "'\(printable(pattern))' matches no file"))
        }
        session.run.hasEmptyGlob = true
        // What stands for its pictures, for scripts that ask for one by its number.
        return [.table(LuaTable(array: [])), session.standIn()]
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

  /// Reads folders, which may lie on a slow disk: that time is not the script's. It is where the script looks for the
  /// same again, or for more patterns than any folder needs, so that a loop that does nothing else ends.
  private func matches(of pattern: String, isNew: Bool) -> FilePattern.Matches {
    let read = { FilePattern(pattern).matches() }
    return isNew && patterns.count <= 1_000 ? lua.waiting(read) : read()
  }

  /// No book is without a picture of its folder and silent about it.
  private func tellUnread(_ paths: [String], _ position: ScriptPosition?) {
    guard !paths.isEmpty else { return }
    let names = paths.prefix(5).map { printable($0) }.joined(separator: ", ")
    run.tell(
      Diagnostic(
        .input, at: position, subject: "glob",
        message:
          "note: imghost cannot read these formats, beside the pictures of the pattern: \(names)"
          + (paths.count > 5 ? " and \(paths.count - 5) more" : "")))
  }

  /// Arguments without pictures among them.
  func options(
    _ arguments: ArraySlice<LuaValue>, for parameters: [ParameterDescriptor] = [],
    groups: [String] = []
  ) -> RawArguments {
    var conversion = ArgumentConversion(pictures: pictures)
    return conversion.raw(arguments, for: parameters, groups: groups)
  }
}
