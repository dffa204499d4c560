import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  /// Registers the functions for dates of pictures, and for what groups take beside them.
  func registerDates() {
    register("locale") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let name)? = arguments.first else {
        throw .mistake("locale takes a name such as img.locale(\"de_DE\")")
      }
      session.run.setLocale(name, at: position)
      return []
    }
    register("taken") { (session, arguments, _) throws(LuaHostError) in
      guard let picture = session.picture(arguments.first) else { return [] }
      guard let date = session.lua.waiting({ PictureDate(picture.metadata()) }) else { return [] }
      return [
        .table(
          LuaTable(fields: [
            ("day", .string(date.day)), ("month", .string(date.month)), ("order", .integer(date.order)),
          ]))
      ]
    }
    register("groups") { (session, arguments, _) throws(LuaHostError) in
      guard case .table(let names)? = arguments.first, case .table(let counts)? = arguments.last else { return [] }
      session.nextGroups = zip(names.array, counts.array).compactMap { name, count in
        guard case .string(let name) = name, case .integer(let count) = count else { return nil }
        return PictureGroup(name: name, count: count)
      }
      return []
    }
    register("folder") { (session, arguments, _) throws(LuaHostError) in
      [.string(session.picture(arguments.first)?.origin?.folderName ?? "")]
    }
  }
}
