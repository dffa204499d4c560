import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import Scheduling

/// The file of `--depfile`: a rule with all outputs and all files that they are made of, for make and ninja.
///
/// Each file that is read has a rule without a recipe as well, as with `-MP` of GCC, so that make goes on when it is
/// removed.
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
      path, for: Self.option.name, others: [(script, "the script")] + others.map { ($0.path, $0.option) }, in: &places,
      beginnings: [], isEarlier: { $0.prefix { $0 != UInt8(ascii: "\n") }.suffix(3).elementsEqual(": \\".utf8) },
      what: "a rule of imghost")
    self.script = script
  }

  /// The path of the file, and the option that requests it.
  var own: (path: String, option: String) { (file.path, Self.option.name) }

  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _: PluginHost) -> Diagnostic? {
    let run = outcome.run
    let outputs = run.jobs.flatMap(\.result.outputs).filter { $0.byteCount != nil && OutputPipe($0.path) == nil }
    guard !outputs.isEmpty else {
      file.discard()
      return nil
    }
    let read = Set(run.results.outputs.flatMap { $0.sources.map(\.path) }).union(run.graph.scriptFiles)
    let text = Self.rule(for: outputs.map(\.path), of: read.subtracting([PipedInput.standardInput]).sorted())
    do throws(PictureError) {
      try file.write(PathBytes.bytes(of: text))
      try file.commit(run.fileRegister)
      return nil
    } catch {
      file.discard()
      return Diagnostic(.output, at: nil, subject: Self.option.name, file: file.path, message: error.description)
    }
  }

  /// Returns the rule.
  static func rule(for outputs: [String], of sources: [String]) -> String {
    // A rule cannot name a file with a line break.
    let sources = sources.filter { !$0.contains("\n") }.map(escaped)
    let targets = outputs.filter { !$0.contains("\n") }.map(escaped).joined(separator: " ")
    return targets + ": \\\n  " + sources.joined(separator: " \\\n  ") + "\n"
      + sources.map { $0 + ":\n" }.joined()
  }

  /// Returns the outputs and the sources of a rule that `rule` has written; nil for another text.
  static func parts(ofRule text: String) -> (outputs: [String], sources: [String])? {
    var words: [String] = []
    var word = ""
    var characters = text.makeIterator()
    var outputs: [String]?
    func endWord() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    while let character = characters.next() {
      switch character {
      case "\\":
        let next = characters.next()
        if next != "\n", let next { word.append(next) }
      case "$": if characters.next() == "$" { word.append("$") }
      case " ": endWord()
      case ":" where outputs == nil:
        endWord()
        (outputs, words) = (words, [])
      // The rules of single files follow.
      case "\n":
        endWord()
        return outputs.map { ($0, words) }
      default: word.append(character)
      }
    }
    return nil
  }

  /// Returns a path as make and ninja read it.
  private static func escaped(_ path: String) -> String {
    var text = ""
    for character in path {
      switch character {
      case " ", "#", ":": text += "\\" + String(character)
      case "$": text += "$$"
      default: text.append(character)
      }
    }
    return text
  }
}
