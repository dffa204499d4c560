import CShims

extension LuaState {
  /// Runs a script in the sandbox until it ends.
  ///
  /// - Parameters:
  ///   - source: The script's text; a first line that starts with `#` is skipped. Bytecode is refused.
  ///   - name: The file as the user gave it, for messages and for finding modules beside it.
  ///   - arguments: The values in `arg[1…]` and in `...`; `arg[0]` is `name`.
  package func run(source: [UInt8], name: String, arguments: [String]) throws(LuaError) {
    var encoder = TokenEncoder(owner: identity)
    for argument in arguments { encoder.string(argument) }
    let code = source.withUnsafeBufferPointer { source in
      encoder.bytes.withUnsafeBufferPointer {
        shim_lua_script(lua, source.baseAddress, source.count, name, $0.baseAddress, arguments.count)
      }
    }
    try check(code)
  }

  /// Calls a function that the script handed out, on the state's thread.
  ///
  /// It may not yield out of the call. Throws ``LuaError/runtime(message:line:)`` also when an argument has
  /// no Lua form.
  package func call(_ function: LuaFunction, _ arguments: [LuaValue]) throws(LuaError) -> [LuaValue] {
    precondition(function.owner == identity, "a LuaFunction of another state")
    var encoder = TokenEncoder(owner: identity)
    do {
      for argument in arguments { try encoder.value(argument) }
    } catch {
      throw .runtime(message: error.message, line: nil)
    }
    let code = encoder.bytes.withUnsafeBufferPointer {
      shim_lua_call(lua, Int64(function.reference), $0.baseAddress, arguments.count)
    }
    try check(code)
    var length = 0
    var count = 0
    let results = UnsafeRawBufferPointer(start: shim_lua_results(lua, &length, &count), count: length)
    return TokenDecoder.values(results, count: count, owner: identity)
  }

  /// Serves one call of a script: C's arguments in, a code out, the answer left with C.
  func serve(function: Int, _ arguments: UnsafeRawBufferPointer, _ count: Int) -> Int32 {
    let arguments = TokenDecoder.values(arguments, count: count, owner: identity)
    var encoder = TokenEncoder(owner: identity)
    do {
      let results = try functions[function](arguments, currentLine, &encoder)
      return answer(encoder.bytes, results, SHIM_LUA_OK)
    } catch {
      switch error.kind {
      case .message, .mistake: return answer(Array(error.message.utf8), 0, SHIM_LUA_ERROR)
      case .abort: return Int32(SHIM_LUA_ABORTED)
      case .time: return Int32(SHIM_LUA_OUT_OF_TIME)
      case .memory: return Int32(SHIM_LUA_OUT_OF_MEMORY)
      }
    }
  }

  private func answer(_ bytes: [UInt8], _ count: Int, _ code: Int) -> Int32 {
    let kept = bytes.withUnsafeBufferPointer {
      shim_lua_answer(lua, $0.baseAddress, $0.count, count)
    }
    return Int32(kept ? code : SHIM_LUA_OUT_OF_MEMORY)
  }

  /// Turns C's code into an error, with what C knows about it.
  func check(_ code: Int32) throws(LuaError) {
    let line = ScriptLine(shim_lua_error_line(lua).pointee)
    switch Int(code) {
    case SHIM_LUA_OK: return
    case SHIM_LUA_SYNTAX_ERROR: throw .syntax(message: lastMessage, line: line)
    case SHIM_LUA_OUT_OF_MEMORY: throw .memory(limit: limits.memoryBytes, line: line)
    case SHIM_LUA_OUT_OF_TIME: throw .time(limit: limits.seconds, line: line)
    case SHIM_LUA_ABORTED: throw .aborted
    default: throw .runtime(message: lastMessage, line: line)
    }
  }

  private var lastMessage: String {
    var length = 0
    let bytes = shim_lua_message(lua, &length)
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }
}

extension ScriptLine {
  /// Nil if C reports no line.
  init?(_ line: shim_lua_line) {
    guard line.line > 0 else { return nil }
    let file = withUnsafeBytes(of: line.file) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(file: file, line: Int(line.line))
  }
}
