import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import OneLiners
import Platform
import PluginHost
import Reporting
import Scheduling

/// The file of `--design`: a script that declares each page of the designed books. It is opened before the run, so that
/// an unwritable path is reported at once.
struct DesignFile: RunObserver {
  static let option = CommandOption(
    name: "--design", formerName: "--plan", value: "FILE.lua",
    help: "write a script that declares each page of the designed books, to be edited by hand; also in a dry run")

  private let file: OutputFile

  /// Opens the file that the command line requests; returns nil if no file is requested.
  ///
  /// - Parameters:
  ///   - script: the script's path, which must not be replaced.
  ///   - others: the other files that the program itself writes, with their options.
  init?(_ line: ParsedLine, script: String, others: [(path: String, option: String)], options: RunOptions)
    throws(UsageError)
  {
    guard let path = line.value(Self.option.name) else { return nil }
    guard options.part.shard == nil else {
      throw .other("\(Self.option.name) describes whole books; give it to 'imghost check', not to a shard")
    }
    var places = OutputPlaces(options)
    file = try OwnFile.open(
      path, for: Self.option.name, script: script, others: others, in: &places,
      beginnings: DesignScript.beginnings, what: "a design", isEditable: !line.has(RecordedRun.overwrite.name))
  }

  var own: (path: String, option: String) { (file.path, Self.option.name) }

  /// Writes the pages of the books. The existing file stays unchanged if the script failed or has mistakes, if the run
  /// was interrupted, or if the script reads a file that the program itself writes. It also stays unchanged if there is
  /// no designed book, which is an error.
  func describeOutputs(of outcome: RunOutcome, on _: Scheduler, _: PluginHost) -> Diagnostic? {
    let run = outcome.run
    guard run.graph.mistakes.isEmpty, !run.graph.readsOwnFile, outcome.status != .scriptFailed,
      outcome.status.rawValue < 128
    else {
      file.discard()
      return nil
    }
    func failure(_ message: String) -> Diagnostic {
      file.discard()
      return Diagnostic(.output, at: nil, subject: Self.option.name, file: file.path, message: message)
    }
    let designs = DesignRecord.all(in: run.results.sinkRecords)
    guard !designs.isEmpty else {
      return failure("the script has no designed book; give one the option layout = \"auto\"")
    }
    let script: DesignScript
    do throws(PictureCode.Problem) {
      script = try DesignScript(
        designs, methods: Set(run.environment.operations.map(\.descriptor.name)),
        isSource: { run.environment.plugin($0)?.descriptor.isSource ?? false }, locale: run.graph.localeName,
        folder: currentFolder())
    } catch {
      return failure(error.description)
    }
    return file.finish(for: Self.option.name, run.fileRegister) { file throws(PictureError) in
      try file.write(Array(WrittenMark.marked(script.text).utf8))
    }
  }
}
