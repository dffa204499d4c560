import CPluginABI
import Platform

/// The way a worker calls a plugin for a picture: for the whole picture, or in one of the ways that `imghost plugin
/// check` tests.
package enum ServeMode: String {
  case whole = "serve"
  /// Processes strips of 1, 7 and 64 rows one after another, in one instance. Each call receives its rows and the
  /// padding that the plugin requires. The memory beyond them does not belong to the picture.
  case strips = "check-strips"
  /// Processes the whole picture in four instances at the same time. Three of them write into memory that is discarded.
  case instances = "check-instances"
  /// Processes up to four ranges of rows at the same time, in one instance.
  case regions = "check-regions"
}

/// One call to a plugin, made as a whole or in pieces.
struct PluginCall {
  let plugin: imghost_plugin
  let call: OpaquePointer
  let inputs: [imghost_picture]
  let output: imghost_picture
  /// The rows of the output to write; used only by `whole`.
  let rows: Range<UInt32>

  /// Runs the call, and returns whether every piece succeeded.
  func run(_ mode: ServeMode, _ instance: UnsafeMutableRawPointer, more: [UnsafeMutableRawPointer]) -> Bool {
    switch mode {
    case .whole: process(instance, inputs, output, region)
    case .strips: strips(instance)
    case .regions: regions(instance)
    case .instances: instances([instance] + more)
    }
  }

  private var region: imghost_region {
    var region = output.valid
    (region.top, region.height) = (Int32(rows.lowerBound), Int32(rows.count))
    return region
  }

  private func strips(_ instance: UnsafeMutableRawPointer) -> Bool {
    var top: Int32 = 0
    var index = 0
    while top < output.height {
      let height = min([1, 7, 64][index % 3], output.height - top)
      guard strip(instance, top: top, height: height) else { return false }
      top += height
      index += 1
    }
    return true
  }

  /// Processes a strip. Its rows and their padding are copied to separate memory, with filler rows above and below
  /// them.
  private func strip(_ instance: UnsafeMutableRawPointer, top: Int32, height: Int32) -> Bool {
    let padding = Int64(min(plugin.padding, UInt32(Int32.max)))
    let first = max(0, Int64(top) - padding)
    let last = min(Int64(output.height), Int64(top) + Int64(height) + padding)
    let (count, beyond) = (Int(last - first), 8)
    var copies: [UnsafeMutableRawPointer] = []
    defer { for memory in copies { memory.deallocate() } }
    let parts = inputs.map { input in
      let stride = input.stride
      let memory = UnsafeMutableRawPointer.allocate(byteCount: (count + 2 * beyond) * stride, alignment: 64)
      copies.append(memory)
      memset(memory, 0xa5, (count + 2 * beyond) * stride)
      let rows = memory + beyond * stride
      memcpy(rows, input.pixels + Int(first) * stride, (count - 1) * stride + rowByteCount)
      var part = input
      part.pixels = UnsafeRawPointer(rows)
      part.valid.top = Int32(first)
      part.valid.height = Int32(count)
      return part
    }
    var region = output.valid
    region.top = top
    region.height = height
    return process(instance, parts, output, region)
  }

  private var rowByteCount: Int { Int(output.width) * Int(output.bands) * (1 << (Int(output.sample) - 1)) }

  private func regions(_ instance: UnsafeMutableRawPointer) -> Bool {
    let count = Int(min(4, output.height))
    return outcomes(count) { index in
      var region = output.valid
      region.top = output.height * Int32(index) / Int32(count)
      region.height = output.height * Int32(index + 1) / Int32(count) - region.top
      return process(instance, inputs, output, region)
    }
  }

  private func instances(_ instances: [UnsafeMutableRawPointer]) -> Bool {
    let byteCount = output.stride * Int(output.height)
    return outcomes(instances.count) { index in
      guard index > 0 else { return process(instances[0], inputs, output, output.valid) }
      let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      defer { memory.deallocate() }
      var other = output
      other.writable = memory
      other.pixels = UnsafeRawPointer(memory)
      return process(instances[index], inputs, other, output.valid)
    }
  }

  /// Calls the closure with each index on a thread of its own, and returns whether all calls returned true.
  private func outcomes(_ count: Int, _ body: @escaping (Int) -> Bool) -> Bool {
    let results = UnsafeMutablePointer<Bool>.allocate(capacity: count)
    results.initialize(repeating: false, count: count)
    defer { results.deallocate() }
    runOnThreads((0..<count).map { index in { results[index] = body(index) } })
    return (0..<count).allSatisfy { results[$0] }
  }

  private func process(
    _ instance: UnsafeMutableRawPointer, _ inputs: [imghost_picture], _ output: imghost_picture,
    _ region: imghost_region
  ) -> Bool {
    inputs.withUnsafeBufferPointer { inputs in
      let pointers = inputs.indices.map { Optional(inputs.baseAddress! + $0) }
      return pointers.withUnsafeBufferPointer { pointers in
        withUnsafePointer(to: output) { output in
          var request = imghost_request(
            struct_size: UInt32(MemoryLayout<imghost_request>.size),
            input_count: UInt32(pointers.count), call: call,
            inputs: pointers.isEmpty ? nil : pointers.baseAddress, output: output, region: region)
          return plugin.process(instance, &request) == IMGHOST_OK
        }
      }
    }
  }
}
