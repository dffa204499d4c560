import ImageCore

/// The memory in bytes that a run keeps for each kind of request in a script, so that the sum can be limited.
///
/// Measured as the resident memory of 10,000 requests of each kind, with glibc's `malloc`, including the dictionaries
/// that contain them. A picture and its handle are counted when the script receives them.
enum RecordedMemory {
  /// A picture file, by its path.
  static let file = 200
  /// A page of a file, or a file with options.
  static let filePage = 340
  /// The layout and the colour of a plain area.
  static let canvas = 80
  /// A job, its request, and the request's name.
  static let job = 320
  /// A picture of a job.
  static let pictureOfJob = 24
  /// A path claimed by an output, and the output's result.
  static let output = 500
  static let documentReport = 1_024

  /// Returns the memory of an operation with checked arguments.
  static func operation(_ operation: any PictureOperation, _ arguments: RawArguments, parameterCount: Int) -> Int {
    400 + 32 * parameterCount + arguments.recordedByteCount + operation.keptByteCount
  }
}

extension RawArguments {
  /// The memory that the arguments take while a run keeps them.
  package var recordedByteCount: Int {
    positional.reduce(0) { $0 + 24 + $1.recordedByteCount } + named.reduce(0) { $0 + 24 + $1.value.recordedByteCount }
  }
}

extension String {
  /// The memory that a text takes besides the `String` itself, which stores up to 15 bytes inline.
  package var recordedByteCount: Int { utf8.count > 15 ? 32 + utf8.count : 0 }
}

extension ParameterValue {
  /// The memory of a value, including its heap allocation.
  fileprivate var recordedByteCount: Int {
    switch self {
    case .text(let text), .other(let text): 48 + text.recordedByteCount
    case .list(let items): items.reduce(80) { $0 + 8 + $1.recordedByteCount }
    case .jobs(let numbers): 80 + 8 * numbers.count
    case .fields(let fields): fields.reduce(112) { $0 + 48 + $1.key.recordedByteCount + $1.value.recordedByteCount }
    case .boolean, .integer, .number, .picture, .colour: 48
    }
  }
}
