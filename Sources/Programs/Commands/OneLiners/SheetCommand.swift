import BookComposing
import CommandInterface
import ImageCodecs
import ImageCore
import ImagePipeline
import OneLiners

enum SheetCommand: Command {
  static let name = "sheet"
  static let summary = "put small pictures with their names onto a contact sheet, in one line"
  static let operands = "IN… -o OUT"
  private static let own = [
    OneLineWords.outputOption("the sheet to write: a PDF, or a picture such as sheet.jpg"), OneLineCommand.printScript,
    OneLineCommand.filesFrom,
  ]
  private static let known = own + [OneLineWords.plugin] + OneLineCommand.ofRun
  static let options = {
    let pictures = pictureTable(CodecList.all).options(beside: known, saving: "options of sheets that are pictures:")
    let document = documentTable(CodecList.all).options(
      beside: known + pictures, saving: "options of sheets that are PDFs, which take most of the others as well:")
    return own + [OneLineWords.plugin] + pictures + document + OneLineCommand.ofRun
  }()
  static var moreOptions: [CommandOption] {
    pictureTable(OneLineCommand.allCodecs).options(beside: known, saving: "")
  }
  static let habits = ["--tile": "--columns", "--geometry": "--columns", "--label": "--captions"]
  static let details = """
    \(OneLineCommand.details)
    A PDF is made as by img.contact_sheet, whose options 'imghost ops contact_sheet' describes:
    lengths are such as 10mm. For a picture, lengths are pixels; with --rows, there may be several
    sheets: -o 'sheet-{index}.jpg'.

    \(OneLineCommand.operationDetails(beside: ofSheets(CodecList.all)))

    \(OneLineCommand.status)
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let output = line.value("--output") ?? ""
    let format = line.value("--format").map { "." + $0 }
    let isPDF = PathName.fileExtension(format ?? output) == "pdf" || format == nil && OutputPipe(output) != nil
    let more = try OneLineCommand.listedInputs(line)
    let codecs = OneLineCommand.codecs(line, line.operands + more, known: options, host)
    let (table, other) =
      isPDF
      ? (documentTable(codecs), pictureTable(codecs)) : (pictureTable(codecs, output: output), documentTable(codecs))
    let words = try OneLineWords(line, table, more: more) { option in
      guard option != "--format", other.offers(option) else { return nil }
      return isPDF
        ? "\(option) is for sheets that are pictures; '\(printable(output))' is a PDF"
        : "\(option) is for sheets that are PDFs; '\(printable(output))' is a picture"
    }
    return try OneLineCommand.run(
      OneLineScript.sheet(words, OneLineCommand.words(name, line), isPDF: isPDF) { host.descriptor(ofPlugin: $0) },
      line)
  }

  private static func pictureTable(_ codecs: [any PictureCodec], output: String = "") -> WordTable {
    let saving = OneLineCommand.saving(codecs, output: output)
    let own = Set(SheetPicture.parameters.map(\.name))
    return WordTable(
      operations: OneLineCommand.operations(beside: ofSheets(codecs)), opening: OneLineCommand.opening(codecs),
      saving: SheetPicture.parameters + saving.filter { !own.contains($0.name) },
      endings: Set(codecs.flatMap(\.extensions)))
  }

  private static func documentTable(_ codecs: [any PictureCodec]) -> WordTable {
    WordTable(
      operations: OneLineCommand.operations(beside: ofSheets(codecs)), opening: OneLineCommand.opening(codecs),
      saving: BookOptions.all, endings: Set(codecs.flatMap(\.extensions)))
  }

  /// Returns the options of both forms of sheets, so that an operation's name means the same in both.
  private static func ofSheets(_ codecs: [any PictureCodec]) -> [ParameterDescriptor] {
    SheetPicture.parameters + OneLineCommand.saving(codecs) + BookOptions.all
  }
}
