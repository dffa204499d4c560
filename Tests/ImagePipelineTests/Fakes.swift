import ImageCore
import Testing

import Platform

@testable import ImagePipeline

/// A picture of a given size that a decoder can shrink by 2, 4 and 8. Nothing is ever decoded.
struct FakeCodec: PictureCodec {
  let width: Int
  let height: Int
  var orientation = Orientation.upright
  var name: String { "fake" }
  var extensions: [String] { ["fake"] }
  var saveParameters: [ParameterDescriptor] { [] }

  func recognises(_ prefix: [UInt8]) -> Bool { true }
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    PictureHeader(
      codec: name, layout: PictureLayout(width: width, height: height, format: .rgb8),
      metadata: PictureMetadata(orientation: orientation), shrinkFactors: [2, 4, 8])
  }
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    throw .codec(.truncated)
  }
  func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }
  func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments
  ) throws(PictureError) -> any PictureEncoder {
    throw .codec(.cannotEncode("it is not one"))
  }
}

/// Makes a picture of a given size; or turns it, or cuts a part out.
struct FakeOperation: PictureOperation {
  var width: Int?
  var turns = false
  var cut: Region?

  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let input = inputs[0]
    if let cut { return input.with(width: cut.width, height: cut.height) }
    if turns { return input.with(width: input.height, height: input.width) }
    return width.map { input.with(width: $0, height: max(1, input.height * $0 / input.width)) }
      ?? input
  }
  func shrinkTolerance(of input: PictureLayout) -> Double {
    width.map { max(1, Double(input.width) / Double($0)) } ?? 1
  }
  var turning: Orientation? { turns ? .rotated90 : nil }
  var cutRegion: Region? { cut }
  var part = ShrunkPart.whole
  func reading(_ part: ShrunkPart) -> any PictureOperation {
    var operation = self
    operation.part = part
    return operation
  }
  func workingByteCount(for inputs: [PictureLayout]) -> Int { 1000 }
  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    inputs[0]
  }
}

enum Fake {
  static func file(_ codec: FakeCodec) -> Picture {
    // Any file will do: the codec makes its header up.
    let file = PictureFile(
      SplitPath(#filePath), codecs: KnownCodecs { _ throws(PictureError) in codec })
    return Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
  }

  static func apply(_ operation: FakeOperation, _ picture: Picture, over: [Picture] = []) throws
    -> Picture
  {
    let arguments = try Arguments(RawArguments(), parameters: [], positionalCount: 0)
    return Picture(
      .operation(name: "fake", operation, arguments), inputs: [picture] + over, position: nil)
  }

  static func planner(_ ends: [Picture] = []) -> Planner {
    Planner(orient: { _ in FakeOperation(turns: true) }, sharedFrames: [:], ends: ends)
  }

  static func shrink(_ node: PlanNode) -> Int? { options(node)?.shrink }

  /// How the file at the start of a node's chain is decoded.
  static func options(_ node: PlanNode) -> DecodeOptions? {
    var node = node
    while let first = node.inputs.first { node = first }
    if case .decode(_, _, let options) = node.step { return options }
    return nil
  }

  /// Where a node's operation finds its picture in the rows it reads.
  static func part(_ node: PlanNode) -> ShrunkPart? {
    if case .operation(_, let operation as FakeOperation, _) = node.step { return operation.part }
    return nil
  }
}

/// Encodes a picture as its rows' first bytes.
struct RowsCodec: PictureCodec {
  var name: String { "rows" }
  var extensions: [String] { ["rows"] }
  var saveParameters: [ParameterDescriptor] { [] }
  func recognises(_ prefix: [UInt8]) -> Bool { false }
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    throw .codec(.truncated)
  }
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
    for row in 0..<count {
      try sink.write(UnsafeRawBufferPointer(start: rows + row * stride, count: 1))
    }
  }
  func finish() throws(PictureError) {}
}

extension RowsCodec {
  /// Of a run that knows this codec only.
  static func environment(book: any BookFormat) -> Environment {
    Environment(
      codecs: [RowsCodec()], recognise: { _ throws(PictureError) in RowsCodec() }, operations: [],
      plugin: { _ in nil }, pluginNames: { [] }, orient: { _ in FakeOperation() },
      statistics: { (_, _) throws(PictureError) in [] }, resize: { _ in .invalid },
      book: book, pageCodec: RowsCodec(),
      pageArguments: { _, _ in
        guard let none = try? Arguments(RawArguments(), parameters: [], positionalCount: 0) else {
          preconditionFailure("no arguments are wrong")
        }
        return none
      },
      decodePage: { (_) throws(PictureError) in throw .codec(.truncated) },
      verify: { _, _, _ in VerificationOutcome(isVerified: true, summary: "", findings: []) })
  }
}

/// Writes a letter for each page, but for one that fails.
private final class LetterWriter: BookWriter {
  private let file: OutputFile
  private let failure: BookFailure
  private var count = 0

  init(_ file: OutputFile, _ failure: BookFailure) {
    self.file = file
    self.failure = failure
  }

  func add(_ page: BookPage) throws(BookFailure) {
    if page.place == 1 { throw failure }
    count += 1
    let letter = [UInt8(ascii: "a") + UInt8(page.place)]
    #expect(Glibc.write(file.descriptor, letter, 1) == 1)
  }

  func finish() throws(PictureError) -> BookSummary {
    BookSummary(pageCount: count, worstPSNR: .infinity)
  }
}

private struct LetterPlan: BookPlan {
  let pageCount: Int
  var isOnePicturePerPage: Bool { true }
  func cut(ofPicture index: Int) -> BookCut? { nil }
  func notes(naming: (Int) -> String) -> [String] { [] }
}

/// A book of letters, whose second picture fails when it is written.
struct LetterBook: BookFormat {
  let failure: BookFailure
  var parameters: [ParameterDescriptor] { [] }
  func problems(with arguments: Arguments) -> [String] { [] }
  func problem(with references: PageReferences, arguments: Arguments) -> String? { nil }
  func problem(withText text: String) -> String? { nil }
  func keepsPlaces(_ arguments: Arguments) -> Bool { false }
  func showable(_ parts: [String], isOneLine: Bool) -> ShowableText { ShowableText(parts: parts) }
  func reasonToEncode(_ header: PictureHeader) -> String? { nil }
  func makePreparer(
    for layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) -> any PicturePreparer {
    preconditionFailure("nothing is stored without loss")
  }
  func take(_ file: InputFile, _ header: PictureHeader, keepsBytes: Bool) throws(PictureError)
    -> BookPage.Content
  {
    throw .codec(.truncated)
  }
  func tryToTake(_ file: InputFile, _ header: PictureHeader) throws(PictureError) {}
  func problems(ofPictures pictures: [BookPicture], arguments: Arguments) -> [Int: String] { [:] }
  func pictureCheck(_ arguments: Arguments) -> ((StoredPicture) -> StoredPictureProblem?)? { nil }
  func plan(_ pictures: [BookPicture], isComplete: Bool, arguments: Arguments)
    throws(PictureError) -> any BookPlan
  {
    LetterPlan(pageCount: pictures.count)
  }
  func makeWriter(to file: OutputFile, plan: any BookPlan, arguments: Arguments)
    throws(PictureError) -> any BookWriter
  {
    LetterWriter(file, failure)
  }
}
