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
        Channel.send(Channel.failure(call: number, "needs more memory than is free"))
        continue
      }
      shim_name_call(number)
      let flags = frame.flags
      var call = Call(
        log: { Channel.sendLog(call: number, $0, $1) }, isCancelled: { flags.isCancelled },
        progress: { flags.progress = UInt32($0 * 10_000) })
      let count = request.picture.byteCount
      let work = PluginWork(
        picture: request.picture, inputs: frame.inputRows(count), output: frame.outputRows(count),
        values: request.values, rows: request.rows, mode: mode)
      cworker_memory_set_stack()
      let isDone = library.process(work, &call)
      Channel.send(isDone ? Message.done.begin(call: number) : Channel.failure(call: number, call.error))
    }
  }
}
