import ImageCore
import Platform
import Synchronization

/// A whole file in memory by `mmap(2)`, of which only the touched parts take room.
///
/// `@unchecked Sendable`: nobody writes to it after it was handed to a second thread. Changes are private
/// to this process and never reach the file.
final class FileMapping: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  let count: Int
  /// Pages of memory that were changed, in order. Each holds memory until the end.
  private(set) var changed: [Int] = []
  private let releases = Atomic(0)
  private static let pageSize = Int(getpagesize())
  /// Calls of `madvise` that cost little beside checking eight pages.
  private static let cheapCallCount = 256

  /// The file has at least one byte and stays as it is meanwhile.
  ///
  /// - Parameter end: bytes that follow the file's in this process's view.
  init(_ file: InputFile, adding end: [UInt8] = []) throws(FileError) {
    count = file.byteCount + end.count
    // The file then lies over the beginning of memory that has room for both.
    let anonymous = MAP_PRIVATE | MAP_ANONYMOUS
    guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, anonymous, -1, 0), base != MAP_FAILED
    else { throw FileError(.read, path: file.path, code: errno) }
    self.base = base
    let mapped = mmap(base, file.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file.descriptor, 0)
    guard mapped != MAP_FAILED else { throw FileError(.read, path: file.path, code: errno) }
    if !end.isEmpty { overwrite(at: file.byteCount, with: end) }
  }

  deinit { munmap(base, count) }

  /// Valid as long as the mapping.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Gives back the memory of all that was read so far; wraps `madvise(2)`. What is read again comes from
  /// the system's cache of the file. May be called while other threads read.
  ///
  /// Changed pages split the mapping into as many calls: the more there are, the fewer times this works.
  func release() {
    let interval = 1 + changed.count / Self.cheapCallCount
    guard releases.add(1, ordering: .relaxed).newValue % interval == 0 else { return }
    var start = 0
    for page in changed + [(count + Self.pageSize - 1) / Self.pageSize] {
      if page > start {
        _ = madvise(base + start * Self.pageSize, (page - start) * Self.pageSize, Int32(MADV_DONTNEED))
      }
      start = page + 1
    }
  }

  /// Gives back the memory of a large stream that has been dealt with; small ones are left to `release()`.
  func release(_ range: Range<Int>) {
    guard range.count >= 1 << 20 else { return }
    let start = (range.lowerBound + Self.pageSize - 1) / Self.pageSize
    let end = range.upperBound / Self.pageSize
    guard start < end, !changed.contains(where: { (start..<end).contains($0) }) else { return }
    _ = madvise(base + start * Self.pageSize, (end - start) * Self.pageSize, Int32(MADV_DONTNEED))
  }

  /// Overwrites bytes in this process's view, before other threads read it.
  func overwrite(at offset: Int, with bytes: [UInt8]) {
    precondition(offset >= 0 && offset + bytes.count <= count)
    for page in offset / Self.pageSize...max(offset, offset + bytes.count - 1) / Self.pageSize
    where !changed.contains(page) {
      changed.append(page)
      changed.sort()
    }
    bytes.withUnsafeBytes { (base + offset).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
  }
}
