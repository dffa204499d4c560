import ImageCore
import ImageOperations
import Testing

import Platform

@testable import ImagePipeline

/// A codec for pictures of a given size that a decoder can shrink by 2, 4 and 8. It never decodes anything.
struct FakeCodec: PictureCodec {
  let width: Int
  let height: Int
  var orientation = Orientation.upright
  var hasFineShrinks = false
  var hasCositedShrinks = false
  var name: String { "fake" }
  var extensions: [String] { ["fake"] }
  var saveParameters: [ParameterDescriptor] { [] }

  func recognises(_ prefix: [UInt8]) -> Bool { true }
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    PictureHeader(
      codec: name, layout: PictureLayout(width: width, height: height, format: .rgb8),
      metadata: PictureMetadata(orientation: orientation), shrinkFactors: [2, 4, 8],
      hasFineShrinks: hasFineShrinks, hasCositedShrinks: hasCositedShrinks)
  }
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    throw .codec(.truncated)
  }
  func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }
  func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    throw .codec(.cannotEncode("it is not one"))
  }
}

/// An operation that creates a picture of a given size, or rotates or crops one.
struct FakeOperation: PictureOperation {
  var width: Int?
  var turns = false
  var cut: Region?
  var isCoarse = false

  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let input = inputs[0]
    if let cut { return input.with(width: cut.width, height: cut.height) }
    if turns { return input.with(width: input.height, height: input.width) }
    return width.map { input.with(width: $0, height: max(1, input.height * $0 / input.width)) } ?? input
  }
  func shrinkTolerance(of input: PictureLayout) -> Double {
    width.map { max(1, Double(input.width) / Double($0)) } ?? 1
  }
  var turning: Orientation? { turns ? .rotated90 : nil }
  var cutRegion: Region? { cut }
  var shrink = ShrinkOnLoad.off
  func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation {
    var operation = self
    operation.shrink = shrink
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
  static func opening(turns: Bool = false) -> OpeningSteps {
    OpeningSteps(
      orient: { _ in FakeOperation(turns: turns) }, named: "auto_orient", convert: FakeOperation(), named: "to_profile")
  }

  static func file(_ codec: FakeCodec) -> Picture {
    // Any file will do: the codec makes its header up.
    let file = PictureFile(InternedPath(#filePath), codecs: CodecCache { _ throws(PictureError) in codec })
    return Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
  }

  static func apply(_ operation: FakeOperation, _ picture: Picture, over: [Picture] = []) throws -> Picture {
    let arguments = try Arguments(RawArguments(), parameters: [], positionalCount: 0)
    return Picture(.operation(name: "fake", operation, arguments), inputs: [picture] + over, position: nil)
  }

  static func planner(_ ends: [Picture] = [], sharing shrinks: SharedShrinks = SharedShrinks()) -> Planner {
    Planner(
      opening: opening(turns: true), sharedFrames: [:],
      sharedShrinks: shrinks, ends: ends)
  }

  static func shrink(_ node: PlanNode) -> Int? { options(node)?.shrink }

  /// Returns the options for decoding the file at the start of a node's chain.
  static func options(_ node: PlanNode) -> DecodeOptions? {
    var node = node
    while let first = node.inputs.first { node = first }
    if case .decode(_, _, let options) = node.step { return options }
    return nil
  }

  /// Returns the position of a picture in the rows that a node's operation reads.
  static func shrinkOnLoad(_ node: PlanNode) -> ShrinkOnLoad? {
    if case .operation(_, let operation as FakeOperation, _) = node.step { return operation.shrink }
    return nil
  }
}

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

extension RowsCodec {
  /// The environment of a run that only knows this codec.
  static var environment: Environment {
    var environment = Environment(
      codecs: [RowsCodec()], recognise: { _ throws(PictureError) in RowsCodec() }, operations: [],
      opening: Fake.opening())
    environment.measureTraits = MeasurementList.traits
    return environment
  }
}
