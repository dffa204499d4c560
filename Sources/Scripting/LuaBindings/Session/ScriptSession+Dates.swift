import BookComposing
import ImageCore
import ImagePipeline
import LuaRuntime

extension ScriptSession {
  func registerDates() {
    register("locale") { (session, arguments, position) throws(LuaHostError) in
      guard case .string(let name)? = arguments.first else {
        throw .mistake("locale takes a name such as img.locale(\"de_DE\")")
      }
      session.graph.setLocale(name, at: position)
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
    register("undated") { (session, arguments, position) throws(LuaHostError) in
      guard arguments.count == 3, case .integer(let count) = arguments[1], case .string(let call) = arguments[2]
      else { return [] }
      session.tellUndated(session.pictures(in: arguments.first), of: count, call, position)
      return []
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

  /// Notes the pictures without a date in a call that sorts or groups pictures by date.
  private func tellUndated(_ pictures: [Picture], of count: Int, _ call: String, _ position: ScriptPosition?) {
    // Mistakes and files that cannot be read are reported elsewhere.
    let undated = pictures.filter { (try? $0.info()) != nil }
    guard !undated.isEmpty else { return }
    let (has, comes, stands) = undated.count == 1 ? ("has", "comes", "is") : ("have", "come", "are")
    let consequence = call == "sort_by" ? "\(comes) last" : "\(stands) in the group 'undated'"
    tell(
      "note: \(undated.count) of \(count) picture\(count == 1 ? "" : "s") \(has) no date and \(consequence): ",
      undated.map { printable($0.origin?.name ?? "a picture from no file") }, by: call, position)
  }
}
