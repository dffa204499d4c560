import ImageCore
import CProcesses
import CWorkerMemory
import PluginHost

/// Processes one picture after another until the host closes the channel.
struct Server {
  private let library: any ServedLibrary
  private let mode: ServeMode

  init(_ library: any ServedLibrary, mode: ServeMode) {
    self.library = library
    self.mode = mode
  }

  func run() {
    var frame: MappedFrame?
    while let (bytes, descriptors) = Channel.receive() {
      guard let (kind, number, content) = try? Message.open(bytes), kind == .call else { return }
      var body = content
      guard let request = try? CallRequest(from: &body) else { return }
      if !descriptors.isEmpty {
        frame = nil
        frame = MappedFrame(request, descriptors: descriptors)
      }
      guard let frame, frame.identifier == request.frame else {
        Channel.send(failure(number, "needs more memory than is free"))
        continue
      }
      shim_name_call(number)
      var call = call(number, frame.flags)
      let count = request.picture.byteCount
      let work = PluginWork(
        picture: request.picture, inputs: frame.inputRows(count), output: frame.outputRows(count),
        values: request.values, rows: request.rows, mode: mode)
      cworker_memory_set_stack()
      let isDone = library.process(work, &call)
      Channel.send(isDone ? Message.done.begin(call: number) : failure(number, call.error))
    }
  }

  private func call(_ number: UInt64, _ flags: SharedFlags) -> Call {
    Call(
      log: { level, text in
        var message = Message.log.begin(call: number)
        message.append(level)
        message.append(text)
        Channel.send(message)
      },
      isCancelled: { flags.isCancelled },
      progress: { flags.progress = UInt32($0 * 10_000) })
  }

  private func failure(_ number: UInt64, _ words: String) -> WireWriter {
    var message = Message.failed.begin(call: number)
    message.append(words)
    return message
  }
}
