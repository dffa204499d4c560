/// The events of a `TraceRecorder`, as values. Times are nanoseconds since recording began.
public struct TraceRecord: Sendable {
  /// A period in which a thread did something.
  public struct Span: Sendable, Equatable {
    public let row: TraceRow
    /// The name of the work, such as a picture's file name, or of an operation.
    public let name: String
    /// The class of the work; nil for a part of a step.
    public let qos: QualityOfService?
    public let began: Int
    public internal(set) var ended: Int

    public init(_ row: TraceRow, _ name: String, _ qos: QualityOfService? = nil, began: Int, ended: Int) {
      self.row = row
      self.name = name
      self.qos = qos
      self.began = began
      self.ended = ended
    }
  }

  /// The number of ready items and the memory in use from a given time on.
  public struct Level: Sendable, Equatable {
    public let time: Int
    /// The number of ready items by class, indexed by `QualityOfService.rawValue`.
    public var ready: SIMD8<Int32>
    /// The sum of the predicted bytes of running items and the bytes of waiting results.
    public var bytes: Int

    public init(time: Int, ready: SIMD8<Int32>, bytes: Int) {
      self.time = time
      self.ready = ready
      self.bytes = bytes
    }

    public var readyCount: Int { Int(ready.wrappedSum()) }
    public func readyCount(_ qos: QualityOfService) -> Int { Int(ready[qos.rawValue]) }
  }

  /// An instantaneous event.
  public struct Mark: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
      case raised, cancelled, failed
      case bookWritten = "book written"
    }

    public let time: Int
    public let kind: Kind
    /// The name of the job, file or work.
    public let detail: String

    public init(time: Int, _ kind: Kind, _ detail: String) {
      self.time = time
      self.kind = kind
      self.detail = detail
    }
  }

  /// The steps of all threads, sorted by their beginnings.
  public var steps: [Span]
  /// The parts of steps in the order in which they began, outer ones before inner ones.
  public var operations: [Span]
  /// The levels, in order.
  public var levels: [Level]
  /// The marks, in order.
  public var marks: [Mark]
  /// The number of events that were dropped because there were too many.
  public var droppedCount: Int
  /// The time at which recording ended; if it had not ended, the time at which this record was made.
  public var duration: Int
  /// The number of workers of each kind.
  public var workers: Int

  public init(
    steps: [Span] = [], operations: [Span] = [], levels: [Level] = [], marks: [Mark] = [], droppedCount: Int = 0,
    duration: Int, workers: Int
  ) {
    self.steps = steps
    self.operations = operations
    self.levels = levels
    self.marks = marks
    self.droppedCount = droppedCount
    self.duration = duration
    self.workers = workers
  }

  /// The threads that did something, in the order of the drawing.
  public var rows: [TraceRow] { Set(steps.lazy.map(\.row)).sorted() }
}

/// A row in the drawing of a run. It represents one thread at a time.
public struct TraceRow: Sendable, Hashable, Comparable {
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// The thread that runs the script. While it waits for a parallel loop, it helps with the loop.
    case script
    /// Workers of normal priority.
    case foreground
    /// Workers of the lowest priority, for utility and background work.
    case low
    /// Threads that wait for disks and other programs.
    case waiting
  }

  public let kind: Kind
  /// The number of the row within its kind. There may be gaps.
  public let number: Int

  public init(_ kind: Kind, _ number: Int = 0) {
    self.kind = kind
    self.number = number
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.number) < (right.kind.rawValue, right.number)
  }
}

extension Worker {
  var row: TraceRow { TraceRow(kind == .foreground ? .foreground : .low, index) }
}
