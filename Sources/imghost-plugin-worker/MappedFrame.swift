import CShims
import Glibc
import PluginHost

/// The host's shared memory in this process: the input readable, the output and the flags writable, each
/// between pages that cannot be touched. Unmapped with its last reference.
final class MappedFrame {
  let identifier: UInt64
  let flags: SharedFlags
  private let input: UnsafeMutableRawPointer
  private let inputCapacity: Int
  private let output: UnsafeMutableRawPointer
  private let outputCapacity: Int
  private let page: UnsafeMutableRawPointer

  /// Maps and closes the two descriptors; nil when the system refuses.
  init?(_ request: CallRequest, descriptors: [Int32]) {
    defer { for descriptor in descriptors { close(descriptor) } }
    let flagByteCount = SharedLayout.flagByteCount
    inputCapacity = Int(request.inputCapacity)
    outputCapacity = Int(request.outputCapacity)
    guard descriptors.count == 2,
      let input = shim_map_guarded(descriptors[0], 0, inputCapacity, 0),
      let output = shim_map_guarded(descriptors[1], flagByteCount, outputCapacity, 1),
      let page = shim_map_guarded(descriptors[1], 0, flagByteCount, 1)
    else { return nil }
    identifier = request.frame
    self.input = input
    self.output = output
    self.page = page
    flags = SharedFlags(page)
    shim_watch_faults(Channel.descriptor, input, inputCapacity, output, outputCapacity)
  }

  deinit {
    shim_unmap_guarded(input, inputCapacity)
    shim_unmap_guarded(output, outputCapacity)
    shim_unmap_guarded(page, SharedLayout.flagByteCount)
  }

  func inputRows(_ byteCount: Int) -> UnsafeMutableRawPointer {
    input + (inputCapacity - byteCount)
  }

  func outputRows(_ byteCount: Int) -> UnsafeMutableRawPointer {
    output + (outputCapacity - byteCount)
  }
}
