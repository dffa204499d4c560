import Foundation
import Testing

extension PluginHostTests {
  /// The header for plugins, compiled with the oldest and strictest settings of compilers.
  @Suite struct HeaderTests {
    private static let source = """
      #include "imghost_plugin.h"
      const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *host) {
        (void)host;
        return version == IMGHOST_ABI_VERSION ? (const imghost_plugin *)0 : (const imghost_plugin *)1;
      }

      """

    /// A codec that uses all that the header offers to authors in C.
    private static let codec = """
      #include "imghost_plugin.h"
      static const imghost_host *host;
      #define fail(...) imghost_fail(host, __VA_ARGS__)
      static int32_t open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
          uint32_t value_count, void **instance, imghost_image *image) {
        (void)file, (void)values, (void)value_count, (void)instance, (void)image;
        return page > 0 ? fail(call, "has no page %u", page) : fail(call, "is empty");
      }
      static const imghost_parameter parameters[] = {{IMGHOST_PARAMETER("speed", INT), .maximum = 9, .help = "Haste"}};
      static const imghost_codec codec = {.struct_size = sizeof(imghost_codec), .open = open};
      static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};
      IMGHOST_CODEC_PLUGIN(host, tables, (void)0, .name = "tile", .parameter_count = 1, .parameters = parameters)

      """

    /// Returns the compiler's messages, empty for none; nil if the compiler is not installed.
    private func compile(_ compiler: String, _ language: String, _ standard: String, _ source: String = source) throws
      -> String?
    {
      let process = Process()
      let (input, output) = (Pipe(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        compiler, "-x", language, "-std=\(standard)", "-pedantic", "-Wall", "-Wextra", "-Werror",
        "-fsyntax-only", "-I", Built.root + "/Sources/Engine/CPluginABI/include", "-",
      ]
      process.standardInput = input
      process.standardError = output
      process.standardOutput = output
      try process.run()
      input.fileHandleForWriting.write(Data(source.utf8))
      try input.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      if process.terminationStatus == 127 { return nil }
      return process.terminationStatus == 0 ? "" : text
    }

    @Test(arguments: [
      (["cc", "clang"], "c", ["c89", "c99", "c17"]),
      (["c++", "clang++"], "c++", ["c++98", "c++17"]),
    ])
    func compiles(_ compilers: [String], _ language: String, _ standards: [String]) throws {
      var tried = 0
      for compiler in compilers {
        for standard in standards {
          guard let words = try compile(compiler, language, standard) else { continue }
          #expect(words == "", "\(compiler) \(standard)")
          tried += 1
        }
      }
      #expect(tried > 0)
    }

    @Test(arguments: ["c99", "c17"])
    func helpsAuthors(_ standard: String) throws {
      let words = try ["cc", "clang"].compactMap { try compile($0, "c", standard, Self.codec) }
      #expect(!words.isEmpty && words.allSatisfy { $0 == "" }, "\(words)")
    }
  }
}
