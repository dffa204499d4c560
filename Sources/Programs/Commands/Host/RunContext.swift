import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost

/// Identifies everything that a run of a script depends on, except for the contents of files: the command line, the
/// text of the script, the environment, and the names of programs and plugins.
enum RunContext {
  /// The options that change neither the outputs nor the files that describe a run.
  private static let optionsWithoutEffect: Set = [
    RecordedRun.onlyChanged.name, RecordedRun.explain.name, RecordedRun.prune.name, RecordedRun.noWait.name,
    CommandOption.quiet.name, CommandOption.verbose.name, RunCommand.durable.name, "--json", "--progress",
    "--script-time", "--script-memory", "--timeout",
  ]

  /// The options that make the script run even if nothing has changed.
  private static let optionsOfRuns =
    [RecordedRun.hash.name, "--confine", ManifestFile.option.name, DependencyFile.option.name, DesignFile.option.name]
    + TraceFiles.Kind.allCases.map(\.option)

  /// The environment variables that may change outputs, or the choice of plugins.
  private static let variables = [
    "FC_LANG", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT", "FREI0R_PATH", "HB_SHAPER_LIST", "HOME",
    "IMGHOST_CPU", "IMGHOST_JPEG", "IMGHOST_PLUGIN_PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE",
    "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "LD_LIBRARY_PATH", "PANGO_LANGUAGE", "SOURCE_DATE_EPOCH", "TZ", "TZDIR",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME",
  ]

  /// The paths of imghost's programs and of all plugins.
  static var programs: [String] {
    [ownProgramFile ?? ownProgram, Executable.worker, VerifierProcess.path]
      + HostEnvironment.pluginFolders.flatMap(\.all)
  }

  /// Returns the digest; nil if an option such as `--manifest` makes the script run in any case, and for `--watch`.
  ///
  /// - Parameter source: the text of the script.
  static func digest(_ line: ParsedLine, script: String, _ source: [UInt8]) -> SHA256Digest? {
    guard !optionsOfRuns.contains(where: line.has), WatchedFiles.list == nil else {
      return nil
    }
    var parts = [script, InternedPath(realPathOf: "./x").folderText, SHA256.digest(of: source).description]
    for item in line.items {
      switch item {
      case .option(let name, let value):
        if !optionsWithoutEffect.contains(name) { parts += ["option", name, value ?? ""] }
      case .operand(let word): parts += ["operand", word]
      }
    }
    for name in variables { parts += Executable.environment(name).map { [name, $0] } ?? [] }
    parts += programs + [QPDFPass.program ?? ""]
    // A zero byte separates the parts, because none of them can contain one.
    return SHA256.digest(of: parts.flatMap { PathBytes.bytes(of: $0) + [0] })
  }
}
