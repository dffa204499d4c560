import CommandInterface
import ImageCodecs
import ImageCore
import ImageOperations
import ImagePipeline
import OneLiners
import Platform
import Reporting

/// The parts that `convert`, `book` and `sheet` have in common.
enum OneLineCommand {
  static let printScript = CommandOption(
    name: "--print-script", value: nil, help: "print the script that does the same, and run nothing")
  static let filesFrom = CommandOption(
    name: "--files0-from", value: "FILE",
    help:
      "more inputs from a file with names that end in zero bytes, as 'find -print0' writes them; - for standard input")

  /// The options of the run, as in other commands, but without `--shard`, because shards need a script file.
  static let ofRun = RunCommand.writing.filter { $0.name != "--shard" }.map { $0.under("options of the run:") }

  static let details = """
    IN may be a pattern that the shell has left as it is, and - for standard input; so may OUT for
    standard output. Fields of OUT: {stem}, {name}, {ext}, {folder}, {index:3}, {width}, {height},
    {hash:8}, {exif.NAME}. Folders are made. No picture that is read is overwritten.
    """

  static let status = """
    Exit status: as for 'imghost run'; 2 for mistakes in the words.
    """

  /// All operations, and the measurements whose result is an operation.
  static let operations =
    OperationList.all.map(\.descriptor)
    + MeasurementList.all.filter { if case .operation = $0.result { true } else { false } }.map(\.descriptor)

  /// Returns the operations of `book` and `sheet`. An option of the output hides an operation with the same name.
  static func operations(beside options: [ParameterDescriptor]) -> [OperationDescriptor] {
    let names = Set(options.map(\.name))
    return operations.filter { !names.contains($0.name) }
  }

  /// Returns the paragraph about operations in the help of `book` and `sheet`.
  static func operationDetails(beside options: [ParameterDescriptor]) -> String {
    let names = Set(options.map(\.name))
    let shared = operations.map(\.name).filter(names.contains).map { CommandOption.name($0) }
    return """
      Operations change each picture before it is laid out, in the given order: --sharpen 0.4
      --plugin vignette. 'imghost convert --help' describes their arguments. Options of what is
      written win over operations of the same name: \(shared.joined(separator: ", ")).
      """
  }

  /// Returns the options of `open` for these formats.
  static func opening(_ codecs: [any PictureCodec]) -> [WordTable.OpeningOption] {
    SourceParameters.open.map { WordTable.OpeningOption($0) }
      + codecs.flatMap { codec in
        codec.openParameters.map { WordTable.OpeningOption($0, of: Set(codec.extensions)) }
      }
  }

  /// Returns the options of `save` for these formats. If several formats have an option with the same name, the one of
  /// the output's format comes first.
  static func saving(_ codecs: [any PictureCodec], output: String = "") -> [ParameterDescriptor] {
    let writers = codecs.filter(\.writes)
    let ending = PathName.fileExtension(output)
    let first = writers.filter { $0.extensions.contains(ending) }
    return SinkParameters.save + (first + writers).flatMap(\.saveParameters)
  }

  /// All codecs, including those of plugins.
  static var allCodecs: [any PictureCodec] {
    let host = HostEnvironment()
    defer { host.invalidate() }
    return CodecList.all + host.codecs.all
  }

  /// Returns the codecs that the words may refer to. Plugins are only loaded if no built-in codec has the output's file
  /// extension, or if an option is unknown without them.
  ///
  /// - Parameter inputs: all inputs, also those from a list.
  static func codecs(
    _ line: ParsedLine, _ inputs: [String], known options: [CommandOption], _ host: HostEnvironment
  ) -> [any PictureCodec] {
    let ending = PathName.fileExtension(line.value("--format").map { "." + $0 } ?? line.value("--output") ?? "")
    let suffices = isBuiltIn(ending) && areKnown(line, inputs, options)
    return suffices ? CodecList.all : CodecList.all + host.codecs.all
  }

  /// Returns whether the meaning of all options of a line is known without the formats of plugins.
  static func areKnown(_ line: ParsedLine, _ inputs: [String], _ options: [CommandOption]) -> Bool {
    line.items.allSatisfy { item in
      guard case .option(let name, _) = item else { return true }
      // For an SVG, '--width' is an option of its plugin, which draws the SVG at that width.
      if Habit(option: name) != nil, !inputs.allSatisfy({ isBuiltIn(PathName.fileExtension($0)) }) { return false }
      return options.contains { $0.name == name }
    }
  }

  private static func isBuiltIn(_ ending: String) -> Bool { CodecList.all.contains { $0.extensions.contains(ending) } }

  /// Returns the words of the command line without `--print-script`, for the script's first line.
  static func words(_ command: String, _ line: ParsedLine) -> [String] {
    ["imghost", command] + line.arguments.filter { $0 != printScript.name }
  }

  /// Returns the inputs of `--files0-from`; none without this option.
  static func listedInputs(_ line: ParsedLine) throws(UsageError) -> [String] {
    guard let path = line.value(filesFrom.name) else { return [] }
    let most = 64 << 20
    let bytes: [UInt8]
    let seconds = try line.seconds("--timeout")
    do throws(FileError) {
      let file = try Interruption.limiting(seconds) { () throws(FileError) in try InputFile(pathOrPipe: path) }
      guard file.byteCount <= most else { throw FileError(.read, path: path, code: EFBIG) }
      bytes = try file.bytes(at: 0, count: file.byteCount)
    } catch {
      throw .unusableFile(option: filesFrom.name, path: path, problem: error.description)
    }
    if path == PipedInput.standardInput, line.operands.contains(path) {
      throw .other("\(filesFrom.name) - and the input - both read standard input; give one of them a file")
    }
    var parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    // The zero byte after the last name is optional.
    if parts.last?.isEmpty ?? false { parts.removeLast() }
    if parts.isEmpty, line.operands.isEmpty {
      throw .unusableFile(option: filesFrom.name, path: path, problem: "it names no files")
    }
    return try parts.map { part throws(UsageError) in
      let name = PathBytes.text(bytes: part)
      guard !name.isEmpty else {
        throw .unusableFile(option: filesFrom.name, path: path, problem: "a name is empty; names end in one zero byte")
      }
      return name
    }
  }

  /// Prints the script or runs it.
  static func run(_ script: OneLineScript, _ line: ParsedLine) throws(UsageError) -> ExitStatus {
    if line.has(printScript.name) {
      guard script.mistakes.isEmpty else {
        for mistake in script.mistakes { Terminal.error(script.words(for: mistake)) }
        return .wrongUsage
      }
      Terminal.output(String(script.text.dropLast()))
      return .success
    }
    // The user wrote no script, so mistakes in the generated script are usage errors.
    let reporter = RunReporter(line, mistakeStatus: .wrongUsage) { script.words(for: $0) }
    return try ScriptRunner.run(
      line, options: RunOptions(line), reporter: reporter,
      text: ScriptRunner.Text(
        name: script.command, source: Array(script.text.utf8), arguments: [], mistakes: script.mistakes))
  }
}
