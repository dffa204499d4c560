import ImagePipeline
import LuaRuntime

/// Scripts whose work is divided: no shard knows the results of the others.
extension ScriptSession {
  /// Whether the script runs in a shard, or in a plan of shards.
  var isDivided: Bool { run.options.part.isDivided }

  func registerShards() {
    register("is_divided") { (session, _, _) throws(LuaHostError) in [.boolean(session.isDivided)] }
    register("refuse_result") { (_, arguments, _) throws(LuaHostError) in
      guard arguments.count > 1, case .string(let field) = arguments[1] else {
        throw Self.unknownResult("the result of a job")
      }
      throw Self.unknownResult(field.contains(" ") ? field : "'\(field)' of a job's result")
    }
  }

  /// The mistake of a script that depends on what other shards make.
  static func unknownResult(_ what: String) -> LuaHostError {
    .mistake(
      "\(what) is not known in a shard, because other shards make a part of the job; read it in a function given to "
        + "on_done, which 'imghost merge' calls, or use 'imghost run' without --shard")
  }
}
