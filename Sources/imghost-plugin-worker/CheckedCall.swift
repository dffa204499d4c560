import CPluginABI
import Glibc
import PluginHost

/// How a worker has the plugin process a picture: as a whole, or as `imghost plugin check` tries it.
enum ServeMode: String {
  case whole = "serve"
  /// One strip after another, of 1, 7 and 64 rows, by one instance. Each sees its rows and the padding the
  /// plugin asked for; what lies beyond is not the picture.
  case strips = "check-strips"
  /// The whole picture by four instances at once, three of them into memory that is thrown away.
  case instances = "check-instances"
  /// Four bands of rows by one instance at once.
  case regions = "check-regions"
}

/// Threads that each do one thing and are waited for; wraps `pthread_create(3)`.
private func concurrently(_ bodies: [() -> Void]) {
  final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
  let threads = bodies.map { body -> pthread_t in
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Body(body))
    let code = pthread_create(
      &thread, nil,
      { box in
        Unmanaged<Body>.fromOpaque(box!).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      return 0
    }
    return thread
  }
  for thread in threads where thread != 0 { pthread_join(thread, nil) }
}

/// One call in pieces.
struct CheckedCall {
  let plugin: imghost_plugin
  let request: imghost_request
  let input: imghost_picture
  let output: imghost_picture

  /// True when every piece ended well.
  func run(_ mode: ServeMode, _ instance: UnsafeMutableRawPointer, more: [UnsafeMutableRawPointer])
    -> Bool
  {
    switch mode {
    case .whole: process(instance, input, output, output.valid)
    case .strips: strips(instance)
    case .regions: regions(instance)
    case .instances: instances([instance] + more)
    }
  }

  private func strips(_ instance: UnsafeMutableRawPointer) -> Bool {
    var top: Int32 = 0
    var index = 0
    while top < input.height {
      let height = min([1, 7, 64][index % 3], input.height - top)
      guard strip(instance, top: top, height: height) else { return false }
      top += height
      index += 1
    }
    return true
  }

  /// The strip's rows and their padding, copied between rows that are not the picture's.
  private func strip(_ instance: UnsafeMutableRawPointer, top: Int32, height: Int32) -> Bool {
    let padding = Int32(clamping: Int(plugin.padding))
    let first = max(0, Int64(top) - Int64(padding))
    let last = min(Int64(input.height), Int64(top) + Int64(height) + Int64(padding))
    let (count, stride, beyond) = (Int(last - first), input.stride, 8)
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: (count + 2 * beyond) * stride, alignment: 64)
    defer { memory.deallocate() }
    memset(memory, 0xa5, (count + 2 * beyond) * stride)
    let rows = memory + beyond * stride
    memcpy(rows, input.pixels + Int(first) * stride, (count - 1) * stride + rowByteCount)
    var part = input
    part.pixels = UnsafeRawPointer(rows)
    part.valid.top = Int32(first)
    part.valid.height = Int32(count)
    var region = output.valid
    region.top = top
    region.height = height
    return process(instance, part, output, region)
  }

  private var rowByteCount: Int {
    Int(input.width) * Int(input.bands) * (1 << (Int(input.sample) - 1))
  }

  private func regions(_ instance: UnsafeMutableRawPointer) -> Bool {
    let count = Int(min(4, output.height))
    return outcomes(count) { index in
      var region = output.valid
      region.top = output.height * Int32(index) / Int32(count)
      region.height = output.height * Int32(index + 1) / Int32(count) - region.top
      return process(instance, input, output, region)
    }
  }

  private func instances(_ instances: [UnsafeMutableRawPointer]) -> Bool {
    let byteCount = output.stride * Int(output.height)
    return outcomes(instances.count) { index in
      guard index > 0 else { return process(instances[0], input, output, output.valid) }
      let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      defer { memory.deallocate() }
      var other = output
      other.writable = memory
      other.pixels = UnsafeRawPointer(memory)
      return process(instances[index], input, other, output.valid)
    }
  }

  /// Runs each on a thread of its own; true when all gave true.
  private func outcomes(_ count: Int, _ body: @escaping (Int) -> Bool) -> Bool {
    let results = UnsafeMutablePointer<Bool>.allocate(capacity: count)
    results.initialize(repeating: false, count: count)
    defer { results.deallocate() }
    concurrently((0..<count).map { index in { results[index] = body(index) } })
    return (0..<count).allSatisfy { results[$0] }
  }

  private func process(
    _ instance: UnsafeMutableRawPointer, _ input: imghost_picture, _ output: imghost_picture,
    _ region: imghost_region
  ) -> Bool {
    withUnsafePointer(to: input) { input in
      withUnsafePointer(to: output) { output in
        withUnsafePointer(to: Optional(input)) { inputs in
          var part = request
          part.inputs = inputs
          part.output = output
          part.region = region
          return plugin.process(instance, &part) == IMGHOST_OK
        }
      }
    }
  }
}
