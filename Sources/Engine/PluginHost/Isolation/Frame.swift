import CProcesses
import ImageCore
import Platform
import Synchronization

/// Memory for the pictures of one call at a time: the inputs, which a worker can only read, and a page of flags
/// followed by the output, which the worker may write. The pool reuses frames. Unless plugins run in this process, the
/// memory is shared with the workers, and its size is sealed for all processes. It is freed with the last reference to
/// the frame.
///
/// The memory has a part for each input and one for the output. A picture's rows are at the end of its part, so that a
/// worker's access beyond the last row hits the guard page that follows.
///
/// `@unchecked Sendable`: one call uses the frame at a time, and the pool's lock orders the accesses; a worker can only
/// change the output's pixels and flags.
package final class Frame: @unchecked Sendable {
  let identifier: UInt64
  let inputCount: Int
  /// The capacity of each input in bytes.
  let inputCapacity: Int
  let outputCapacity: Int
  let descriptors: [Int32]
  /// Whether a plugin may have written to the output.
  private var isUsed = false
  private let input: UnsafeMutableRawPointer
  private let output: UnsafeMutableRawPointer

  private static let next = Atomic<UInt64>(1)

  /// Allocates the memory; wraps `memfd_create(2)` and `mmap(2)`.
  ///
  /// - Parameters:
  ///   - inputByteCount: the size of each input.
  ///   - isShared: whether the memory is shared with workers instead of private to this process.
  init(inputCount: Int = 1, inputByteCount: Int, outputByteCount: Int, isShared: Bool = true) throws(FileError) {
    self.inputCount = inputCount
    inputCapacity = SharedLayout.capacity(for: inputByteCount)
    outputCapacity = SharedLayout.capacity(for: outputByteCount)
    let first = try Self.share(Self.shared(inputCount, inputCapacity), isShared)
    let second: (descriptor: Int32, memory: UnsafeMutableRawPointer)
    do {
      second = try Self.share(outputCapacity + SharedLayout.flagByteCount, isShared)
    } catch {
      munmap(first.memory, Self.shared(inputCount, inputCapacity))
      if isShared { close(first.descriptor) }
      throw error
    }
    if isShared { shim_seal_future_writes(first.descriptor) }
    identifier = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
    descriptors = isShared ? [first.descriptor, second.descriptor] : []
    input = first.memory
    output = second.memory
  }

  deinit {
    munmap(input, Self.shared(inputCount, inputCapacity))
    munmap(output, outputCapacity + SharedLayout.flagByteCount)
    for descriptor in descriptors { close(descriptor) }
  }

  /// Returns the start of an input's rows, which take `byteCount` bytes.
  package func inputRows(_ byteCount: Int, of index: Int = 0) -> UnsafeMutableRawPointer {
    input + ((index + 1) * inputCapacity - byteCount)
  }

  /// Returns the start of the output's rows, which take `byteCount` bytes.
  package func outputRows(_ byteCount: Int) -> UnsafeMutableRawPointer {
    output + (SharedLayout.flagByteCount + outputCapacity - byteCount)
  }

  /// Clears the output's rows, which take `byteCount` bytes, before a picture is made, so that rows that the plugin
  /// does not write are black.
  ///
  /// - Parameter bytesBehind: the number of bytes of the output that follow the rows, and are not cleared. If it is not
  ///   0, the rows are cleared even in an unused frame.
  package func clearOutput(_ byteCount: Int, before bytesBehind: Int = 0) {
    if isUsed || bytesBehind > 0 { memset(outputRows(byteCount + bytesBehind), 0, byteCount) }
    isUsed = true
  }

  var flags: SharedFlags { SharedFlags(output) }

  /// The address space that a worker needs to map the frame, including the guard pages around each part.
  var mappedByteCount: Int {
    let guards = 2 * SharedLayout.flagByteCount
    return inputCount * (inputCapacity + guards) + outputCapacity + SharedLayout.flagByteCount + 2 * guards
  }

  /// Returns whether the frame has this number of inputs, is large enough, and is at most 1 MB larger than twice the
  /// necessary size.
  func suits(inputs: Int, input: Int, output: Int) -> Bool {
    inputs == inputCount && input <= inputCapacity && output <= outputCapacity
      && inputs * inputCapacity + outputCapacity <= 2 * (inputs * input + output) + (1 << 20)
  }

  /// Returns the number of shared bytes for the inputs. It is never 0, because a mapping cannot be empty.
  private static func shared(_ count: Int, _ capacity: Int) -> Int { max(count, 1) * capacity }

  private static func share(_ byteCount: Int, _ isShared: Bool) throws(FileError)
    -> (descriptor: Int32, memory: UnsafeMutableRawPointer)
  {
    let descriptor = isShared ? shim_shared_memory("imghost-frame", byteCount) : -1
    guard descriptor >= 0 || !isShared else { throw FileError(.create, path: "shared memory", code: errno) }
    let kind = isShared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS
    let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, kind, descriptor, 0)
    guard let memory, memory != MAP_FAILED else {
      let code = errno
      if isShared { close(descriptor) }
      throw FileError(.create, path: "shared memory", code: code)
    }
    return (descriptor, memory)
  }
}

extension Frame: CodecMemory {
  package func codecInput(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    byteCount <= inputCapacity ? inputRows(byteCount) : nil
  }
  package func codecOutput(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    byteCount <= outputCapacity ? outputRows(byteCount) : nil
  }
}

/// The layout of shared memory, the same in host and worker.
package enum SharedLayout {
  /// The size of the page of flags before the output: a multiple of every page size in use.
  package static let flagByteCount = 65_536

  /// Returns the number of bytes reserved for `byteCount` bytes of rows.
  static func capacity(for byteCount: Int) -> Int { (byteCount + flagByteCount - 1) & ~(flagByteCount - 1) }
}

/// Two words that host and worker share during a call.
package struct SharedFlags {
  private let words: UnsafeMutablePointer<UInt32>

  /// - Parameter memory: the start of the page of flags, which must outlive this value.
  package init(_ memory: UnsafeMutableRawPointer) { words = memory.assumingMemoryBound(to: UInt32.self) }

  /// Set by the host when the result is no longer needed.
  package var isCancelled: Bool {
    get { shim_load(words) != 0 }
    nonmutating set { shim_store(words, newValue ? 1 : 0) }
  }

  /// The progress from 0 to 10,000, set by the worker; the host does not rely on this range.
  package var progress: UInt32 {
    get { shim_load(words + 1) }
    nonmutating set { shim_store(words + 1, newValue) }
  }
}
