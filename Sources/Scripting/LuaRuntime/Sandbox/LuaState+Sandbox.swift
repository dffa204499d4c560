import Platform

extension LuaState {
  /// Registers what `Sandbox.lua` takes from `host` and hides again.
  func registerSandboxFunctions() {
    register("print_line") { [unowned self] arguments, _ in
      switch arguments.first {
      case .string(let line)?, .notUTF8(let line)?: waiting { onPrint(PathBytes.readable(line)) }
      default: break
      }
      return []
    }
    // A module's text reaches Lua byte for byte, as the script's own does.
    registerEncoded("load_module") { [unowned self] arguments, _, encoder in
      guard case .string(let path)? = arguments.first, let source = waiting({ moduleLoader(path) })
      else { return 0 }
      encoder.string(bytes: source)
      return 1
    }
  }
}
