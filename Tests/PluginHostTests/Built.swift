import Foundation
import ImageCore
import PluginHost
import Synchronization

/// The products of the build, in the folder of the test program, and plugins that are compiled for a test.
enum Built {
  /// The folder of the test program: `.build/…/debug`.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  static let worker = folder + "/imghost-plugin-worker"

  /// The folder of the checkout, derived from the path of this file.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static let fixtures = root + "/Tests/PluginHostTests/Fixtures"

  /// A folder in that of the build for files that this run compiles. Files of the last run are removed.
  static let scratch: String = {
    let path = folder + "/plugin-fixtures"
    try? FileManager.default.removeItem(atPath: path)
    return path
  }()

  /// Returns a new empty folder.
  static func newFolder() -> String {
    let path = scratch + "/" + UUID().uuidString
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Compiles `Fixtures/<source>.c` with macros into a library in a new folder, and returns the folder.
  static func plugin(_ source: String, _ macros: [String] = []) throws -> String {
    let folder = newFolder()
    try compile(["-shared", "-fPIC"] + macros.map { "-D" + $0 }, source, to: "\(folder)/lib\(source)Plugin.so")
    return folder
  }

  /// Compiles `Fixtures/misbehaving.c` into a plugin that needs a library of its own, which lies in another folder
  /// and is found by the plugin's run path. Gives both folders.
  ///
  /// - Parameter macros: made of the library's folder.
  static func pluginWithLibrary(_ macros: (String) -> [String] = { _ in [] }) throws
    -> (plugin: String, library: String)
  {
    let (folder, other) = (newFolder(), newFolder())
    try compile(["-shared", "-fPIC"], "needed", to: other + "/libneeded.so")
    try compile(
      ["-shared", "-fPIC", "-DNEEDED", "-L" + other, "-Wl,--no-as-needed", "-lneeded"]
        + ["-Wl,-rpath," + other] + macros(other).map { "-D" + $0 }, "misbehaving",
      to: "\(folder)/libmisbehavingPlugin.so")
    return (folder, other)
  }

  /// Replaces the library that a plugin needs by another version.
  static func upgradeLibrary(in folder: String, to version: String) throws {
    try FileManager.default.removeItem(atPath: folder + "/libneeded.so")
    try compile(["-shared", "-fPIC", "-DLIBRARY_VERSION=\"\(version)\""], "needed", to: folder + "/libneeded.so")
  }

  /// Compiles `Fixtures/<source>.c` into a frei0r library in a new folder, and returns the folder.
  static func frei0r(_ source: String, _ macros: [String] = []) throws -> String {
    let folder = newFolder()
    try compile(["-shared", "-fPIC"] + macros.map { "-D" + $0 }, source, to: "\(folder)/\(source).so")
    return folder
  }

  /// Compiles `Fixtures/<source>.c` into a program that pretends to be the worker.
  static func program(_ source: String, _ macros: [String] = []) throws -> String {
    let path = newFolder() + "/worker"
    try compile(macros.map { "-D" + $0 }, source, to: path)
    return path
  }

  /// The files that this run has compiled, by the compiler's arguments. Tests run one after another.
  private static let compiled = Mutex<[[String]: String]>([:])

  private static func compile(_ options: [String], _ source: String, to output: String) throws {
    let key = options + [source]
    if let earlier = compiled.withLock({ $0[key] }) {
      try FileManager.default.copyItem(atPath: earlier, toPath: output)
      return
    }
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let result = "\(newFolder())/compiled"
    compiler.arguments =
      ["cc", "-O0", "-I", root + "/Sources/Engine/CPluginABI/include"] + options
      + ["-o", result, "\(fixtures)/\(source).c"]
    try compiler.run()
    compiler.waitUntilExit()
    struct CompilerFailed: Error {}
    guard compiler.terminationStatus == 0 else { throw CompilerFailed() }
    compiled.withLock { $0[key] = result }
    try FileManager.default.copyItem(atPath: result, toPath: output)
  }
}

/// A deadline that only a hanging plugin exceeds, even on a busy machine.
let patience = Duration.seconds(600)

/// Returns a host for one folder. Tests of hanging plugins pass short deadlines, which cannot be too short for them.
func host(
  _ folder: String = Built.folder, worker: String = Built.worker, deadline: Duration = patience,
  describeDeadline: Duration = patience, workersPerPlugin: Int = 4, inProcess: Bool = false,
  onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
) -> PluginHost {
  host([PluginFolder(path: folder, files: .pluginLibraries)], onEvent: onEvent) {
    $0.worker = worker
    $0.deadline = deadline
    $0.describeDeadline = describeDeadline
    $0.workersPerPlugin = workersPerPlugin
    $0.inProcess = inProcess
  }
}

/// Returns a host for several folders, with long deadlines.
func host(_ folders: [PluginFolder]) -> PluginHost { host(folders) { _ in } }

/// Returns a host for several folders, with long deadlines, and a configuration that `change` has changed.
func host(
  _ folders: [PluginFolder], onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in },
  change: (inout PluginHost.Configuration) -> Void
) -> PluginHost {
  var configuration = PluginHost.Configuration(searchPath: folders, worker: Built.worker)
  configuration.deadline = patience
  configuration.describeDeadline = patience
  change(&configuration)
  return PluginHost(configuration, onEvent: onEvent)
}
