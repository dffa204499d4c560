import CShims

/// What the system has of files in memory.
public enum FileCache {
  /// Whether the byte at `offset` can be read without waiting for a disk; false where the file system does
  /// not say. Wraps `preadv2(2)` with `RWF_NOWAIT`.
  public static func holds(_ descriptor: Int32, at offset: Int) -> Bool {
    imghost_is_cached(descriptor, Int64(offset)) != 0
  }

  /// Reads from the start what can be read without waiting for a disk, and gives how many bytes that are.
  /// Wraps `preadv2(2)` with `RWF_NOWAIT`.
  public static func read(_ descriptor: Int32, into space: UnsafeMutableRawBufferPointer) -> Int {
    max(0, imghost_read_cached(descriptor, space.baseAddress, UInt(space.count)))
  }
}
