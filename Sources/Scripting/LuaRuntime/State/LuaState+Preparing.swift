import CShims

extension LuaState {
  /// Adds a field to the prelude's table `host`, which no script sees.
  ///
  /// `body` runs on the state's thread, inside a call into Lua. Its time counts as the script's, except for
  /// what it spends in ``waiting(_:)``. It may call ``call(_:_:)``. The state keeps it; a body that refers to
  /// the state must do so weakly or unowned.
  package func register(_ name: String, _ body: @escaping HostFunction) {
    registerEncoded(name) { (arguments, line, encoder) throws(LuaHostError) in
      let results = try body(arguments, line)
      for result in results { try encoder.value(result) }
      return results.count
    }
  }

  /// Runs what a host function waits for, or what reads files and is no doing of the script's: its time does not count.
  /// Calls into Lua within it do.
  package func waiting<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let span = shim_lua_begin(lua)
    defer { shim_lua_end_idle(lua, span) }
    return try body()
  }

  /// Like ``register(_:_:)`` for a function that writes its results as tokens.
  func registerEncoded(_ name: String, _ body: @escaping EncodedFunction) {
    functions.append(body)
    let code = shim_lua_register(lua, name, Int32(functions.count - 1))
    precondition(code == SHIM_LUA_OK, "no memory to register host function \(name)")
  }

  /// Runs a trusted chunk, which may build the script's API as globals of its own environment.
  ///
  /// It sees Lua's whole base library, `string`, `table`, `math`, `utf8`, `coroutine` and `os` untouched by
  /// scripts, the table `host` of registered functions, and `types`, where `types.picture` is the metatable
  /// of all objects of type "picture". Lines of trusted chunks never appear in errors that a script caused.
  /// Chunks share one environment, in which later ones find what earlier ones left.
  ///
  /// - Parameter name: names the chunk in errors of its own, which are bugs of the host.
  package func loadPrelude(_ source: String, name: String) throws(LuaError) {
    let code = Array(source.utf8).withUnsafeBufferPointer {
      shim_lua_prelude(lua, $0.baseAddress, $0.count, name)
    }
    try check(code)
  }

  /// Makes `require "name"` return what preludes left in their global `global`.
  package func addModule(_ name: String, fromPreludeGlobal global: String) {
    let code = shim_lua_module(lua, name, global)
    precondition(code == SHIM_LUA_OK, "preludes left no global \(global) for module \(name)")
  }
}
