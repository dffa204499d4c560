import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  /// `save`, `book` and what can be done with the jobs they return.
  func registerSinks() {
    register("save") { (session, arguments, position) throws(LuaHostError) in
      let pictures = session.pictures(in: arguments.first)
      guard arguments.count > 1, case .string(let template) = arguments[1] else {
        throw LuaHostError(
          message: "save takes a path first: picture:save(\"web/{stem}.jpg\", { quality = 85 })")
      }
      let raw = session.options(arguments.dropFirst(2))
      return [session.object(session.run.save(pictures, to: template, raw, at: position))]
    }
    register("book") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let path)? = arguments.first else {
        throw LuaHostError(message: "book takes a path first: img.book(\"book.pdf\", pictures)")
      }
      let pictures = session.pictures(in: arguments.dropFirst().first)
      let raw = session.options(arguments.dropFirst(2))
      return [session.object(session.run.book(path, of: pictures, raw, at: position))]
    }
    register("await") { (session, arguments, _) throws(LuaHostError) in
      let job = try session.job(arguments.first, "await")
      do {
        try session.run.settle()
        try session.run.wait(for: job, onFinished: session.notify)
      } catch let error as LuaError {
        throw LuaHostError(error)
      } catch {
        throw .abort
      }
      return [job.luaResult]
    }
    register("cancel") { (session, arguments, _) throws(LuaHostError) in
      try session.job(arguments.first, "cancel").cancel()
      return []
    }
    register("job_state") { (session, arguments, _) throws(LuaHostError) in
      [.string(try session.job(arguments.first, "state").stateName)]
    }
    register("on_done") { (session, arguments, _) throws(LuaHostError) in
      let job = try session.job(arguments.first, "on_done")
      guard arguments.count > 1, case .function(let function) = arguments[1] else {
        throw LuaHostError(message: "on_done takes a function: job:on_done(function(result) … end)")
      }
      guard !job.isFinished else {
        do throws(LuaError) {
          _ = try session.lua.call(function, [job.luaResult])
        } catch {
          throw LuaHostError(error)
        }
        return []
      }
      session.callbacks[ObjectIdentifier(job), default: []].append(function)
      return []
    }
  }

  /// The pictures of a list that the prelude has checked.
  func pictures(in value: LuaValue?) -> [Picture] {
    guard case .table(let table)? = value else { return [] }
    return table.array.compactMap { picture($0) }
  }
}
