import ImageCore
import Platform

/// A plugin that runs in this process: trusted code. A crash is the host's, a hang is for ever, and memory
/// that it should not touch is the host's own.
///
/// `@unchecked Sendable`: the library is constant once loaded; a plugin that does not allow several
/// threads is called under the lock.
final class LocalPlugin: @unchecked Sendable {
  private let library: any ServedLibrary
  private let allowsThreads: Bool
  private let turn = Monitor(())

  /// Loads the library, which is never unloaded. Called on first use, not to list plugins.
  ///
  /// - Parameters:
  ///   - expected: the description the script was checked against.
  ///   - isAlone: whether calls wait for each other, whatever the plugin says.
  init(path: String, expected: ExpectedDescription?, isAlone: Bool) throws(CallFailure) {
    do throws(LoadFailure) {
      library = try Library.load(path: path)
    } catch {
      throw .changed
    }
    let bytes = library.description()?.bytes ?? []
    guard let (_, _, body) = try? Message.open(bytes), let expected, expected.compare(body) != .other else {
      throw .changed
    }
    allowsThreads = library.allowsThreads && !isAlone
  }

  /// Turns the frame's inputs into its output on the calling thread.
  func call(
    _ request: CallRequest, _ frame: Frame, _ context: OperationContext,
    onLog: @escaping (UInt32, String) -> Void, onProgress: @escaping (Double) -> Void
  ) throws(CallFailure) {
    let count = request.picture.byteCount
    var call = Call(log: onLog, isCancelled: { context.isCancelled }, progress: onProgress)
    let work = PluginWork(
      picture: request.picture,
      inputs: (0..<frame.inputCount).map { frame.inputRows(count, of: $0) },
      output: frame.outputRows(count), values: request.values)
    func run() -> Bool { library.process(work, &call) }
    let isDone = allowsThreads ? run() : turn.withLock { _ in run() }
    if context.isCancelled { throw .cancelled }
    if !isDone { throw .plugin(WireReader.line(Array(call.error.utf8)[...])) }
  }
}
