import ImageCore
import ImagePipeline
import LuaRuntime
import Scheduling

extension ScriptSession {
  /// `save`, `book` and what can be done with the jobs they return.
  func registerSinks() {
    register("save") { (session, arguments, position) throws(LuaHostError) in
      try session.refuseOutputsOfPlugins("save")
      let pictures = session.pictures(in: arguments.first)
      guard arguments.count > 1, case .string(let template) = arguments[1] else {
        try Self.refuseBytes(arguments.dropFirst().first, "save")
        throw .mistake(
          "save takes a path first: picture:save(\"web/{stem}.jpg\", { quality = 85 })")
      }
      let raw = session.options(arguments.dropFirst(2))
      let job = session.run.save(
        pictures, to: template, after: session.jobs(in: raw), raw, at: position)
      return [session.object(job)]
    }
    register("book") { (session, arguments, position) throws(LuaHostError) in
      try session.book(arguments, "book", position)
    }
    register("contact_sheet") { (session, arguments, position) throws(LuaHostError) in
      try session.book(arguments, "contact_sheet", position)
    }
    register("await") { (session, arguments, _) throws(LuaHostError) in
      let job = try session.job(arguments.first, "await")
      try session.wait(forNextOf: [job])
      return [job.luaResult]
    }
    register("count_over") { (session, arguments, _) throws(LuaHostError) in
      [.integer(session.listedJobs(arguments.first).count(where: \.isFinished))]
    }
    register("await_next") { (session, arguments, _) throws(LuaHostError) in
      guard arguments.count > 1, case .integer(let known) = arguments[1] else {
        preconditionFailure("the prelude says how many are over")
      }
      try session.wait(forNextOf: session.listedJobs(arguments.first), known: known)
      return []
    }
    register("start") { (session, _, _) throws(LuaHostError) in
      try session.wait(forNextOf: [])
      return [.boolean(session.run.options.isDryRun)]
    }
    register("cancel") { (session, arguments, position) throws(LuaHostError) in
      let place = position.map { " at \(printable($0.file)):\($0.line)" } ?? ""
      session.run.cancel(
        try session.job(arguments.first, "cancel"),
        CancellationReason("the script cancelled it" + place))
      return []
    }
    register("enter_class") { (session, arguments, _) throws(LuaHostError) in
      let names = QualityOfService.allCases.map(\.name)
      guard case .string(let name)? = arguments.first, let qos = QualityOfService(name: name)
      else {
        let given = arguments.first.flatMap { if case .string(let name) = $0 { name } else { nil } }
        let hint = given.flatMap { Suggestion.nearest(to: $0, in: names) }
        throw .mistake(
          "qos takes a class of service first"
            + (hint.map { " (did you mean '\($0)'?)" } ?? "") + "; valid: "
            + names.joined(separator: ", "))
      }
      defer { session.run.currentQoS = qos }
      return [.string(session.run.currentQoS.name)]
    }
    register("is_over") { (session, arguments, _) throws(LuaHostError) in
      [.boolean(try session.job(arguments.first, "await").isFinished)]
    }
    register("job_state") { (session, arguments, _) throws(LuaHostError) in
      [.string(try session.job(arguments.first, "state").stateName)]
    }
    register("on_done") { (session, arguments, _) throws(LuaHostError) in
      let job = try session.job(arguments.first, "on_done")
      guard arguments.count > 1, case .function(let function) = arguments[1] else {
        throw .mistake("on_done takes a function: job:on_done(function(result) … end)")
      }
      guard !job.isFinished else {
        do throws(LuaError) {
          _ = try session.lua.call(function, [job.luaResult])
        } catch {
          throw LuaHostError(error)
        }
        return []
      }
      session.callbacks[ObjectIdentifier(job), default: []].append(
        (function, session.run.currentQoS))
      return []
    }
  }

  /// Records a book for a method.
  private func book(_ arguments: [LuaValue], _ method: String, _ position: ScriptPosition?)
    throws(LuaHostError) -> [LuaValue]
  {
    try refuseOutputsOfPlugins(method)
    guard case .string(let path)? = arguments.first else {
      try Self.refuseBytes(arguments.first, method)
      throw .mistake(
        "\(method) takes a path first: img.\(method)(\"\(method).pdf\", pictures)")
    }
    let raw = options(arguments.dropFirst(2), groups: SinkParameters.texts)
    let job = run.book(
      path, of: pictures(in: arguments.dropFirst().first), after: jobs(in: raw),
      coverOf: coverOf(in: raw), isContactSheet: method == "contact_sheet", raw, at: position)
    return [object(job)]
  }

  /// A path that is not UTF-8 would be another one.
  static func refuseBytes(_ value: LuaValue?, _ method: String) throws(LuaHostError) {
    guard case .notUTF8(let text)? = value else { return }
    throw .mistake(
      "\(method): the path '\(printable(text))' is not UTF-8; names of files must be")
  }

  /// The prelude has checked that this is a list of jobs.
  private func listedJobs(_ argument: LuaValue?) -> [Job] {
    (ArgumentConversion.jobs(argument ?? .none) ?? []).map { jobs[$0] }
  }

  /// Starts what was asked for, and waits until more of the jobs are over than is known.
  private func wait(forNextOf jobs: [Job], known: Int = 0) throws(LuaHostError) {
    do {
      try lua.waiting {
        try run.settle()
        // A dry run starts none of them.
        let jobs = run.options.isDryRun ? [] : jobs
        try run.wait(forNextOf: jobs, known: known, onFinished: notify)
      }
    } catch let error as LuaError {
      throw LuaHostError(error)
    } catch {
      throw .abort
    }
  }

  /// The jobs that the option `after` names.
  private func jobs(in raw: RawArguments, _ option: String = "after") -> [Job] {
    guard case .jobs(let handles)? = raw.named.first(where: { $0.name == option })?.value else {
      return []
    }
    return handles.map { jobs[$0] }
  }

  /// The one book that the option `cover_of` names.
  private func coverOf(in raw: RawArguments) -> Job? {
    let named = jobs(in: raw, "cover_of")
    return named.count == 1 ? named[0] : nil
  }

  /// The pictures of a list that the prelude has checked.
  func pictures(in value: LuaValue?) -> [Picture] {
    guard case .table(let table)? = value else { return [] }
    return table.array.compactMap { picture($0) }
  }
}
