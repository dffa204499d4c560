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

  /// Notes in the graph if the script may depend on something that the graph does not know: if it loads a template, or
  /// if it or one of its modules contains a name through which Lua's functions for the time, for memory, or for running
  /// texts as code can be reached.
  func noteOtherInputs() {
    let names = ["os", "load", "loadstring", "collectgarbage", "_G", "_ENV"]
    let mayReachOthers = sources.values.contains { source in
      let words = LuaWords(source)
      return names.contains { words.contains($0) }
    }
    if mayReachOthers || !templateFiles.isEmpty { graph.inputs.hasOthers = true }
  }
}
