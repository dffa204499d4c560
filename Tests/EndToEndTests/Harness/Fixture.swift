import Foundation
import Testing

/// Plugins compiled for a test.
enum Fixture {
  /// Compiles a file of the plugin host's fixtures into a library.
  static func compile(_ source: String, _ macros: [String], to output: String, options: [String] = []) throws {
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      [
        "cc", "-shared", "-fPIC", "-I", Built.root + "/Sources/Engine/CPluginABI/include", "-o",
        output,
        "\(Built.root)/Tests/PluginHostTests/Fixtures/\(source).c",
      ] + macros.map { "-D" + $0 } + options
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
  }
}
