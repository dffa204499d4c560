import ImageCore
import Platform
import Synchronization

/// A whole file, mapped into memory by `mmap(2)`. Only the parts that were accessed take up memory. Changes are private
/// to this process and never reach the file.
///
/// `@unchecked Sendable`: the mapping is not changed once a second thread can access it.
final class FileMapping: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  let count: Int
  /// The indices of the memory pages that were changed, in order. These stay in memory until the file is unmapped.
  private(set) var changed: [Int] = []
  private let releases = Atomic(0)
  private static let pageSize = Int(getpagesize())
  /// The number of `madvise` calls whose time is negligible compared with checking eight pages.
  private static let cheapCallCount = 256

  /// Maps a file, which must have at least one byte and must not change.
  ///
  /// - Parameter end: bytes that follow those of the file in this process's view.
  init(_ file: InputFile, adding end: [UInt8] = []) throws(FileError) {
    count = file.byteCount + end.count
    // The file is mapped over the beginning of anonymous memory that is large enough for the file and `end`.
    let anonymous = MAP_PRIVATE | MAP_ANONYMOUS
    guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, anonymous, -1, 0), base != MAP_FAILED
    else { throw FileError(.read, path: file.path, code: errno) }
    self.base = base
    let mapped = mmap(base, file.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file.descriptor, 0)
    guard mapped != MAP_FAILED else { throw FileError(.read, path: file.path, code: errno) }
    if !end.isEmpty { overwrite(at: file.byteCount, with: end) }
  }

  deinit { munmap(base, count) }

  /// The mapped bytes, valid for the lifetime of this object.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Releases the memory of all parts that have been read; wraps `madvise(2)`. Later accesses read from the system's
  /// file cache. May be called while other threads read.
  ///
  /// Changed memory pages divide the mapping, and each part needs its own call of `madvise(2)`. The more parts there
  /// are, the fewer calls of this method have an effect.
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

  /// Releases the memory of a large stream after use. Small and changed ones are left to `release()`.
  func release(_ range: Range<Int>) {
    guard range.count >= 1 << 20 else { return }
    let start = (range.lowerBound + Self.pageSize - 1) / Self.pageSize
    let end = range.upperBound / Self.pageSize
    guard start < end, !changed.contains(where: { (start..<end).contains($0) }) else { return }
    _ = madvise(base + start * Self.pageSize, (end - start) * Self.pageSize, Int32(MADV_DONTNEED))
  }

  /// Overwrites bytes in this process's view. Must be called before a second thread accesses the mapping.
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
