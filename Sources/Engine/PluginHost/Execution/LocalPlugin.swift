import ImageCore
import Platform

/// A plugin that runs in this process, for trusted code: a crash ends the host, a hang lasts forever, and stray writes
/// corrupt the host's memory.
///
/// `@unchecked Sendable`: the library does not change once loaded, and a plugin that does not allow several threads is
/// called under the lock.
final class LocalPlugin: @unchecked Sendable {
  private let library: any ServedLibrary
  private let allowsThreads: Bool
  private let turn = Monitor(())

  /// Loads the library, which is never unloaded. Called on first use, but not for listing plugins.
  ///
  /// - Parameters:
  ///   - expected: the description that the script was checked against.
  ///   - isAlone: whether calls are serialised even if the plugin allows several threads.
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

  var codec: CodecTables? { library.codec }

  /// Computes the frame's output from its inputs, on the calling thread.
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
