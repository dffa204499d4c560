import ImageCore
import Scheduling

/// Opens the nodes of one task's plan as row sources.
final class RowChain {
  private let consumers: [ObjectIdentifier: Int]
  private let breaks: Set<ObjectIdentifier>
  private let context: OperationContext
  private let recorder: TraceRecorder?
  /// Receives each operation's note, and the path of the file at the start of the operation's chain.
  private let note: (@Sendable (OperationNote, String) -> Void)?
  /// The record of the first step that failed.
  let failure = FailureRecord()
  private var frames: [ObjectIdentifier: PixelBuffer] = [:]
  private var readers: [ObjectIdentifier: Int] = [:]

  init(
    consumers: [ObjectIdentifier: Int], breaks: Set<ObjectIdentifier> = [],
    context: OperationContext, recorder: TraceRecorder? = nil, note: (@Sendable (OperationNote, String) -> Void)? = nil
  ) {
    self.note = note
    self.consumers = consumers
    self.breaks = breaks
    self.context = context
    self.recorder = recorder
  }

  /// Opens a source of the node's rows. A node with several consumers is read completely at the first call, and freed
  /// after the last. A node in `breaks` is read completely, too.
  func open(_ node: PlanNode) throws(PictureError) -> any RowSource {
    let key = ObjectIdentifier(node)
    let expected = consumers[key] ?? 1
    guard expected > 1 else {
      let source = try start(node)
      return breaks.contains(key) ? BufferSource(try source.readAll(context)) : source
    }
    let frame: PixelBuffer
    if let kept = frames[key] {
      frame = kept
    } else {
      frame = try start(node).readAll(context)
    }
    readers[key, default: 0] += 1
    frames[key] = readers[key]! >= expected ? nil : frame
    return BufferSource(frame)
  }

  /// Returns the context of a step. It attributes notes to the file at the start of the step's chain.
  private func context(of node: PlanNode) -> OperationContext {
    guard let note else { return context }
    let name = if case .decode = node.step { "open" } else { node.name }
    return context.noting { [path = node.path] text in note(OperationNote(operation: name, text: text), path) }
  }

  private func start(_ node: PlanNode) throws(PictureError) -> any RowSource {
    let context = context(of: node)
    switch node.step {
    case .decode(let file, let contents, let options):
      let context = context.noting { text in
        file.noteFault()
        context.note(text)
      }
      for text in contents.header.notes { context.note(text) }
      let input = try attributed(node) { () throws(PictureError) in try file.openForDecoding() }
      let decoding = FileDecoding(file, byteCount: contents.codec.limitsItself ? nil : input.byteCount)
      let decoder = try recorder.span("open " + contents.header.codec) { () throws(PictureError) in
        try attributed(node) { () throws(PictureError) in
          try decoding.run { () throws(PictureError) in
            try contents.codec.makeDecoder(
              input, header: contents.header, options: options, context: decoding.context(context))
          }
        }
      }
      // Another picture may have replaced the file since its header was read.
      guard decoder.layout == node.layout else {
        failure.record(node)
        throw .codec(.changed)
      }
      return StepSource(decoder, node, context, failure, recorder, decoding)
    case .operation(_, let operation, _):
      var inputs: [any RowSource] = []
      for input in node.inputs { inputs.append(try open(input)) }
      // Some operations read all rows of their input here, for example because they need the average.
      let opened = try recorder.span(node.traceName) { () throws(PictureError) in
        try attributed(node) { () throws(PictureError) in
          try operation.open(inputs, nominal: node.nominal, context: context)
        }
      }
      precondition(opened.layout == node.layout, "an operation gives another layout than it said")
      return StepSource(opened, node, context, failure, recorder)
    case .cut(_, let region, _):
      return CroppedSource(try open(node.inputs[0]), region)
    case .canvas(let colour):
      return CanvasSource(node.layout, colour)
    case .shared(let frame):
      return BufferSource(try frame.buffer(context: context, failure: failure))
    }
  }

  private func attributed<Value>(
    _ node: PlanNode, _ body: () throws(PictureError) -> Value
  ) throws(PictureError) -> Value {
    do throws(PictureError) {
      return try body()
    } catch {
      failure.record(node)
      throw error
    }
  }
}

/// The step that failed first in a task, recorded in addition to the error, so that the message can name the step.
final class FailureRecord {
  private(set) var node: PlanNode?

  func record(_ node: PlanNode) { if self.node == nil { self.node = node } }

  /// Forgets the step, because the task continues with another picture.
  func clear() { node = nil }
}

/// The rows of a step. Reading them checks for cancellation, and records the step if it fails.
private final class StepSource: RowSource {
  private let source: any RowSource
  private let node: PlanNode
  private let context: OperationContext
  private let failure: FailureRecord
  private let recorder: TraceRecorder?
  private let traceName: String
  private let decoding: FileDecoding?
  var layout: PictureLayout { source.layout }

  init(
    _ source: any RowSource, _ node: PlanNode, _ context: OperationContext,
    _ failure: FailureRecord, _ recorder: TraceRecorder?, _ decoding: FileDecoding? = nil
  ) {
    self.decoding = decoding
    self.source = source
    self.node = node
    self.context = context
    self.failure = failure
    self.recorder = recorder
    traceName = recorder == nil ? "" : node.traceName
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try context.checkCancellation()
    do throws(PictureError) {
      try recorder.span(traceName) { () throws(PictureError) in
        guard let decoding else { return try source.read(count, into: destination, stride: stride) }
        try decoding.run { () throws(PictureError) in
          try source.read(count, into: destination, stride: stride)
        }
      }
    } catch {
      failure.record(node)
      throw error
    }
  }
}

extension PlanNode {
  /// Returns advice on an error of this step; nil if there is none.
  func advice(after error: PictureError) -> Diagnostic.Advice? {
    guard case .decode(let file, let contents, var options) = step, !options.acceptsDamage, error.mayBeDamage else {
      return nil
    }
    options.acceptsDamage = true
    // The second attempt must not take much memory.
    guard contents.header.decoderByteCount <= 64 << 20 else { return error.isDamage ? .acceptDamage : nil }
    do throws(PictureError) {
      let input = try file.openForDecoding()
      let decoding = FileDecoding(file, byteCount: contents.codec.limitsItself ? nil : input.byteCount)
      let decoder = try contents.codec.makeDecoder(
        input, header: contents.header, options: options, context: decoding.context(.serial))
      guard decoder.layout == layout else { return nil }
      let row = PixelBuffer(layout.with(width: layout.width, height: 1))
      try decoding.run { () throws(PictureError) in try decoder.read(1, into: row.base, stride: row.stride) }
      return .acceptDamage
    } catch { return nil }
  }
}

extension PictureError {
  /// Whether the error means that a file is damaged, which a script may accept.
  package var isDamage: Bool {
    switch self {
    case .codec(.truncated), .codec(.damaged): true
    default: false
    }
  }

  /// Whether the error may be caused by damage. Plugins describe damage in their own words.
  fileprivate var mayBeDamage: Bool {
    if case .codec(.refused) = self { true } else { isDamage }
  }
}

/// The limits for decoding a file in one chain: a time limit, unless the codec limits its time itself, and the file's
/// verdict, see `PictureFile.decode`.
private struct FileDecoding {
  private let file: PictureFile
  private let time: DecodingTime?

  /// - Parameter byteCount: the size of the file in bytes; nil for a codec that limits its time itself.
  init(_ file: PictureFile, byteCount: Int?) {
    self.file = file
    time = byteCount.map { DecodingTime(byteCount: $0) }
  }

  func context(_ context: OperationContext) -> OperationContext {
    let judged = file.judged(context)
    return time.map { judged.timed($0) } ?? judged
  }

  func run<Result>(_ body: () throws(PictureError) -> Result) throws(PictureError) -> Result {
    try file.decode { () throws(PictureError) in
      guard let time else { return try body() }
      return try time.run(body)
    }
  }
}
