import CPluginABI
import CShims
import Glibc
import PluginHost

/// Works on one picture after another until the host closes the channel.
struct Server {
  private let plugin: imghost_plugin

  private let mode: ServeMode

  init(_ library: PluginLibrary, mode: ServeMode) {
    plugin = library.plugin.pointee
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
      var call: Call
      if let frame, frame.identifier == request.frame {
        shim_name_call(number)
        call = Call(number: number, flags: frame.flags)
        Channel.send(serve(request, frame, &call) ? Message.done.begin(call: number) : call.failure)
      } else {
        var message = Message.failed.begin(call: number)
        message.append("needs more memory than there is")
        Channel.send(message)
      }
    }
  }

  /// Makes an instance, has it process the whole frame, and ends it.
  private func serve(_ request: CallRequest, _ frame: MappedFrame, _ call: inout Call) -> Bool {
    withUnsafeMutablePointer(to: &call) { call in
      let opaque = OpaquePointer(call)
      guard let instance = create(opaque, request.values) else { return false }
      var more: [UnsafeMutableRawPointer] = []
      defer { for instance in [instance] + more { plugin.destroy(instance) } }
      while mode == .instances && more.count < 3 {
        guard let instance = create(opaque, request.values) else { return false }
        more.append(instance)
      }
      let count = request.picture.byteCount
      let input = picture(request.picture, frame.inputRows(count), isWritable: false)
      let output = picture(request.picture, frame.outputRows(count), isWritable: true)
      return withUnsafePointer(to: input) { input in
        withUnsafePointer(to: output) { output in
          withUnsafePointer(to: Optional(input)) { inputs in
            var request = imghost_request(
              struct_size: UInt32(MemoryLayout<imghost_request>.size), input_count: 1,
              call: opaque, inputs: inputs, output: output, region: output.pointee.valid)
            guard mode != .whole else { return plugin.process(instance, &request) == IMGHOST_OK }
            let call = CheckedCall(
              plugin: plugin, request: request, input: input.pointee, output: output.pointee)
            return call.run(mode, instance, more: more)
          }
        }
      }
    }
  }

  private func create(_ call: OpaquePointer, _ values: [WireValue]) -> UnsafeMutableRawPointer? {
    let texts = values.map { value in value.text.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    let values = zip(values, texts).map { value, text in
      imghost_value(
        numbers: (value.numbers[0], value.numbers[1], value.numbers[2], value.numbers[3]),
        text: UnsafePointer(text))
    }
    return plugin.create(call, values, UInt32(values.count))
  }

  private func picture(
    _ picture: WirePicture, _ rows: UnsafeMutableRawPointer, isWritable: Bool
  ) -> imghost_picture {
    let (width, height) = (Int32(picture.width), Int32(picture.height))
    return imghost_picture(
      struct_size: UInt32(MemoryLayout<imghost_picture>.size), sample: picture.sample,
      bands: picture.bands, alpha: picture.alpha, width: width, height: height,
      valid: imghost_region(left: 0, top: 0, width: width, height: height),
      stride: Int(picture.stride), pixels: rows, writable: isWritable ? rows : nil)
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
