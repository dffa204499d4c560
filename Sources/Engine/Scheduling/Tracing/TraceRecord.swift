/// What a `TraceRecorder` has noted, as values. Times are nanoseconds since recording began.
public struct TraceRecord: Sendable {
  /// A thread did something for so long.
  public struct Span: Sendable, Equatable {
    public let row: TraceRow
    /// The work object's name, such as a picture's file; or the operation's.
    public let name: String
    /// The class the work had then; nil for a part of a step.
    public let qos: QualityOfService?
    public let began: Int
    public internal(set) var ended: Int

    public init(
      _ row: TraceRow, _ name: String, _ qos: QualityOfService? = nil, began: Int, ended: Int
    ) {
      self.row = row
      self.name = name
      self.qos = qos
      self.began = began
      self.ended = ended
    }
  }

  /// How much waited and how much memory was admitted, from a time on.
  public struct Level: Sendable, Equatable {
    public let time: Int
    /// Items that could run, by class: `QualityOfService.rawValue`.
    public var ready: SIMD8<Int32>
    /// Bytes predicted for what has begun, and of results that wait.
    public var bytes: Int

    public init(time: Int, ready: SIMD8<Int32>, bytes: Int) {
      self.time = time
      self.ready = ready
      self.bytes = bytes
    }

    public var readyCount: Int { Int(ready.wrappedSum()) }
    public func readyCount(_ qos: QualityOfService) -> Int { Int(ready[qos.rawValue]) }
  }

  /// Something that takes no time.
  public struct Mark: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
      case raised, cancelled, failed
      case bookWritten = "book written"
    }

    public let time: Int
    public let kind: Kind
    /// Which job, file or work.
    public let detail: String

    public init(time: Int, _ kind: Kind, _ detail: String) {
      self.time = time
      self.kind = kind
      self.detail = detail
    }
  }

  /// What workers did, a step at a time, in the order they began.
  public var steps: [Span]
  /// Parts of steps, in the order they began; the outer before the inner.
  public var operations: [Span]
  /// In order.
  public var levels: [Level]
  /// In order.
  public var marks: [Mark]
  /// Events that were not kept, because there were too many.
  public var droppedCount: Int
  /// When recording ended.
  public var duration: Int
  /// Workers there may be of each kind.
  public var workers: Int

  public init(
    steps: [Span] = [], operations: [Span] = [], levels: [Level] = [], marks: [Mark] = [],
    droppedCount: Int = 0, duration: Int, workers: Int
  ) {
    self.steps = steps
    self.operations = operations
    self.levels = levels
    self.marks = marks
    self.droppedCount = droppedCount
    self.duration = duration
    self.workers = workers
  }

  /// Every thread that did something, in the order of a drawing.
  public var rows: [TraceRow] { Set(steps.lazy.map(\.row)).sorted() }
}
