import CPlatform

/// The parts of files that are in the system's page cache.
public enum FileCache {
  /// Returns whether the byte at `offset` can be read without waiting for a disk; false if the file system does not
  /// report it. Wraps `preadv2(2)` with `RWF_NOWAIT`.
  public static func holds(_ descriptor: Int32, at offset: Int) -> Bool {
    cplatform_is_cached(descriptor, Int64(offset)) != 0
  }

  /// Reads the start of a file as far as possible without waiting for a disk, and returns the number of bytes. Wraps
  /// `preadv2(2)` with `RWF_NOWAIT`.
  public static func read(_ descriptor: Int32, into space: UnsafeMutableRawBufferPointer) -> Int {
    max(0, cplatform_read_cached(descriptor, space.baseAddress, UInt(space.count)))
  }
}
