import BookComposing
import CommandInterface
import ImageCodecs
import ImageCore
import OneLiners

/// `imghost book`.
enum BookCommand: Command {
  static let name = "book"
  static let summary = "put pictures into a PDF, in one line"
  static let operands = "IN… -o OUT.pdf"
  private static let savingTitle = "options of the book:"
  private static let own = [
    OneLineWords.outputOption("the PDF to write, or - for standard output"), OneLineCommand.printScript,
    OneLineCommand.filesFrom,
  ]
  static let options = own + table(CodecList.all).options(beside: known, saving: savingTitle) + OneLineCommand.ofRun
  static var moreOptions: [CommandOption] {
    let host = HostEnvironment()
    defer { host.invalidate() }
    return table(CodecList.all + host.codecs.all).options(beside: known, saving: savingTitle)
  }
  private static let known = own + OneLineCommand.ofRun
  static let details = """
    \(OneLineCommand.details)
    Lists stand in braces: --captions '{One,Two}'. 'imghost ops book' describes every option.

    \(OneLineCommand.status)
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let isKnown = line.items.allSatisfy { item in
      if case .option(let name, _) = item { options.contains { $0.name == name } } else { true }
    }
    let words = try OneLineWords(
      line, table(isKnown ? CodecList.all : CodecList.all + host.codecs.all), more: OneLineCommand.listedInputs(line))
    return try OneLineCommand.run(OneLineScript.book(words, OneLineCommand.words(name, line)), line)
  }

  private static func table(_ codecs: [any PictureCodec]) -> WordTable {
    WordTable(operations: [], opening: OneLineCommand.opening(codecs), saving: BookOptions.all)
  }
}
