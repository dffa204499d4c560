import Foundation
import TestSupport
import Testing

/// `--worker-command`: runs plugins under valgrind, AddressSanitizer and gdb.
struct WorkerCommandTests {
  private func folder(_ macros: String..., options: [String] = []) throws -> Folder {
    let folder = try Folder()
    try Fixture.compile("misbehaving", macros, to: folder("libodd.so"), options: ["-g"] + options)
    try folder.copy(Built.photos + "/coffee.png", to: "a.png")
    return folder
  }

  private func run(_ folder: Folder, _ command: String) throws -> Outcome {
    try folder.imghost(
      ["plugin", "run", "--worker-command", command, "odd", "a.png", "b.png"],
      environment: ["IMGHOST_PLUGIN_PATH": folder.path], seconds: 60)
  }

  @Test(.wholeRuns, .unsanitized, .installed("valgrind")) func valgrindFindsAWriteBeyondABlock() throws {
    let folder = try folder("HEAP_OVERFLOW")
    let outcome = try run(folder, "valgrind -q")
    outcome.expect(status: 0, error: "Invalid write of size 1")
    #expect(outcome.error.contains("process (misbehaving.c:"), "\(outcome)")
    #expect(folder.exists("b.png"))
    // Without the option, nothing of it is seen.
    let plain = try folder.imghost(
      ["plugin", "run", "odd", "a.png", "c.png"], environment: ["IMGHOST_PLUGIN_PATH": folder.path])
    #expect(plain.status == 0 && plain.messages == [], "\(plain)")
    #expect(folder.bytes("b.png") == folder.bytes("c.png"))
  }

  /// valgrind 3.19 of Debian 12 does not read DWARF 5, and says so for each unit of it, also with `-q`.
  @Test func pluginsHaveOldDebugInformation() throws {
    let plugins = Built.files(in: Built.folder).filter { $0.hasPrefix("lib") && $0.hasSuffix("Plugin.so") }
    #expect(plugins.count >= 10, "\(plugins)")
    for plugin in plugins {
      let versions = DebugUnits.versions(
        try Data(contentsOf: URL(fileURLWithPath: Built.program(plugin)), options: .alwaysMapped))
      // The C of the library 'Scheduling', three files, may have no flags of its own: packages depend on a version of it.
      let most = versions.count > 1_000 ? 3 : 0
      #expect(versions.count { $0 > 4 } <= most, "\(plugin): \(versions.count { $0 > 4 }) of \(versions.count) units")
    }
  }

  /// A library that was built for the sanitizer cannot even be described without it.
  @Test(.wholeRuns, .unsanitized) func addressSanitizerFindsAWriteBeyondABlock() throws {
    let library = try #require(try SecondOpinions.run("cc", ["-print-file-name=libasan.so"])?.text)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let command = "env LD_PRELOAD='\(library)'"
    let bad = try folder("HEAP_OVERFLOW", options: ["-fsanitize=address"])
    let outcome = try run(bad, command)
    outcome.expect(status: 1)
    #expect(outcome.error.contains("AddressSanitizer: heap-buffer-overflow"), "\(outcome)")
    #expect(!bad.exists("b.png"))
    let good = try folder(options: ["-fsanitize=address"])
    let fine = try run(good, command)
    #expect(fine.status == 0 && good.exists("b.png"), "\(fine)")
  }

  @Test(.wholeRuns, .installed("gdb")) func gdbStopsAtACrash() throws {
    let folder = try folder("CRASH")
    let outcome = try run(folder, "gdb -q -batch -ex run -ex backtrace --args")
    outcome.expect(status: 1)
    #expect(outcome.output.contains("SIGSEGV") || outcome.error.contains("SIGSEGV"), "\(outcome)")
    #expect(outcome.output.contains("#0") && outcome.output.contains("misbehaving.c:"), "\(outcome)")
  }

  @Test(.wholeRuns) func checksRunUnderTheCommand() throws {
    let folder = try folder("HEAP_OVERFLOW")
    try folder.makeFolder("cache")
    let outcome = try folder.imghost(
      ["plugin", "check", "--worker-command", "env MARK=1", "./libodd.so"],
      environment: ["XDG_CACHE_HOME": folder("cache")], seconds: 60)
    #expect(outcome.output.contains("leak             not tried"), "\(outcome)")
    // The verdict of a check under a command is not kept.
    let list = try folder.imghost(
      ["plugins"], environment: ["XDG_CACHE_HOME": folder("cache"), "IMGHOST_PLUGIN_PATH": folder.path])
    #expect(list.output.contains("/libodd.so\n"), "\(list)")
  }

  @Test func aCommandThatIsMissingIsNamed() throws {
    let folder = try folder()
    let outcome = try run(folder, "no-such-program -q")
    outcome.expect(status: 1)
    #expect(
      outcome.error.contains("the command 'no-such-program -q' ended with status 127 before the worker answered"),
      "\(outcome)")
  }

  @Test(arguments: [("--in-process", "run"), ("--deadline=5", "check")])
  func contradictions(_ option: String, _ command: String) throws {
    let folder = try folder()
    let outcome = try folder.imghost("plugin", command, "--worker-command", "env", option, "odd", "a.png", "b.png")
    outcome.expect(status: 2, error: "contradict each other")
  }
}

/// The units of `.debug_info` in an ELF file of 64 bits (DWARF 5, 7.5.1.1).
private enum DebugUnits {
  /// The version of each unit; empty for a file without debug information.
  static func versions(_ file: Data) -> [UInt16] {
    file.withUnsafeBytes { bytes in
      func number<Value: FixedWidthInteger>(_ place: Int, _: Value.Type) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: place, as: Value.self))
      }
      let (table, size) = (number(0x28, UInt64.self), number(0x3a, UInt16.self))
      func section(_ index: Int) -> Range<Int> {
        let header = table + size * index
        let start = number(header + 0x18, UInt64.self)
        return start..<start + number(header + 0x20, UInt64.self)
      }
      let names = section(number(0x3e, UInt16.self))
      for index in 0..<number(0x3c, UInt16.self) {
        let name = names.lowerBound + number(table + size * index, UInt32.self)
        guard bytes[name...].prefix(while: { $0 != 0 }).elementsEqual(".debug_info".utf8) else { continue }
        var versions: [UInt16] = []
        var place = section(index).lowerBound
        while place < section(index).upperBound {
          versions.append(bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self))
          place += 4 + number(place, UInt32.self)
        }
        return versions
      }
      return []
    }
  }
}
