import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import Scheduling

/// The file of `--depfile`: a rule for make and ninja, with the outputs as targets and the files that they are made
/// from as prerequisites.
///
/// The prerequisites are the script's files, pictures, their sidecars, plugins, and files that arguments name. Each of
/// them without a `%` in its name also gets a rule of its own without a recipe, like GCC's `-MP`, so that make does not
/// stop when one is removed.
struct DependencyFile: RunObserver {
  static let option = CommandOption(
    name: "--depfile", value: "FILE.d",
    help: "list the outputs and all files that they are made of as a rule for make and ninja; written last")

  private let file: OutputFile
  private let script: String

  /// Opens the file that the command line requests. Returns nil if it requests none, and in a dry run.
  ///
  /// - Parameters:
  ///   - script: the script's path, which must not be replaced.
  ///   - others: the other files that the program itself writes, with their options.
  init?(_ line: ParsedLine, script: String, others: [(path: String, option: String)], options: RunOptions)
    throws(UsageError)
  {
    guard let path = line.value(Self.option.name), !options.isDryRun else { return nil }
    guard options.part.isWhole else { throw .other("\(Self.option.name) is for a whole run") }
    var places = OutputPlaces(options)
    file = try OwnFile.open(
      path, for: Self.option.name, script: script, others: others, in: &places, beginnings: [],
      isEarlier: { $0.prefix { $0 != UInt8(ascii: "\n") }.suffix(3).elementsEqual(": \\".utf8) },
      what: "a rule of imghost")
    self.script = script
  }

  var own: (path: String, option: String) { (file.path, Self.option.name) }

  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _: PluginHost) -> Diagnostic? {
    let run = outcome.run
    let outputs = run.jobs.flatMap(\.result.outputs).filter { $0.byteCount != nil && OutputPipe($0.path) == nil }
    // A script that makes no output has no rule. After a failed run without outputs, the earlier rule stays.
    if outputs.isEmpty, outcome.status != .success {
      file.discard()
      return nil
    }
    let text: String
    do throws(UnnamedFile) {
      text = outputs.isEmpty ? "" : try Self.rule(for: outputs.map(\.path), of: Self.files(of: run))
    } catch {
      file.discard()
      return Diagnostic(
        .output, at: nil, subject: Self.option.name,
        message: "make and ninja cannot both read the name '\(printable(error.path))' with \(error.reason); rename it")
    }
    return file.finish(for: Self.option.name, run.fileRegister) { file throws(PictureError) in
      try file.write(PathBytes.bytes(of: text))
    }
  }

  /// Returns all existing files that the outputs of a run depend on, except for standard input and the outputs.
  static func files(of run: Run) -> [String] {
    // A run may read its own outputs. They are targets, and a rule must not name a target as its own prerequisite.
    let outputs = run.jobs.flatMap(\.result.outputs).map(\.path)
    let read = run.results.read.union(run.results.outputs.flatMap { $0.sources.map(\.path) })
      .union(run.graph.inputs.scripts).union(run.graph.inputs.pictures.map(\.text)).subtracting(outputs)
    // A missing sidecar is a dependency of a run, too, because creating it changes the outputs. It is left out here,
    // because make would look for a rule to create it.
    return read.subtracting([PipedInput.standardInput]).filter { FileIdentity(at: $0) != nil }.sorted()
  }

  /// A file whose name cannot be written in a rule.
  struct UnnamedFile: Error {
    let path: String
    /// The part of the name that make and ninja read differently, for the message: `a backslash at its end`.
    let reason: String
  }

  /// Returns the rule with its targets and prerequisites, followed by a rule without a recipe for each prerequisite
  /// without a `%`.
  static func rule(for outputs: [String], of sources: [String]) throws(UnnamedFile) -> String {
    let targets = try names(outputs, areTargets: true)
    let names = try names(sources, areTargets: false)
    // A '%' in the target would turn the rule into a pattern rule.
    let own = names.filter { !$0.contains("%") }.map { $0 + ":\n" }.joined()
    return targets.joined(separator: " ") + ": \\\n  " + names.joined(separator: " \\\n  ") + "\n" + own
  }

  private static func names(_ paths: [String], areTargets: Bool) throws(UnnamedFile) -> [String] {
    var names: [String] = []
    for path in paths { names.append(try escaped(path, isTarget: areTargets)) }
    return names
  }

  /// Returns whether make, which reads the path as a pattern, would find files with other names. Wraps `glob(3)`.
  private static func matchesOthers(_ path: String) -> Bool {
    var found = glob_t()
    defer { globfree(&found) }
    guard PathBytes.withBytes(of: path, { glob($0, GLOB_NOSORT, nil, &found) }) == 0, let paths = found.gl_pathv else {
      return false
    }
    return (0..<Int(found.gl_pathc)).contains { index in
      paths[index].map { PathBytes.text($0) != path } ?? false
    }
  }

  /// Returns a path escaped so that GNU make and ninja (`depfile_parser.in.cc`) read the same name.
  ///
  /// Before a space, both programs halve the backslashes, so they are doubled. Backslashes before `#`, `:` or `$` cause
  /// an error, because the programs read them differently. So do characters that cannot be escaped, because they have a
  /// meaning in make or end a name in ninja.
  private static func escaped(_ path: String, isTarget: Bool) throws(UnnamedFile) -> String {
    var text = ""
    var backslashes = 0
    for character in path.unicodeScalars {
      let reason: String? =
        switch character {
        case "\t": "a tab"
        case "\n", "\r": "a line break"
        case "#", ":", "$": backslashes > 0 ? "a backslash before '\(character)'" : nil
        case ";", "|", "=", "<", ">", "*", "`", "^": "'\(character)'"
        case "?", "[": matchesOthers(path) ? "'\(character)', a wildcard that matches another file, too" : nil
        case "%": isTarget ? "'%'" : nil
        case "\u{0}"..."\u{1f}", "\u{7f}": "a control character"
        default: nil
        }
      if let reason { throw UnnamedFile(path: path, reason: reason) }
      switch character {
      case " ": text += String(repeating: "\\", count: backslashes + 1) + " "
      case "#", ":": text += "\\" + String(character)
      case "$": text += "$$"
      default: text.unicodeScalars.append(character)
      }
      backslashes = character == "\\" ? backslashes + 1 : 0
    }
    if backslashes > 0 { throw UnnamedFile(path: path, reason: "a backslash at its end") }
    return text
  }
}
