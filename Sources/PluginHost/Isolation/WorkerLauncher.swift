import ImageCore

/// Starts workers for one library and hears what the plugin in it says of itself.
struct WorkerLauncher: Sendable {
  /// Path of `imghost-plugin-worker`.
  let program: String
  let library: String
  /// How long a call may take.
  let deadline: Duration
  /// The body of the description the script was checked against.
  var expected: WireReader?
  /// Called when the library turns out not to be the one the script was checked against.
  var onChange: @Sendable () -> Void = {}
  /// How the worker is to go about a picture: the first argument of `imghost-plugin-worker`.
  var serveMode = "serve"

  /// Loading and describing does no work on pictures, so it may not take longer than this.
  private var describeDeadline: Duration { min(deadline, .seconds(10)) }

  /// Describes the library in a worker of its own.
  func describe(isCancelled: @escaping () -> Bool) throws(PluginRefusal)
    -> (PluginDescription, body: WireReader)
  {
    do throws(CallFailure) {
      let (worker, body) = try start(mode: "describe", isCancelled: isCancelled)
      worker.end()
      var reader = body
      do throws(DescriptionError) {
        return (try PluginDescription(from: &reader), body)
      } catch {
        throw .refused(.invalid(error))
      }
    } catch .refused(let refusal) {
      throw refusal
    } catch {
      throw .worker(error.description)
    }
  }

  /// Starts a worker that is ready for calls.
  func serve(isCancelled: @escaping () -> Bool) throws(CallFailure) -> WorkerProcess {
    let (worker, body) = try start(mode: serveMode, isCancelled: isCancelled)
    guard body == expected else {
      onChange()
      throw .changed
    }
    return worker
  }

  private func start(mode: String, isCancelled: @escaping () -> Bool) throws(CallFailure)
    -> (WorkerProcess, WireReader)
  {
    let worker: WorkerProcess
    do throws(FileError) {
      worker = try WorkerProcess(program: program, arguments: [mode, library])
    } catch {
      throw .notStarted("\(error.path): \(error)")
    }
    let conversation = Conversation(
      worker: worker, number: 0, limit: describeDeadline, isCancelled: isCancelled,
      onLog: { _, _ in }, onWait: {}, onCancel: {})
    let (kind, content) = try conversation.answer()
    var body = content
    switch kind {
    case .description: return (worker, body)
    case .refused: throw .refused(PluginRefusal(from: &body))
    default: throw .garbled
    }
  }
}

extension PluginRefusal {
  /// Reads the body of a `refused` message.
  fileprivate init(from body: inout WireReader) {
    guard let code = try? body.integer(UInt32.self), let reason = WorkerRefusal(rawValue: code)
    else {
      self = .invalid(.garbled)
      return
    }
    switch reason {
    case .cannotLoad: self = .cannotLoad((try? body.line()) ?? "")
    case .noEntry: self = .noEntry
    case .noDescription: self = .noDescription
    case .wrongVersion: self = .wrongVersion((try? body.integer(UInt32.self)) ?? 0)
    case .tooSmall: self = .invalid(.tooSmall)
    case .noFunctions: self = .invalid(.noFunctions)
    case .tooLong: self = .invalid(.tooLong)
    case .frei0r: self = .frei0r((try? body.line()) ?? "")
    }
  }
}
