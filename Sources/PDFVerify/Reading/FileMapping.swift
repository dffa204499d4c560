import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A whole file in memory by `mmap(2)`, of which only the touched parts take room.
///
/// `@unchecked Sendable`: nobody writes to it after it was handed to a second thread. Changes are private
/// to this process and never reach the file.
final class FileMapping: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  let count: Int

  /// The file has at least one byte and stays as it is meanwhile.
  init(_ file: InputFile) throws(FileError) {
    count = file.byteCount
    guard
      let base = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.descriptor, 0),
      base != MAP_FAILED
    else { throw FileError(.read, path: file.path, code: errno) }
    self.base = base
  }

  deinit { munmap(base, count) }

  /// Valid as long as the mapping.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Overwrites bytes in this process's view, before other threads read it.
  func overwrite(at offset: Int, with bytes: [UInt8]) {
    precondition(offset >= 0 && offset + bytes.count <= count)
    bytes.withUnsafeBytes { (base + offset).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
  }
}
