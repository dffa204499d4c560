import Foundation
import Synchronization
import TestSupport
import Testing

/// Compiles plugins for tests.
enum Fixture {
  /// The libraries that this run has compiled, by the compiler's arguments.
  private static let compiled = Mutex<[[String]: [UInt8]]>([:])

  /// Compiles a file of the plugin host's fixtures into a library.
  static func compile(_ source: String, _ macros: [String], to output: String, options: [String] = []) throws {
    let arguments = ["\(Built.root)/Tests/PluginHostTests/Fixtures/\(source).c"] + macros.map { "-D" + $0 } + options
    let library = try compiled.withLock { compiled in
      if let library = compiled[arguments] { return library }
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments =
        ["cc", "-shared", "-fPIC", "-I", Built.root + "/Sources/Engine/CPluginABI/include", "-o", output] + arguments
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)
      let library = [UInt8](try Data(contentsOf: URL(fileURLWithPath: output)))
      compiled[arguments] = library
      return library
    }
    // A library that a worker has loaded keeps its bytes.
    try writeFile(library, to: output + ".new")
    try #require(rename(output + ".new", output) == 0)
  }
}
