import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  /// Registers the functions that the prelude needs in addition to those that scripts call.
  func registerHelpers() {
    register("version") { (session, _, _) throws(LuaHostError) in
      [.string(session.options.version)]
    }
    register("fail", takesStandIns: true) { (_, arguments, _) throws(LuaHostError) in
      guard case .string(let message)? = arguments.first else { return [] }
      throw .mistake(message)
    }
    register("stand_in_kinds") { (_, _, _) throws(LuaHostError) in
      [.table(LuaTable(array: StandInKind.allCases.map { .string($0.rawValue) }))]
    }
    register("call_mistake", takesStandIns: true) { (session, arguments, _) throws(LuaHostError) in
      [session.called(arguments.first)]
    }
    register("kind", takesStandIns: true) { (_, arguments, _) throws(LuaHostError) in
      [.string(arguments.first?.kindName ?? "nil")]
    }
    register("unknown_method") { (session, arguments, position) throws(LuaHostError) in
      try session.unknownMethod(arguments, position)
    }
    register("prelude_part") { (_, arguments, _) throws(LuaHostError) in
      let isLists = arguments.first == .string("Lists")
      return [.string(EmbeddedScript.text(isLists ? "Lists.lua" : "MorePrelude.lua"))]
    }
    register("absent_field") { (session, arguments, position) throws(LuaHostError) in
      guard arguments.count == 2, case .string(let name) = arguments[0], case .string(let block) = arguments[1]
      else { return [] }
      if session.absentFields.updateValue((block, position), forKey: name) == nil {
        session.lua.claim(byteCount: 2 * Self.recordByteCount + name.utf8.count)
      }
      return []
    }
    register("absent_global") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let name)? = arguments.first else { return [.boolean(false)] }
      return [.boolean(session.readAbsentGlobal(name, position))]
    }
    register("read_headers") { (session, arguments, _) throws(LuaHostError) in
      let pictures = session.pictures(in: arguments.first)
      session.lua.waiting { session.run.readHeaders(pictures) }
      return [.table(LuaTable(array: pictures.map { .boolean(session.isReadable($0)) }))]
    }
    register("enter_item", takesStandIns: true) { (session, _, _) throws(LuaHostError) in
      session.itemStarts.append(session.pictures.count)
      return []
    }
    register("leave_item", takesStandIns: true) { (session, arguments, _) throws(LuaHostError) in
      session.lastItem = session.itemStarts.removeLast()
      guard case .string(let message)? = arguments.first else { return [.boolean(false)] }
      return [.boolean(message.hasSuffix(Self.givenUp))]
    }
    register("forget_item", takesStandIns: true) { (session, _, _) throws(LuaHostError) in
      session.unreturned.formUnion(session.pictures[session.lastItem...].compactMap(\.position))
      return []
    }
    register("unreadable") { (session, arguments, position) throws(LuaHostError) in
      guard let picture = session.picture(arguments.first) else { return [] }
      return [session.object(session.graph.invalid(from: picture, at: position))]
    }
    register("left_out") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let why)? = arguments.last else { return [] }
      let names = session.pictures(in: arguments.first).map { $0.origin?.name ?? "a picture from no file" }
      session.tell("note: left out, \(why): ", names, by: "filter", position)
      return []
    }
    register("smallest_common_size") { (session, arguments, _) throws(LuaHostError) in
      try session.smallestCommonSize(session.pictures(in: arguments.first))
    }
  }

  private func isReadable(_ picture: Picture) -> Bool {
    do throws(Picture.Problem) {
      _ = try picture.info()
      return true
    } catch {
      if case .diagnostic(let diagnostic) = error { graph.note(diagnostic) }
      return false
    }
  }

  /// Returns the largest size that every readable picture covers: the smallest width and the smallest height.
  private func smallestCommonSize(_ pictures: [Picture]) throws(LuaHostError) -> [LuaValue] {
    lua.waiting { run.readHeaders(pictures) }
    let layouts = pictures.filter(isReadable).compactMap { try? $0.info().layout }
    guard let width = layouts.map(\.width).min(), let height = layouts.map(\.height).min() else {
      // The list is empty, or has only unreadable files, which have already been reported.
      if !graph.mistakes.isEmpty { return [standIn()] }
      throw .mistake("smallest_common_size: the list has no pictures")
    }
    return [
      .table(LuaTable(fields: [("width", .integer(width)), ("height", .integer(height))]))
    ]
  }

  /// Reports an unknown method or field, such as `picture:resze{…}`. If it is one of a picture, the script continues
  /// with an invalid picture, so that one run finds later mistakes, too.
  private func unknownMethod(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    guard case .string(let type)? = arguments.first, arguments.count > 2, case .table(let table) = arguments[2]
    else { return [] }
    let names = table.array.compactMap { value -> String? in
      if case .string(let name) = value { name } else { nil }
    }
    guard case .string(let key) = arguments[1] else {
      guard case .integer(let index) = arguments[1], type == "picture" else {
        throw .mistake("a \(type) cannot be indexed by \(arguments[1].kindName)")
      }
      let message = "a picture is not a list and has no [\(index)]"
      guard plugins.loading == nil, plugins.callers.isEmpty else { throw .mistake(message) }
      if let position { unknownFields.insert(position) }
      graph.note(Diagnostic(.script, at: position, message: message))
      // The result is nil and not a stand-in, so that a loop over `ipairs` ends.
      return []
    }
    let hint =
      type == "list" && picturesHave(key)
      ? wayToPictures(key)
      : Suggestion.nearest(to: key, in: names).map { " (did you mean '\($0)'?)" } ?? ""
    let message = "\(type.hasPrefix("imghost") ? type : "a \(type)") has no '\(printable(key))'\(hint)"
    guard type == "picture", arguments.count > 3, let picture = picture(arguments[3]) else {
      throw .mistake(message)
    }
    if let position { unknownFields.insert(position) }
    graph.report(key, message + (hint.isEmpty ? "; see 'imghost ops'" : ""), position)
    return [standIn(forMethodGiving: graph.invalid(from: picture, at: position))]
  }

  /// Returns whether pictures have a method with this name. Called for a list that has no such method.
  private func picturesHave(_ name: String) -> Bool { measures(name) || makesPicture(name) }

  func measures(_ name: String) -> Bool {
    run.environment.measurements.contains { $0.descriptor.name == name }
  }

  func makesPicture(_ name: String) -> Bool {
    name == "plugin" || run.environment.operations.contains { $0.descriptor.name == name }
  }

  /// Returns the advice to call a method on each picture of a list.
  private func wayToPictures(_ name: String) -> String {
    let call =
      makesPicture(name)
      ? "list:map(function(p) return p:\(name)(…) end)"
      : "for _, p in ipairs(list) do p:\(name)(…) end"
    return "; call it on each picture: \(call)"
  }
}
