import Foundation
import ImageCore
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// All plugins of Debian's `frei0r-plugins` on a photograph, and the table in Docs/Appendix/Frei0r.md.
  @Suite struct Frei0rCollectionTests {
    private static let folder = "/usr/lib/frei0r-1"
    private static let isInstalled = FileManager.default.fileExists(atPath: folder + "/glow.so")
    private static let table = Built.root + "/Docs/Appendix/Frei0r.md"
    /// The path of the new table that Scripts/dev/frei0r-table asks for.
    private static let output = ProcessInfo.processInfo.environment["IMGHOST_FREI0R_TABLE"]

    /// The table's text for each plugin.
    private func documented() throws -> [String: String] {
      let text = try String(contentsOfFile: Self.table, encoding: .utf8)
      var rows: [String: String] = [:]
      for line in text.split(separator: "\n") where line.hasPrefix("| `") {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        rows[cells[0].trimmingCharacters(in: ["`"])] = cells[2]
      }
      return rows
    }

    @Test(
      .enabled(if: isInstalled, "Debian's package frei0r-plugins is not installed"),
      .enabled(if: output == nil, "the table is being made"),
      .enabled(if: isThorough, "calls of 136 plugins are left to thorough runs"))
    func whatTheTableSaysWorksDoesWork() throws {
      let trials = try Frei0rTrials(folder: Self.folder, deadline: patience, repeats: 1)
      let rows = try documented()
      let listings = trials.listings()
      let names = listings.compactMap { Frei0rTableNames.name($0) }
      #expect(Set(names) == Set(rows.keys))
      for listing in listings {
        guard let name = Frei0rTableNames.name(listing), let row = rows[name] else { continue }
        guard let plugin = try? listing.outcome.get() else {
          #expect(row.hasPrefix("refused"), "\(listing.refusal ?? "")")
          continue
        }
        #expect(!row.hasPrefix("refused"))
        // One that goes beyond its memory may do so unharmed for once.
        guard row.hasPrefix("works") else { continue }
        let trial = trials.run(plugin, sizes: Frei0rTrial.sizes)
        #expect(trial.verdict.hasPrefix("works"), "\(name): \(trial.verdict)")
      }
    }

    @Test(.enabled(if: output != nil, "only Scripts/dev/frei0r-table makes the table"))
    func makeTheTable() throws {
      let trials = try Frei0rTrials(folder: Self.folder, deadline: .seconds(10), repeats: 15)
      var lines: [String] = []
      var counts: [String: Int] = [:]
      for listing in trials.listings() {
        guard let name = Frei0rTableNames.name(listing) else { continue }
        guard let plugin = try? listing.outcome.get() else {
          counts["refused", default: 0] += 1
          lines.append("| `\(name)` | | refused: \(listing.refusal ?? "") |")
          continue
        }
        var trial = trials.run(plugin, sizes: Frei0rTrial.sizes)
        if !trial.failures.contains(where: { $0.words?.hasPrefix("did not answer") == true }) {
          trial.failures += trials.run(plugin, sizes: [Frei0rTrial.largest], repeats: 1).failures
        }
        let verdict = trial.verdict
        let group =
          verdict.hasPrefix("works with")
          ? "work with padding"
          : verdict.hasPrefix("works") ? "work" : "misbehave"
        counts[group, default: 0] += 1
        lines.append("| `\(name)` | \(trial.kind) | \(verdict) |")
        print("\(name): \(verdict)")
      }
      let summary = ["work", "work with padding", "misbehave", "refused"]
        .map { "\(counts[$0] ?? 0) \($0 == "refused" ? "are refused" : $0)" }
        .joined(separator: ", ")
      let text = """
        # Appendix: frei0r plugins

        Made by `Scripts/dev/frei0r-table`, which runs every plugin of Debian 12's `frei0r-plugins` with its own defaults on a photograph of four sizes: 1x1, 63x61, 640x480 and 6000x4000 pixels. The first three sizes run several times, in new processes, and at the odd ones also without the host's padding to multiples of 8. A call may take 10 s.

        A plugin that misbehaves costs the picture it was given and nothing else: its process is stopped, and the host goes on. A test checks that plugins which work here go on working.

        Of \(lines.count) plugins \(summary).

        | plugin | kind | verdict |
        | --- | --- | --- |
        \(lines.joined(separator: "\n"))

        """
      try text.write(toFile: try #require(Self.output), atomically: true, encoding: .utf8)
    }
  }
}

/// The names of files in the table: those in scripts, also for refused files.
private enum Frei0rTableNames {
  static func name(_ listing: PluginListing) -> String? {
    listing.name ?? Frei0rName.plugin(path: listing.path)
  }
}
