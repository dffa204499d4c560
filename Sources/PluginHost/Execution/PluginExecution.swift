import CPluginABI

#if canImport(Glibc)
  import Glibc
#endif

/// Calls of a loaded plugin: in a worker, or for trusted code in the host itself.
package struct PluginExecution {
  private let plugin: imghost_plugin

  package init(_ library: PluginLibrary) { plugin = library.plugin.pointee }

  /// Whether several instances may be at work at once, each on a thread of its own.
  var allowsThreads: Bool { plugin.threads >= IMGHOST_THREADS_INSTANCES }

  /// Makes an instance, has it process the whole frame, and ends it. False for a failure, on which the
  /// call has the plugin's words.
  ///
  /// - Parameters:
  ///   - input: where the input's rows start, in the request's format.
  ///   - output: likewise for the output.
  package func run(
    _ request: CallRequest, input: UnsafeMutableRawPointer, output: UnsafeMutableRawPointer,
    _ call: inout Call
  ) -> Bool {
    withUnsafeMutablePointer(to: &call) { call in
      let opaque = OpaquePointer(call)
      guard let instance = create(opaque, request.values) else { return false }
      defer { plugin.destroy(instance) }
      let input = picture(request.picture, input, isWritable: false)
      let output = picture(request.picture, output, isWritable: true)
      return withUnsafePointer(to: input) { input in
        withUnsafePointer(to: output) { output in
          withUnsafePointer(to: Optional(input)) { inputs in
            var request = imghost_request(
              struct_size: UInt32(MemoryLayout<imghost_request>.size), input_count: 1,
              call: opaque, inputs: inputs, output: output, region: output.pointee.valid)
            return plugin.process(instance, &request) == IMGHOST_OK
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
