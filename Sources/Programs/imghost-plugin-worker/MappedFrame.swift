import CProcesses
import Platform
import PluginHost

/// The host's shared memory in this process. The inputs are read-only, the output and the flags writable, and each is
/// surrounded by inaccessible pages. The memory is unmapped when the last reference is released.
final class MappedFrame {
  let identifier: UInt64
  let flags: SharedFlags
  private let inputs: [UnsafeMutableRawPointer]
  private let inputCapacity: Int
  private let output: UnsafeMutableRawPointer
  private let outputCapacity: Int
  private let page: UnsafeMutableRawPointer

  convenience init?(_ request: CallRequest, descriptors: [Int32]) {
    self.init(
      request.frame, inputCount: Int(request.inputCount), inputCapacity: Int(request.inputCapacity),
      outputCapacity: Int(request.outputCapacity), descriptors)
  }

  convenience init?(_ note: MemoryNote, descriptors: [Int32]) {
    self.init(
      note.frame, inputCount: 1, inputCapacity: note.inputCapacity, outputCapacity: note.outputCapacity, descriptors)
  }

  /// Maps the two descriptors and closes them; nil if a mapping fails.
  private init?(
    _ frame: UInt64, inputCount: Int, inputCapacity: Int, outputCapacity: Int, _ descriptors: [Int32]
  ) {
    defer { for descriptor in descriptors { close(descriptor) } }
    let flagByteCount = SharedLayout.flagByteCount
    guard descriptors.count == 2,
      let output = shim_map_guarded(descriptors[1], flagByteCount, outputCapacity, 1),
      let page = shim_map_guarded(descriptors[1], 0, flagByteCount, 1)
    else { return nil }
    var inputs: [UnsafeMutableRawPointer] = []
    for index in 0..<inputCount {
      // Mappings that already exist stay until the process exits; the host does not reuse a worker after a failure.
      guard let input = shim_map_guarded(descriptors[0], index * inputCapacity, inputCapacity, 0)
      else { return nil }
      inputs.append(input)
    }
    identifier = frame
    self.inputs = inputs
    self.inputCapacity = inputCapacity
    self.output = output
    self.outputCapacity = outputCapacity
    self.page = page
    flags = SharedFlags(page)
    // A debugger handles faults itself.
    if Worker.isDebugged { return }
    shim_watch_faults(Channel.descriptor, inputs.first, inputs.isEmpty ? 0 : inputCapacity, output, outputCapacity)
    inputs.map { UnsafeRawPointer($0) }.withUnsafeBufferPointer {
      shim_watch_inputs(UnsafeMutablePointer(mutating: $0.baseAddress), $0.count)
    }
  }

  deinit {
    for input in inputs { shim_unmap_guarded(input, inputCapacity) }
    shim_unmap_guarded(output, outputCapacity)
    shim_unmap_guarded(page, SharedLayout.flagByteCount)
  }

  func inputRows(_ byteCount: Int) -> [UnsafeMutableRawPointer] {
    inputs.map { $0 + (inputCapacity - byteCount) }
  }

  func outputRows(_ byteCount: Int) -> UnsafeMutableRawPointer { output + (outputCapacity - byteCount) }
}

extension MappedFrame: CodecMemory {
  func codecInput(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    byteCount <= inputCapacity ? inputs.first.map { $0 + (inputCapacity - byteCount) } : nil
  }
  func codecOutput(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    byteCount <= outputCapacity ? outputRows(byteCount) : nil
  }
}
