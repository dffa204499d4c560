import Foundation
import ImageCore
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// Files and descriptions that are refused, each with its sentence.
  @Suite struct RefusalTests {
    /// The sentence on the only file of a folder, without its path.
    private func sentence(_ folder: String, worker: String = Built.worker, describeDeadline: Duration = patience)
      -> String?
    {
      let listings = host(folder, worker: worker, describeDeadline: describeDeadline).discover()
      guard listings.count == 1, let refusal = listings[0].refusal else { return nil }
      return String(refusal.dropFirst(listings[0].path.count + 1)).withoutAddresses
    }

    @Test(
      arguments: [
        ([], "is not an imghost plugin: the file is empty"),
        (
          Array("#!/bin/sh\necho no plugin\n".utf8),
          "is not an imghost plugin: it is not a shared library (no ELF header)"
        ),
        (
          [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], "is truncated: its ELF headers name bytes beyond its end"
        ),
      ] as [([UInt8], String)])
    func filesThatAreNoLibraries(_ bytes: [UInt8], _ expected: String) throws {
      let folder = Built.newFolder()
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/libOddPlugin.so"))
      #expect(sentence(folder) == expected)
    }

    @Test func damagedLibraries() throws {
      let folder = try Built.plugin("misbehaving")
      let path = folder + "/libmisbehavingPlugin.so"
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      func sentence(_ change: (inout Data) -> Void) throws -> String? {
        var data = whole
        change(&data)
        try data.write(to: URL(fileURLWithPath: path))
        return self.sentence(folder)
      }
      #expect(try sentence { $0[18] = 40 } == "is for another machine (arm, 32 bits)")
      #expect(try sentence { $0[18] = 250 } == "is for another machine (ELF machine 250)")
      #expect(try sentence { $0[4] = 1 } == "is for another machine (32 bits)")
      #expect(
        try sentence { $0[16] = 1 }
          == "is not an imghost plugin: it is a program or an object file")
      for count in [70, 1000, whole.count / 2] {
        #expect(
          try sentence { $0.removeLast($0.count - count) }
            == "is truncated: its ELF headers name bytes beyond its end")
      }
      #expect(try sentence { _ in } == nil)
    }

    /// A change of any byte of the headers gives a plugin or a refusal.
    @Test func scrambledHeaders() throws {
      let folder = try Built.plugin("misbehaving")
      let path = folder + "/libmisbehavingPlugin.so"
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      for offset in stride(from: 4, to: 400, by: 9) {
        var data = whole
        data[offset] ^= 0xff
        try data.write(to: URL(fileURLWithPath: path))
        // A library that would hang is refused.
        #expect(host(folder, describeDeadline: .seconds(1)).discover().count == 1)
      }
    }

    /// A plugin that lacks a library: asked for by name, its file says why.
    @Test func whatAPluginLacksIsTold() throws {
      let (folder, library) = try Built.pluginWithLibrary()
      try FileManager.default.removeItem(atPath: library + "/libneeded.so")
      let plugins = host(folder)
      #expect(plugins.definition(named: "odd") == nil)
      #expect(
        plugins.refusals(ofPlugin: "odd").compactMap(\.refusal) == [
          "\(folder)/libmisbehavingPlugin.so cannot be loaded: libneeded.so: cannot open shared "
            + "object file: No such file or directory"
        ])
      #expect(plugins.refusals(ofPlugin: "mis_behaving").count == 1)
      #expect(plugins.refusals(ofPlugin: "other_name").isEmpty)
    }

    @Test func aFolderThatIsNotThere() {
      let plugins = host(PluginFolder.standard(pluginPath: "/nowhere/at/all", executableFolder: "/nowhere/else"))
      #expect(
        plugins.discover().compactMap(\.refusal)
          == ["/nowhere/at/all cannot be read: the file does not exist"])
    }

    @Test func aWorkerThatIsNotThere() throws {
      #expect(
        sentence(try Built.plugin("misbehaving"), worker: "/nowhere/worker")
          == "could not be described: it could not be started: /nowhere/worker: "
          + "the file does not exist; install the package imghost, or copy the program there")
    }

    @Test func theFirstOfTwoWithOneName() throws {
      let first = try Built.plugin("misbehaving")
      let second = try Built.plugin("misbehaving")
      let plugins = host([first, second].map { PluginFolder(path: $0) })
      #expect(plugins.names() == ["odd"])
      #expect(
        plugins.discover()[1].refusal
          == "\(second)/libmisbehavingPlugin.so is not used: 'odd' is already defined by "
          + "\(first)/libmisbehavingPlugin.so")
    }

    @Test func aFolderNamedTwiceIsReadOnce() throws {
      let folder = try Built.plugin("misbehaving")
      let again = folder + "/../" + folder.split(separator: "/").last!
      let plugins = host([folder, again].map { PluginFolder(path: $0) })
      #expect(plugins.discover().map(\.name) == ["odd"])
    }

    /// Ctrl-C while a plugin hangs as it is described.
    @Test func invalidatingEndsDescribing() throws {
      let plugins = host(try Built.plugin("misbehaving", ["ENTRY_HANGS"]))
      let start = ContinuousClock.now
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { plugins.invalidate() }
      #expect(plugins.discover().compactMap(\.refusal).count == 1)
      #expect(ContinuousClock.now - start < patience / 2)
    }

    @Test(
      arguments: sampled(
        [
          (["WRONG_ENTRY"], "is not an imghost plugin: no symbol imghost_plugin_entry"),
          (
            ["VERSION=7"], "was built for version 7 of imghost_plugin.h; this imghost supports version 1"
          ),
          (
            ["NOTHING"],
            "does not work with this imghost: imghost_plugin_entry returned NULL"
          ),
          (["GARBAGE"], "could not be described: it crashed (segmentation fault at 0x…)"),
          (["ENTRY_CRASHES"], "could not be described: it crashed (it aborted itself)"),
          (
            ["ENTRY_HANGS"],
            "could not be described: it did not answer within 0.1 s of waiting and was stopped"
          ),
          (
            ["SIZE=40"], "describes itself wrongly: a struct is smaller than in version 1 of imghost_plugin.h"
          ),
          (["NO_PROCESS"], "describes itself wrongly: create, destroy or process is missing"),
          (
            ["NAME=\"Odd One\""], "describes itself wrongly: 'Odd One' is not a name (letters, digits and underscores)"
          ),
          (["HUGE_TEXT"], "describes itself wrongly: its summary is too long"),
          (
            ["KIND=9"], "describes itself wrongly: unknown kind of plugin 9"
          ),
          (["KIND=4"], "describes itself wrongly: its imghost_codec is missing or lacks a function"),
          (
            ["SAMPLES=0"],
            "describes itself wrongly: it accepts no sample type or no number of bands"
          ),
          (["BANDS=64"], "describes itself wrongly: invalid value 64 for bands"),
          (["ALPHA=0"], "describes itself wrongly: invalid value 0 for alpha (with 2 or 4 bands)"),
          (
            ["MAXIMUM=NAN"],
            "describes itself wrongly: parameter 'first': the range or the default is not a finite number"
          ),
          (
            ["MINIMUM=2"], "describes itself wrongly: parameter 'first': the range from 2 to 1 is empty"
          ),
          (
            ["DEFAULT=5"], "describes itself wrongly: parameter 'first': the default is outside the range"
          ),
          (
            ["TYPE=2", "MAXIMUM=1.5"],
            "describes itself wrongly: parameter 'first': the range or the default of a whole number is " + "not whole"
          ),
          (["TYPE=99"], "describes itself wrongly: parameter 'first': unknown type 99"),
          (
            ["TYPE=4", "CHOICES=none"], "describes itself wrongly: parameter 'first': an enum needs 1 to 64 choices"
          ),
          (
            ["TYPE=4", "CHOICES=twice"], "describes itself wrongly: parameter 'first': choice 'one' is declared twice"
          ),
          (["SECOND=\"first\""], "describes itself wrongly: parameter 'first' is declared twice"),
          (
            ["COUNT=4000000000u"], "describes itself wrongly: it declares 4000000000 parameters; at most 64 are allowed"
          ),
        ] as [([String], String)]))
    func plugins(_ macros: [String], _ expected: String) throws {
      let limit = macros == ["ENTRY_HANGS"] ? Duration.milliseconds(100) : patience
      #expect(
        sentence(try Built.plugin("misbehaving", macros), describeDeadline: limit) == expected)
    }

    @Test(
      arguments: sampled([
        ("CLOSES_AT_ONCE", "could not be described: it closed its connection without an answer"),
        ("EXITS_AT_ONCE", "could not be described: it ended its process with status 9"),
        ("SILENT", "could not be described: it did not answer within 0.1 s"),
        ("GARBAGE", "could not be described: it sent an invalid answer"),
        ("HUGE_MESSAGE", "could not be described: it sent an invalid answer"),
        ("SHORT_DESCRIPTION", "describes itself wrongly: the answer cannot be read"),
        ("LONG_DESCRIPTION", "describes itself wrongly: the answer cannot be read"),
        ("LYING_TEXT", "describes itself wrongly: the answer cannot be read"),
        ("MANY_PARAMETERS", "describes itself wrongly: it declares 4000000000 parameters"),
      ]))
    func workers(_ macro: String, _ expected: String) throws {
      let worker = try Built.program("hostile", [macro])
      let found = sentence(
        try Built.plugin("misbehaving"), worker: worker,
        describeDeadline: macro == "SILENT" ? .milliseconds(100) : patience)
      #expect(found?.hasPrefix(expected) == true, "\(found ?? "no refusal")")
    }

    @Test func textsAreMadeHarmless() throws {
      let worker = try Built.program("hostile", ["BAD_UTF8"])
      let plugins = host(try Built.plugin("misbehaving"), worker: worker)
      #expect(try plugins.discover()[0].outcome.get().summary == "a\u{fffd} [2Jb c")
    }
  }
}
