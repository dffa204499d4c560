import BookComposing
import CommandInterface
import ImageCodecs
import ImageCore
import OneLiners

enum BookCommand: Command {
  static let name = "book"
  static let summary = "put pictures into a PDF, in one line"
  static let operands = "IN… -o OUT.pdf"
  private static let savingTitle = "options of the book:"
  private static let own = [
    OneLineWords.outputOption("the PDF to write, or - for standard output"), OneLineCommand.printScript,
    OneLineCommand.filesFrom,
  ]
  static let options =
    own + [OneLineWords.plugin] + table(CodecList.all).options(beside: known, saving: savingTitle)
    + OneLineCommand.ofRun
  static var moreOptions: [CommandOption] {
    table(OneLineCommand.allCodecs).options(beside: known, saving: savingTitle)
  }
  private static let known = own + [OneLineWords.plugin] + OneLineCommand.ofRun
  static let habits = ["--pagesize": "--paper", "--page-size": "--paper", "--size": "--paper"]
  static let details = """
    \(OneLineCommand.details)
    Lists stand in braces: --captions '{One,Two}'. 'imghost ops book' describes every option.

    \(OneLineCommand.operationDetails(beside: BookOptions.all))

    \(OneLineCommand.status)
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let more = try OneLineCommand.listedInputs(line)
    let words = try OneLineWords(line, table(codecs(line, line.operands + more)), more: more)
    let host = HostEnvironment()
    let script = OneLineScript.book(words, OneLineCommand.words(name, line)) { host.descriptor(ofPlugin: $0) }
    host.invalidate()
    return try OneLineCommand.run(script, line)
  }

  /// Returns the codecs that the words may refer to: the built-in ones if they have all options, otherwise also those
  /// of plugins.
  private static func codecs(_ line: ParsedLine, _ inputs: [String]) -> [any PictureCodec] {
    OneLineCommand.areKnown(line, inputs, options) ? CodecList.all : OneLineCommand.allCodecs
  }

  private static func table(_ codecs: [any PictureCodec]) -> WordTable {
    WordTable(
      operations: OneLineCommand.operations(beside: BookOptions.all), opening: OneLineCommand.opening(codecs),
      saving: BookOptions.all, endings: Set(codecs.flatMap(\.extensions)))
  }
}
