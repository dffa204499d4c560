import BookComposing
import ImageCore
import ImagePipeline
import LuaRuntime
import Scheduling
import Platform

extension ScriptSession {
  func registerSinks() {
    for (name, example) in [
      ("save", "picture:save(\"web/{stem}.jpg\", { quality = 85 })"), ("tiles", "picture:tiles(\"zoom/{stem}\")"),
    ] {
      register(name) { (session, arguments, position) throws(LuaHostError) in
        try session.refuseOutputsOfPlugins(name)
        let pictures = session.pictures(in: arguments.first)
        guard arguments.count > 1, let template = Self.path(arguments[1]) else {
          throw .mistake("\(name) takes a path first: \(example)")
        }
        let raw = session.options(arguments.dropFirst(2))
        let jobs = session.jobs(in: raw)
        let job =
          name == "tiles"
          ? session.graph.tiles(pictures, to: template, after: jobs, raw, at: position)
          : session.graph.save(pictures, to: template, after: jobs, raw, at: position)
        return [session.object(job)]
      }
    }
    register("book") { (session, arguments, position) throws(LuaHostError) in
      try session.book(arguments, "book", position)
    }
    register("of_inside") { (session, arguments, _) throws(LuaHostError) in
      let book = try session.job(arguments.first, "book")
      guard let (pictures, title) = session.books.insideOfCover(book) else {
        throw .mistake("a cover takes a book, as img.book returns it")
      }
      return [.table(LuaTable(array: pictures.map { session.object($0) })), title.map { .string($0) } ?? .none]
    }
    for name in ["animation", "multipage"] {
      register(name) { (session, arguments, position) throws(LuaHostError) in
        try session.multipage(arguments, name, position)
      }
    }
    register("contact_sheet") { (session, arguments, position) throws(LuaHostError) in
      try session.book(arguments, "contact_sheet", position)
    }
  }

  func registerJobs() {
    register("await") { (session, arguments, position) throws(LuaHostError) in
      session.run.options.part.needScript("'await'", position)
      let job = try session.job(arguments.first, "await")
      try session.wait(forNextOf: [job])
      return session.isDivided ? [] : [job.luaResult]
    }
    register("count_over") { (session, arguments, _) throws(LuaHostError) in
      [.integer(session.listedJobs(arguments.first).count(where: \.isFinished))]
    }
    register("await_next") { (session, arguments, _) throws(LuaHostError) in
      guard arguments.count > 1, case .integer(let known) = arguments[1] else {
        preconditionFailure("the prelude passes the number of jobs that are over")
      }
      try session.wait(forNextOf: session.listedJobs(arguments.first), known: known)
      return []
    }
    register("start") { (session, _, position) throws(LuaHostError) in
      session.run.options.part.needScript("'await'", position)
      try session.wait(forNextOf: [])
      return [.boolean(session.run.options.isDryRun || session.isDivided)]
    }
    registerShards()
    register("cancel") { (session, arguments, position) throws(LuaHostError) in
      session.run.options.part.needScript("'cancel'", position)
      let place = position.map { " at \(printable($0.file)):\($0.line)" } ?? ""
      session.run.cancel(
        try session.job(arguments.first, "cancel"),
        CancellationReason("the script cancelled it" + place))
      return []
    }
    register("is_over") { (session, arguments, _) throws(LuaHostError) in
      [.boolean(try session.job(arguments.first, "await").isFinished)]
    }
    register("job_state") { (session, arguments, _) throws(LuaHostError) in
      let job = try session.job(arguments.first, "state")
      if session.isDivided { throw Self.unknownResult("the state of a job") }
      return [.string(job.stateName)]
    }
    register("on_done") { (session, arguments, position) throws(LuaHostError) in
      session.run.options.part.needScript("'on_done'", position)
      return try session.onDone(arguments)
    }
    register("enter_class") { (session, arguments, _) throws(LuaHostError) in
      try session.enterClass(arguments)
    }
  }

  /// Stores a function for the end of a job, or calls it immediately if the job has ended.
  private func onDone(_ arguments: [LuaValue]) throws(LuaHostError) -> [LuaValue] {
    let job = try job(arguments.first, "on_done")
    guard arguments.count > 1, case .function(let function) = arguments[1] else {
      throw .mistake("on_done takes a function: job:on_done(function(result) … end)")
    }
    // In a shard, the result is not known, so `imghost merge` calls the function.
    if isDivided { return [] }
    guard job.isFinished else {
      callbacks[ObjectIdentifier(job), default: []].append((function, graph.currentQoS))
      lua.claim(byteCount: Self.recordByteCount)
      return []
    }
    do throws(LuaError) {
      _ = try lua.call(function, [job.luaResult])
    } catch {
      throw LuaHostError(error)
    }
    return []
  }

  /// Sets the service class of later jobs, and returns the previous one.
  private func enterClass(_ arguments: [LuaValue]) throws(LuaHostError) -> [LuaValue] {
    let names = QualityOfService.allCases.map(\.name)
    guard case .string(let name)? = arguments.first, let qos = QualityOfService(name: name) else {
      let given = arguments.first.flatMap { if case .string(let name) = $0 { name } else { nil } }
      let hint = given.flatMap { Suggestion.nearest(to: $0, in: names) }
      throw .mistake(
        "qos takes a service class first" + (hint.map { " (did you mean '\($0)'?)" } ?? "")
          + "; valid: " + names.joined(separator: ", "))
    }
    defer { graph.currentQoS = qos }
    return [.string(graph.currentQoS.name)]
  }

  /// Records the book that a call of `method` requests.
  private func book(_ arguments: [LuaValue], _ method: String, _ position: ScriptPosition?)
    throws(LuaHostError) -> [LuaValue]
  {
    try refuseOutputsOfPlugins(method)
    guard let path = Self.path(arguments.first) else {
      throw .mistake(
        "\(method) takes a path first: img.\(method)(\"\(method).pdf\", pictures)")
    }
    var raw = options(arguments.dropFirst(2), groups: BookOptions.texts + ["section"])
    // A text instead of a table is the heading of the section.
    for index in raw.named.indices where raw.named[index].name == "section" {
      raw.named[index].name = "section_heading"
    }
    // `true` requests the default text, which is represented by an empty text.
    for index in raw.named.indices.reversed() where raw.named[index].name == "colophon" {
      guard case .boolean(let isWanted) = raw.named[index].value else { continue }
      if isWanted { raw.named[index].value = .text("") } else { raw.named.remove(at: index) }
    }
    takeTemplates(&raw)
    let job = books.book(
      path, of: pictures(in: arguments.dropFirst().first), in: nextGroups, pages: nextPages, after: jobs(in: raw),
      coverOf: coverOf(in: raw), isContactSheet: method == "contact_sheet", raw, at: position)
    (nextGroups, nextPages) = ([], [])
    return [object(job)]
  }

  /// Resolves the path of the template file relative to the script's folder. The file belongs to the script, so no
  /// output may overwrite it.
  private func takeTemplates(_ raw: inout RawArguments) {
    for index in raw.named.indices where raw.named[index].name == "templates" {
      guard case .text(let path) = raw.named[index].value else { continue }
      let folder = plugins.scriptFolder ?? ""
      let file = folder.isEmpty || PathName.isAbsolute(path) ? path : folder + "/" + path
      raw.named[index].value = .text(file)
      graph.addScript(file)
      templateFiles.insert(file)
    }
  }

  /// Records a file with several pages or frames.
  private func multipage(_ arguments: [LuaValue], _ method: String, _ position: ScriptPosition?)
    throws(LuaHostError) -> [LuaValue]
  {
    try refuseOutputsOfPlugins(method)
    guard let path = Self.path(arguments.first) else {
      let ending = method == "animation" ? "webp" : "tif"
      throw .mistake("\(method) takes a path first: img.\(method)(\"\(method).\(ending)\", pictures)")
    }
    let raw = options(arguments.dropFirst(2))
    let job = graph.multipage(
      path, of: pictures(in: arguments.dropFirst().first), isAnimation: method == "animation", after: jobs(in: raw),
      raw, at: position)
    return [object(job)]
  }

  /// Returns a path in the form of `PathBytes`; nil for a value that is not a string.
  static func path(_ value: LuaValue?) -> String? {
    switch value {
    case .string(let text)?: PathBytes.text(of: text)
    case .notUTF8(let text)?: text
    default: nil
    }
  }

  /// Returns the jobs of a list that the prelude has checked.
  private func listedJobs(_ argument: LuaValue?) -> [Job] {
    (ArgumentConversion.jobs(argument ?? .none) ?? []).map { jobs[$0] }
  }

  /// Starts all jobs, and waits until more than `known` of the given jobs have ended.
  private func wait(forNextOf jobs: [Job], known: Int = 0) throws(LuaHostError) {
    noteAbsentGlobals()
    try waiting {
      try run.settle()
      // A dry run starts no jobs, and a shard starts only some of them, so neither waits for any.
      let jobs = run.options.isDryRun || isDivided ? [] : jobs
      try run.wait(forNextOf: jobs, known: known, onFinished: notify)
    }
  }

  /// Waits for the run as `LuaState.waiting` does. Throws the errors of callbacks; any other error stops the script.
  func waiting<Result>(_ body: () throws -> Result) throws(LuaHostError) -> Result {
    do {
      return try lua.waiting(body)
    } catch let error as LuaError {
      throw LuaHostError(error)
    } catch {
      throw .abort
    }
  }

  /// Returns the jobs in the option `after`, or in another option.
  private func jobs(in raw: RawArguments, _ option: String = "after") -> [Job] {
    guard case .jobs(let handles)? = raw.named.first(where: { $0.name == option })?.value else { return [] }
    return handles.map { jobs[$0] }
  }

  /// Returns the book in the option `cover_of`; nil unless the option names exactly one job.
  private func coverOf(in raw: RawArguments) -> Job? {
    let named = jobs(in: raw, "cover_of")
    return named.count == 1 ? named[0] : nil
  }

  /// Returns the pictures of a list that the prelude has checked.
  func pictures(in value: LuaValue?) -> [Picture] {
    guard case .table(let table)? = value else { return [] }
    return table.array.compactMap { picture($0) }
  }
}
