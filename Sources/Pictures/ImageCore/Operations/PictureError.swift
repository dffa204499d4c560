/// The reason why a picture could not be read, processed or written, as facts.
///
/// The pipeline adds the line of the script, the file and the operation.
public enum PictureError: Error, Sendable, Equatable {
  case codec(CodecError)
  case operation(OperationError)
  case file(FileError)
  case plugin(PluginFailure)
  /// The job was cancelled, which does not mean that this picture failed.
  case cancelled
}

/// The reason why an operation cannot process its inputs.
public enum OperationError: Error, Sendable, Equatable {
  /// The region is not inside the picture of the given size.
  case regionOutside(Region, width: Int, height: Int)
  /// The result would be larger than any picture may be.
  case tooLarge(width: Int, height: Int)
  /// The call lacks an argument; the text is a clause that names it: "give it a width, a height, or both".
  case incomplete(String)
  /// The input is unsuitable; the text is a clause with the problem and a remedy: "gamma needs …; use …".
  case unsuitable(String)
  /// The output would replace a file that another program has changed, or take pages from a book that was replaced; the
  /// text is a clause with a remedy.
  case protected(String)
}

/// A plugin call that failed.
public struct PluginFailure: Error, Sendable, Equatable {
  public let plugin: String
  /// The reason, whose text continues a sentence that starts with the plugin's name: "crashed (segmentation fault)".
  public let cause: any Error
  /// The arguments of the call in the form of `imghost plugin run`, such as `strength=0.3`, without defaults.
  public let settings: [String]
  /// The indices of the operation's inputs that the plugin reads, in the plugin's order; empty for a source and a
  /// codec.
  public let inputs: [Int]
  /// Whether a retry may succeed, because the plugin's process ended for a reason that may be temporary.
  public let mayPass: Bool

  public init(
    plugin: String, cause: any Error, settings: [String] = [], inputs: [Int] = [0], mayPass: Bool = false
  ) {
    self.mayPass = mayPass
    self.plugin = plugin
    self.cause = cause
    self.settings = settings
    self.inputs = inputs
  }

  public static func == (one: Self, other: Self) -> Bool {
    (one.plugin, "\(one.cause)", one.mayPass) == (other.plugin, "\(other.cause)", other.mayPass)
      && one.settings == other.settings && one.inputs == other.inputs
  }
}

extension PictureError {
  /// Calls `body`, and throws its error as a `PictureError`.
  package static func ofOperation<Value>(_ body: () throws(OperationError) -> Value) throws(PictureError) -> Value {
    do throws(OperationError) { return try body() } catch { throw .operation(error) }
  }

  /// The problem of a file, without advice; for other errors, the whole message.
  public var reason: String {
    switch self {
    case .codec(let error): error.reason
    case .file(let error): error.reason
    case .operation, .plugin, .cancelled: description
    }
  }
}

extension PictureError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .codec(let error): error.description
    case .operation(let error): error.description
    case .file(let error): error.description
    case .plugin(let failure): "plugin '\(failure.plugin)' \(failure.cause)"
    case .cancelled: "cancelled"
    }
  }
}

extension OperationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .regionOutside(let region, let width, let height):
      "the area \(region.width)x\(region.height) at (\(region.left), \(region.top)) "
        + "is not inside the \(width)x\(height) picture"
    case .tooLarge(let width, let height):
      "the result would be \(width)x\(height) pixels; "
        + "a picture has at most \(PictureLayout.maximumSide) a side and 4 gigapixels"
    case .incomplete(let clause), .unsuitable(let clause), .protected(let clause): clause
    }
  }
}

extension PictureLayout {
  /// Makes a layout with a size from a script or a file.
  ///
  /// - Throws: `unsuitable` for a size below 1, `tooLarge` above `maximumSide` or `maximumPixels`.
  public static func checked(width: Int, height: Int, format: PixelFormat) throws(OperationError) -> PictureLayout {
    guard width >= 1, height >= 1 else {
      throw .unsuitable("the result would have no pixels (\(width)x\(height))")
    }
    guard width <= maximumSide, height <= maximumSide,
      width.multipliedReportingOverflow(by: height).partialValue <= maximumPixels
    else { throw .tooLarge(width: width, height: height) }
    return PictureLayout(width: width, height: height, format: format)
  }
}
