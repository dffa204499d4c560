import ImageCore
import ImagePipeline
import LuaBindings
import LuaRuntime
import Scheduling

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The plugins written in Lua, read outside of any script: for lists, help and editor stubs.
enum LuaPluginCatalog {
  /// Time and memory their files may take to declare themselves.
  private static let limits = LuaLimits(memoryBytes: 64 << 20, seconds: 2)

  /// Every file on the search path and in a folder `plugins` of the current one. A file that never ends is
  /// told, and ends the program.
  static func list(_ host: HostEnvironment, _ files: LuaPluginFiles? = nil) -> [LuaPluginListing] {
    let scheduler = Scheduler(Scheduler.Configuration(workers: 1, memoryBudget: 64 << 20))
    let run = Run(
      environment: host.environment, options: RunOptions(), scheduler: scheduler,
      cancellation: CancellationToken(), observer: { _ in })
    let session = ScriptSession(
      run: run,
      options: ScriptSession.Options(
        version: CommandLineProgram.version, settings: [:], limits: limits,
        plugins: files ?? host.luaPlugins),
      onPrint: { _ in },
      onOverrun: { message in
        Terminal.error("imghost: a plugin written in Lua: \(message)")
        _exit(ExitStatus.someFailed.rawValue)
      })
    return session.listPlugins()
  }

  static func descriptor(named name: String, _ host: HostEnvironment) -> OperationDescriptor? {
    list(host).lazy.compactMap { try? $0.outcome.get() }.first { $0.name == name }
  }
}
