import ImageCore
import Synchronization

/// An immutable description of a picture: a file, or an operation on other pictures.
///
/// Making one decodes nothing. Two values that share a node share its work.
public final class Picture: Sendable {
  public enum Step: Sendable {
    /// A file, turned upright unless told otherwise.
    case source(PictureFile, orient: Bool, acceptsDamage: Bool)
    /// A plain area of one colour, made of nothing.
    case canvas(PictureLayout, Colour)
    /// An operation with its checked arguments, for plans.
    case operation(name: String, any PictureOperation, Arguments)
    /// The result of a mistake that has been reported; everything made from it is left out.
    case invalid
  }

  public let step: Step
  /// The picture an operation is called on first, then the pictures among its arguments.
  public let inputs: [Picture]
  /// Where the script made it.
  public let position: ScriptPosition?
  /// The name, stem and path of a result are those of the picture it was made from.
  public let origin: PictureFile?
  /// The longest chain of operations that makes it.
  let depth: Int
  private let memo = AtomicLazyReference<Memo>()

  private final class Memo: Sendable {
    let result: Result<Info, Problem>
    init(_ result: Result<Info, Problem>) { self.result = result }
  }

  /// What is known of a picture without decoding it.
  public struct Info: Sendable {
    public let layout: PictureLayout
    /// Orientation and resolution; `Picture.metadata()` gives the rest, too.
    public let metadata: PictureMetadata
    /// The codec of the file it came from.
    public let codec: String
    /// The operation, adapted to its first input; nil for a file.
    let operation: (any PictureOperation)?
  }

  /// Why there is no picture.
  public enum Problem: Error, Sendable {
    /// Said already.
    case reported
    case diagnostic(Diagnostic)
  }

  init(
    _ step: Step, inputs: [Picture] = [], position: ScriptPosition?, origin: PictureFile? = nil
  ) {
    self.step = step
    self.inputs = inputs
    self.position = position
    self.origin = origin ?? inputs.first?.origin
    // What is made from a mistake starts anew.
    if case .invalid = step {
      depth = 0
    } else {
      depth = 1 + (inputs.map(\.depth).max() ?? 0)
    }
  }

  /// The longest chain a script may make; rows pass through all of it on one stack.
  static let maximumDepth = 10_000

  /// Size, format and metadata; reads headers, decodes nothing. From any thread.
  public func info() throws(Problem) -> Info {
    // Iterative: a script may chain thousands of operations.
    var pending = [self]
    while let last = pending.last {
      if let missing = last.inputs.first(where: { $0.memo.load() == nil }) {
        pending.append(missing)
        continue
      }
      pending.removeLast()
      if last.memo.load() != nil { continue }
      _ = last.memo.storeIfNil(Memo(Result { () throws(Problem) in try last.compute() }))
    }
    return try knownInfo()
  }

  /// All that travels with the picture, read from its file now; what cannot be read is left out, as
  /// decoding the file will tell.
  public func metadata() -> PictureMetadata {
    var chain = [self]
    while let first = chain.last!.inputs.first { chain.append(first) }
    var metadata = PictureMetadata()
    for picture in chain.reversed() {
      switch picture.step {
      case .invalid, .canvas: break
      case .source(let file, let orient, _):
        guard let header = try? file.wholeHeader() else { break }
        metadata = Self.seen(header, orient: orient).metadata
      case .operation:
        guard let info = try? picture.info(), let operation = info.operation,
          let input = try? picture.inputs[0].info()
        else { break }
        metadata = operation.outputMetadata(metadata)
          .describing(info.layout, madeOf: input.layout)
      }
    }
    return metadata
  }

  /// The layout and the metadata of a file's picture as the script sees it.
  private static func seen(_ header: PictureHeader, orient: Bool)
    -> (layout: PictureLayout, metadata: PictureMetadata)
  {
    var layout = header.layout
    var metadata = header.metadata
    guard orient else { return (layout, metadata) }
    if metadata.orientation.swapsSides {
      layout = layout.with(width: layout.height, height: layout.width)
      metadata.resolution = metadata.resolution.map {
        Resolution(horizontal: $0.vertical, vertical: $0.horizontal)
      }
    }
    metadata.orientation = .upright
    return (layout, metadata)
  }

  private func compute() throws(Problem) -> Info {
    switch step {
    case .invalid:
      throw .reported
    case .canvas(let layout, _):
      return Info(layout: layout, metadata: PictureMetadata(), codec: "canvas", operation: nil)
    case .source(let file, let orient, _):
      do throws(PictureError) {
        let header = try file.read().header
        let (layout, metadata) = Self.seen(header, orient: orient)
        return Info(layout: layout, metadata: metadata, codec: header.codec, operation: nil)
      } catch {
        throw .diagnostic(
          Diagnostic(
            .input, at: position, subject: "open", file: file.path, message: error.description))
      }
    case .operation(let name, let operation, _):
      var inputInfos: [Info] = []
      for input in inputs { inputInfos.append(try input.knownInfo()) }
      let metadata = inputInfos[0].metadata
      let adapted = operation.adapted(to: metadata) ?? operation
      do throws(OperationError) {
        let layout = try adapted.outputLayout(of: inputInfos.map(\.layout))
        return Info(
          layout: layout,
          metadata: adapted.outputMetadata(metadata)
            .describing(layout, madeOf: inputInfos[0].layout),
          codec: inputInfos[0].codec, operation: adapted)
      } catch {
        // It depends on the picture: another one may be large enough.
        throw .diagnostic(
          Diagnostic(
            .input, at: position, subject: name, file: origin?.path, message: error.description))
      }
    }
  }

  private func knownInfo() throws(Problem) -> Info {
    try memo.load()!.result.get()
  }
}

extension Result where Failure: Error {
  /// As the standard library's, keeping the type of the error.
  init(_ body: () throws(Failure) -> Success) {
    do throws(Failure) {
      self = .success(try body())
    } catch {
      self = .failure(error)
    }
  }
}
