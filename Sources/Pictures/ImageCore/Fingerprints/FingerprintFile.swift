import Platform

/// A file without a name that holds fingerprints: of a book of thousands of pages they would take most of the memory.
///
/// `@unchecked Sendable`: one thread adds fingerprints before others read them, at places of their own.
public final class FingerprintFile: @unchecked Sendable {
  private let file: UnsafeMutablePointer<FILE>
  private var byteCount = 0
  /// Whether a fingerprint could not be written: part of it may lie in the file, so no more are added.
  private var isFull = false

  /// Wraps `tmpfile(3)`; nil where there is no room for one.
  public init?() {
    guard let file = tmpfile() else { return nil }
    self.file = file
  }

  deinit { fclose(file) }

  /// The same fingerprint, whose cells are read when they are asked for; with its own where they cannot be written.
  package func keep(_ fingerprint: PixelFingerprint) -> PixelFingerprint {
    guard !isFull else { return fingerprint }
    let place = byteCount
    guard fingerprint.cells.withUnsafeBytes({ writeAll($0, to: fileno(file)) }) == 0 else {
      isFull = true
      return fingerprint
    }
    byteCount += PixelFingerprint.cellCount
    return PixelFingerprint(self, at: place)
  }

  /// Wraps `pread(2)`; what cannot be read is black.
  func cells(at place: Int) -> [UInt8] {
    var cells = [UInt8](repeating: 0, count: PixelFingerprint.cellCount)
    _ = pread(fileno(file), &cells, cells.count, off_t(place))
    return cells
  }
}
