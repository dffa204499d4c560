import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  func registerSources() {
    register("open") { (session, arguments, position) throws(LuaHostError) in
      guard let path = Self.path(arguments.first) else {
        throw .mistake("open takes a path, not \(arguments.first?.kindName ?? "nil")")
      }
      let raw = session.options(arguments.dropFirst())
      return [session.object(session.graph.open(path, raw, at: position))]
    }
    register("pages") { (session, arguments, position) throws(LuaHostError) in
      guard let path = Self.path(arguments.first) else {
        throw .mistake("pages takes a path, not \(arguments.first?.kindName ?? "nil")")
      }
      let raw = session.options(arguments.dropFirst())
      do throws(Picture.Problem) {
        let pages = try session.lua.waiting { () throws(Picture.Problem) in
          try session.graph.pages(path, raw, at: position)
        }
        return [.table(LuaTable(array: pages.map { session.object($0) }))]
      } catch {
        if case .diagnostic(let diagnostic) = error { session.graph.note(diagnostic) }
        session.graph.lacksPictures = true
        return [.table(LuaTable(array: [])), session.standIn()]
      }
    }
    register("glob") { (session, arguments, position) throws(LuaHostError) in
      guard let pattern = Self.path(arguments.first) else {
        throw .mistake("glob takes a pattern such as \"photos/*.jpg\", not " + (arguments.first?.kindName ?? "nil"))
      }
      if let second = Self.path(arguments.dropFirst().first) {
        throw .mistake(
          "glob takes one pattern; join two lists: img.glob(\"\(printable(pattern))\") .. "
            + "img.glob(\"\(printable(second))\")")
      }
      let isNew = session.patterns.insert(pattern).inserted
      if isNew { session.lua.claim(byteCount: 64 + pattern.utf8.count) }
      let matches = try session.matches(of: pattern, isNew: isNew)
      session.graph.inputs.addSearched(matches.searched.lazy.map(\.text))
      // A book must not leave out these pictures silently.
      if isNew, !matches.unread.isEmpty {
        session.tell(
          "note: pictures of other formats beside the matches are left out: ", matches.unread.map { printable($0) },
          position)
      }
      let paths = session.pictures(among: matches.paths, of: pattern, isNew, position)
      // With `--on-error continue`, a pattern without matches does not end the run, just as a missing file does not.
      if paths.isEmpty {
        session.graph.note(
          Diagnostic(
            .input, at: position, subject: "glob",
            message: try session.reason(noMatch: pattern, unlisted: matches.unlisted)))
        session.graph.lacksPictures = true
        // Scripts that index the empty list get the stand-in.
        return [.table(LuaTable(array: [])), session.standIn()]
      }
      let (raw, skips) = session.globOptions(arguments.dropFirst(), position)
      if isNew { session.tellUnlisted(matches.unlisted, skips: skips, position) }
      var pictures = paths.map {
        session.graph.open($0, raw, by: "glob", mayBeLink: matches.links.contains($0), at: position)
      }
      if skips { pictures = session.readable(pictures, position) }
      return [.table(LuaTable(array: pictures.map { session.object($0) }))]
    }
    register("canvas") { (session, arguments, position) throws(LuaHostError) in
      let raw = session.options(arguments[...], for: SourceParameters.canvas)
      return [session.object(session.graph.canvas(raw, at: position))]
    }
    register("text") { (session, arguments, position) throws(LuaHostError) in
      let raw = session.options(arguments[...], for: session.run.environment.textPicture?.descriptor.parameters ?? [])
      return [session.object(session.graph.textPicture(raw, at: position))]
    }
  }

  /// Returns the message about a pattern that matches no file.
  ///
  /// - Parameter unlisted: the errors for folders that the search could not list.
  private func reason(noMatch pattern: String, unlisted: [FileError]) throws(LuaHostError) -> String {
    let head = "'\(printable(pattern))' matches no file"
    if let unlisted = unlisted.first { return "\(head): '\(printable(unlisted.path))': \(unlisted)" }
    if FilePattern.isFolder(pattern, followLinks: true) {
      let all = printable(PathName.joined(FilePattern.plain(pattern), "*"))
      return "'\(printable(pattern))' is a folder; write '\(all)'"
    }
    return head + (try bracketHint(pattern))
  }

  /// Returns a hint for a pattern that would match files if its brackets or braces were literal; an empty text for
  /// other patterns.
  private func bracketHint(_ pattern: String) throws(LuaHostError) -> String {
    for plain in FilePattern.withPlainBrackets(pattern).prefix(8) {
      guard try !matches(of: plain, isNew: true).paths.isEmpty else { continue }
      let signs =
        pattern.contains("[")
        ? "brackets match one of the characters inside; to match a name with brackets"
        : "braces hold alternatives; to match a name with braces"
      return ": \(signs), write '\(printable(plain))'"
    }
    return ""
  }

  /// Finds the files that match a pattern. Waiting for a slow disk does not count as the script's time, unless the
  /// script repeats a pattern or uses more than 1000 patterns: the time limit must end an endless loop of such calls.
  private func matches(of pattern: String, isNew: Bool) throws(LuaHostError) -> FilePattern.Matches {
    let waits = isNew && patterns.count <= 1_000
    return try lua.working(countsWaiting: !waits) { work throws(LuaHostError) in
      try FilePattern(pattern, work).matches()
    }
  }

  /// Returns the options of `glob` without `skip_unreadable`, and the value of that option.
  private func globOptions(_ arguments: ArraySlice<LuaValue>, _ position: ScriptPosition?) -> (RawArguments, Bool) {
    var raw = options(arguments)
    guard let index = raw.named.firstIndex(where: { $0.name == "skip_unreadable" }) else { return (raw, false) }
    let value = raw.named.remove(at: index).value
    guard case .boolean(let skips) = value else {
      graph.report("glob", "'skip_unreadable' takes true or false", position)
      return (raw, false)
    }
    return (raw, skips)
  }

  /// Leaves out files that are not pictures, if the last part of the pattern has no extension: `photos/*`.
  private func pictures(among paths: [String], of pattern: String, _ isNew: Bool, _ position: ScriptPosition?)
    -> [String]
  {
    guard !PathName.name(pattern).utf8.contains(UInt8(ascii: ".")) else { return paths }
    let read = { [graph] in paths.map(graph.unrecognised) }
    let reasons = isNew && patterns.count <= 1_000 ? lua.waiting(read) : read()
    graph.inputs.addSearched(zip(paths, reasons).lazy.filter { $0.1 != nil }.map(\.0))
    // Sidecars belong to pictures, so the note does not mention them.
    let others = zip(paths, reasons).filter { $0.1 != nil && PathName.fileExtension($0.0) != "xmp" }
    if isNew { tellLeftOut(others.map { (printable($0.0), $0.1) }, position) }
    return zip(paths, reasons).filter { $0.1 == nil }.map(\.0)
  }

  /// Leaves out pictures whose headers cannot be read, and notes them together.
  private func readable(_ pictures: [Picture], _ position: ScriptPosition?) -> [Picture] {
    lua.waiting { run.readHeaders(pictures) }
    var reasons: [String] = []
    let kept = pictures.filter { picture in
      do throws(Picture.Problem) {
        _ = try picture.info()
        return true
      } catch {
        if case .diagnostic(let diagnostic) = error {
          reasons.append("\(printable(picture.origin?.path ?? "")) (\(diagnostic.message))")
        }
        return false
      }
    }
    if !reasons.isEmpty { tell("note: left out, unreadable: ", reasons, position) }
    return kept
  }

  /// Notes the files that are not pictures in one line, and those whose plugin is missing in one line for each plugin.
  private func tellLeftOut(_ files: [(name: String, reason: CodecError?)], _ position: ScriptPosition?) {
    var groups: [(words: String, names: Set<String>)] = []
    for (name, reason) in files {
      var words = "no pictures that imghost reads"
      if case .notRecognised(let kind?, let remedy?) = reason { words = "\(kind), whose plugin is missing (\(remedy))" }
      if let index = groups.firstIndex(where: { $0.words == words }) {
        groups[index].names.insert(name)
      } else {
        groups.append((words, [name]))
      }
    }
    for (words, names) in groups { tell("note: left out, \(words): ", names.sorted(), position) }
  }

  /// Notes files or pictures in one line, which contains the names of at most five.
  ///
  /// - Parameter function: the function whose call the note is about.
  func tell(_ words: String, _ names: [String], by function: String = "glob", _ position: ScriptPosition?) {
    let shown = 5
    let more = names.count > shown ? " and \(names.count - shown) more" : ""
    graph.tell(
      Diagnostic(
        .input, at: position, subject: function, message: words + names.prefix(shown).joined(separator: ", ") + more))
  }

  /// Reports folders that could not be listed: as a note if `skips`, because their pictures are then left out like
  /// other unreadable ones; otherwise as a mistake.
  private func tellUnlisted(_ errors: [FileError], skips: Bool, _ position: ScriptPosition?) {
    guard let first = errors.first else { return }
    // The pictures in these folders may still exist, so their earlier outputs do not count as dropped by the script.
    graph.lacksPictures = true
    if skips {
      return tell("note: left out, unreadable: ", errors.map { "\(printable($0.path)) (\($0))" }, position)
    }
    let more = errors.count == 1 ? "" : ", and \(errors.count - 1) more"
    graph.note(
      Diagnostic(
        .input, at: position, subject: "glob",
        message: "the folder '\(printable(first.path))' cannot be searched\(more): \(first)"))
  }

  /// Converts arguments that should contain no pictures.
  func options(_ arguments: ArraySlice<LuaValue>, for parameters: [ParameterDescriptor] = [], groups: [String] = [])
    -> RawArguments
  {
    var conversion = ArgumentConversion(pictures: pictures)
    return conversion.raw(arguments, for: parameters, groups: groups)
  }
}

/// Finds out whether a script depends on more than the graph knows, see `ScriptInputs`.
extension ScriptSession {
  /// The functions whose results depend only on their arguments, the command line, and the inputs that the graph knows:
  /// see `ScriptInputs`.
  static let functionsOfInputs: Set<String> = [
    "absent_field", "absent_global", "animation", "apply", "book", "canvas", "contact_sheet", "declare_setting",
    "describe", "enter_class", "enter_item", "folder", "forget_item", "glob", "groups", "hint", "kind", "leave_item",
    "measure",
    "measurement_names", "multipage", "of_inside", "on_load_plugin", "open", "operation_names", "page", "pages",
    "pages_of_book", "picture_names", "prelude_part", "property", "property_names", "read_headers", "save", "settings",
    "smallest_common_size", "stand_in_kinds", "taken", "text", "tiles", "use_setting", "version",
  ]

  /// Notes in the graph if the results of the script may depend on more than the graph knows: on Lua's functions that
  /// tell the time or the memory in use, or that run a text as code. The script and its modules can reach these only
  /// through the names below. Templates are not searched for the names, so any template counts.
  func noteOtherInputs() {
    let names = ["os", "load", "loadstring", "collectgarbage", "_G", "_ENV"]
    let mayReachOthers = sources.values.contains { !LuaTokens($0).words.isDisjoint(with: names) }
    if mayReachOthers || !templateFiles.isEmpty { graph.inputs.hasOthers = true }
  }
}
