import ImageCore
import ImagePipeline
import Platform
import Testing

@testable import BookComposing

/// Encodes a picture as the first byte of each of its rows.
struct RowsCodec: PictureCodec {
  var name: String { "rows" }
  var extensions: [String] { ["rows"] }
  var saveParameters: [ParameterDescriptor] { [] }
  func recognises(_ prefix: [UInt8]) -> Bool { false }
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader { throw .codec(.truncated) }
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    throw .codec(.truncated)
  }
  func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }
  func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata,
    arguments: Arguments
  ) throws(PictureError) -> any PictureEncoder {
    RowsEncoder(sink)
  }
}

private final class RowsEncoder: PictureEncoder {
  private let sink: any ByteSink
  init(_ sink: any ByteSink) { self.sink = sink }
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for row in 0..<count { try sink.write(UnsafeRawBufferPointer(start: rows + row * stride, count: 1)) }
  }
  func finish() throws(PictureError) {}
}

/// An operation in place of a rotation that leaves the picture unchanged.
private struct NoTurn: PictureOperation {
  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }
  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    inputs[0]
  }
}

/// Writes a letter for each page, except for the second page, which fails.
private final class LetterWriter: PageWriter {
  private let file: OutputFile
  private let failure: BookFailure
  private var count = 0

  init(_ file: OutputFile, _ failure: BookFailure) {
    self.file = file
    self.failure = failure
  }

  func add(_ page: EncodedPicture) throws(BookFailure) {
    if page.place == 1 { throw failure }
    count += 1
    let letter = [UInt8(ascii: "a") + UInt8(page.place)]
    #expect(write(file.descriptor, letter, 1) == 1)
  }

  func finish() throws(PictureError) -> BookSummary { BookSummary(pageCount: count) }
}

extension BookTools {
  /// Tools for books of letters in which writing the second picture fails.
  static func letters(_ failure: BookFailure) -> BookTools {
    var tools = BookTools(
      resize: { _ in .invalid },
      focusSearch: FocusSearch(preview: .invalid) { (_, _, _, _, _, _) throws(PictureError) in
        throw .codec(.truncated)
      },
      pageCodec: RowsCodec(),
      pageArguments: { _, _ in
        guard let none = try? Arguments(RawArguments(), parameters: [], positionalCount: 0) else {
          preconditionFailure("no arguments are wrong")
        }
        return none
      },
      decodePage: { (_) throws(PictureError) in
        CanvasSource(PictureLayout(width: 30, height: 40, format: .rgb8), .white)
      },
      // Any program that is there will do.
      verifier: VerifierProgram(path: "/bin/sh", jobs: 1, memory: 0))
    tools.makeWriter = { (file, _, _, _) throws(PictureError) in LetterWriter(file, failure) }
    return tools
  }
}

extension Environment {
  /// The environment of a run that makes books with these tools.
  static func books(_ tools: BookTools) -> Environment {
    Environment(
      codecs: [RowsCodec()], recognise: { _ throws(PictureError) in RowsCodec() }, operations: [],
      opening: OpeningSteps(orient: { _ in NoTurn() }, named: "turn", convert: NoTurn(), named: "convert"),
      sinks: [BookSink.definition(tools)])
  }
}
