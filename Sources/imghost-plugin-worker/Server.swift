import CShims
import PluginHost

/// Works on one picture after another until the host closes the channel.
struct Server {
  private let library: any ServedLibrary

  init(_ library: any ServedLibrary) { self.library = library }

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
      var call: Call
      if let frame, frame.identifier == request.frame {
        shim_name_call(number)
        call = Call(number: number, flags: frame.flags)
        let count = request.picture.byteCount
        let work = Work(
          picture: request.picture, inputs: frame.inputRows(count), output: frame.outputRows(count),
          values: request.values)
        Channel.send(library.process(work, &call) ? Message.done.begin(call: number) : call.failure)
      } else {
        var message = Message.failed.begin(call: number)
        message.append("needs more memory than there is")
        Channel.send(message)
      }
    }
  }
}

extension Call {
  /// The plugin's own words on why it failed.
  fileprivate var failure: WireWriter {
    var message = Message.failed.begin(call: number)
    message.append(error)
    return message
  }
}
