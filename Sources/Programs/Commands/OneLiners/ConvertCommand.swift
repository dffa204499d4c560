import CommandInterface
import ImageCodecs
import ImageCore
import ImagePipeline
import OneLiners

enum ConvertCommand: Command {
  static let name = "convert"
  static let summary = "change pictures and write them to files, in one line"
  static let operands = "IN… -o OUT"
  static let savingTitle = "options of the files that are written, after -o:"
  static let own = [
    OneLineWords.outputOption("file to write, a pattern such as 'web/{stem}.webp', a folder, or - for standard output"),
    OneLineCommand.printScript, OneLineCommand.filesFrom,
  ]
  static let options =
    own + [OneLineWords.plugin] + table(CodecList.all).options(beside: known, saving: savingTitle)
    + OneLineCommand.ofRun
  /// The options of the formats that plugins read and write.
  static var moreOptions: [CommandOption] {
    table(OneLineCommand.allCodecs).options(beside: known, saving: savingTitle)
  }
  private static let known = own + [OneLineWords.plugin] + OneLineCommand.ofRun

  static var details: String {
    let shared = table(CodecList.all).shared.map { CommandOption.name($0) }
    let names =
      shared.isEmpty ? "At present no name has two meanings." : "Such names: \(shared.joined(separator: ", "))."
    return """
      \(OneLineCommand.details)
      Arguments of an operation stand in its next word: --sharpen 0.4, --resize 800,600,fit=inside,
      --resize 50%, --resize 800x600, --composite over=logo.png,gravity=south, --flip,
      --levels 'black={0,10,0},white=250'. A comma belongs to the value unless NAME= follows it; "…"
      keeps any text together. Operations in brackets take the word only if it fits: --normalize a.jpg
      reads a.jpg. 'imghost ops NAME' lists the arguments of an operation, 'imghost ops save' the
      options of every format.

      If a name means an operation and an option of files, the operation wins before -o, the option
      of the written file after it. \(names)

      Without --format, standard output gets the format of the input; so does a named pipe whose name
      tells no format.

      \(OneLineCommand.status)
      """
  }

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus { try OneLineCommand.run(script(line), line) }

  private static func script(_ line: ParsedLine) throws(UsageError) -> OneLineScript {
    let more = try OneLineCommand.listedInputs(line)
    let host = HostEnvironment()
    defer { host.invalidate() }
    let codecs = OneLineCommand.codecs(line, line.operands + more, known: options, host)
    let words = try OneLineWords(line, table(codecs, output: line.value("--output") ?? ""), more: more)
    let ending = PathName.fileExtension(words.output)
    let namesFormat =
      codecs.contains { $0.writes && $0.extensions.contains(ending) } || host.environment.codecRemedy(ending) != nil
    if (line.value("--format") ?? ending) == "pdf" {
      let name = ending == "pdf" ? words.output : "book.pdf"
      throw .other("'imghost book' makes PDFs, with the same operations: imghost book … -o \(ShellWord.quoted(name))")
    }
    return OneLineScript.convert(words, OneLineCommand.words(name, line), namesFormat: namesFormat) {
      host.descriptor(ofPlugin: $0)
    }
  }

  private static func table(_ codecs: [any PictureCodec], output: String = "") -> WordTable {
    WordTable(
      operations: OneLineCommand.operations, opening: OneLineCommand.opening(codecs),
      saving: OneLineCommand.saving(codecs, output: output), endings: Set(codecs.flatMap(\.extensions)))
  }
}
