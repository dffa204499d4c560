import Platform

/// An unnamed file that holds fingerprints: in memory, those of thousands of pages would take most of a book's memory.
///
/// `@unchecked Sendable`: one thread adds fingerprints, and others only read places in the file that were written
/// before.
public final class FingerprintFile: @unchecked Sendable {
  private let file: UnsafeMutablePointer<FILE>
  private var byteCount = 0
  /// Whether a fingerprint could not be written. A part of it may be in the file, so no more are added.
  private var isFull = false

  /// Wraps `tmpfile(3)`; nil if the file cannot be made.
  public init?() {
    guard let file = tmpfile() else { return nil }
    self.file = file
  }

  deinit { fclose(file) }

  /// Returns the fingerprint with its cells in the file, from which they are read on demand; returns it unchanged if
  /// they cannot be written.
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

  /// Reads cells; wraps `pread(2)`. Cells that cannot be read are black.
  func cells(at place: Int) -> [UInt8] {
    var cells = [UInt8](repeating: 0, count: PixelFingerprint.cellCount)
    _ = pread(fileno(file), &cells, cells.count, off_t(place))
    return cells
  }
}
