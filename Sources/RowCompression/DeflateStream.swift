import CZlib

/// A zlib stream (RFC 1950) of filtered rows, made piece by piece; wraps `deflate`. What it makes follows from the
/// pieces alone. Belongs to one worker at a time.
public final class DeflateStream {
  /// How repetitions are looked for.
  public enum Effort: Sendable, Equatable {
    /// zlib's level, 0 to 9.
    case level(Int)
    /// Piece by piece: level 4, but nothing but runs of one byte where little else repeats, as in photographs: a
    /// fifth of level 6's time for a tenth more.
    case chosen
  }

  /// The address is zlib's, too: it stays where it is.
  private let stream: UnsafeMutablePointer<z_stream>
  private let effort: Effort
  private var strategy = Z_DEFAULT_STRATEGY
  private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Wraps `deflateInit2`, whose limits hold for window and memory.
  public init(_ effort: Effort, windowBits: Int = 15, memoryLevel: Int = 8) {
    self.effort = effort
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = deflateInit2_(
      stream, Int32(Self.level(effort)), Z_DEFLATED, Int32(windowBits), Int32(memoryLevel),
      strategy,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib \(ZLIB_VERSION) cannot start: \(status)")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  private static func level(_ effort: Effort) -> Int {
    if case .level(let level) = effort { level } else { 4 }
  }

  /// Bytes that have been put into the room there is.
  public var filledByteCount: Int { room.count - Int(stream.pointee.avail_out) }

  /// Takes the next piece.
  ///
  /// - Parameter nextRoom: takes what has filled the room before, at first there is none, and gives more: at least 16
  ///   bytes, fewer than 2 to the power of 32. It stays as it is until the next is asked for.
  public func add<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer,
    nextRoom: () throws(Failure) -> UnsafeMutableRawBufferPointer
  ) throws(Failure) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    if effort == .chosen { try choose(bytes, nextRoom) }
    // zlib takes it as mutable and only reads it.
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: base)
      .assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(bytes.count)
    while stream.pointee.avail_in > 0 {
      try makeRoom(nextRoom)
      deflate(stream, Z_NO_FLUSH)
    }
  }

  /// Ends the stream. Called once; `filledByteCount` bytes are in the last room then.
  public func finish<Failure: Error>(
    nextRoom: () throws(Failure) -> UnsafeMutableRawBufferPointer
  ) throws(Failure) {
    repeat { try makeRoom(nextRoom) } while deflate(stream, Z_FINISH) != Z_STREAM_END
  }

  /// Sets what suits the next piece; wraps `deflateParams`.
  private func choose<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer,
    _ nextRoom: () throws(Failure) -> UnsafeMutableRawBufferPointer
  ) throws(Failure) {
    let wanted = Self.isNoisy(bytes) ? Z_RLE : Z_DEFAULT_STRATEGY
    guard wanted != strategy else { return }
    strategy = wanted
    // What it has taken before is made with what was set before.
    repeat {
      try makeRoom(nextRoom)
    } while deflateParams(stream, Int32(Self.level(effort)), wanted) == Z_BUF_ERROR
  }

  /// Whether three of ten filtered bytes are not 0: letters and flat colours leave few of them, however large they are.
  private static func isNoisy(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var count = 0
    var start = 0
    while start < bytes.count {
      let end = min(start &+ 4096, bytes.count)
      var part: UInt16 = 0
      for index in start..<end { part &+= bytes[index] == 0 ? 0 : 1 }
      count &+= Int(part)
      start = end
    }
    return 10 * count >= 3 * bytes.count
  }

  private func makeRoom<Failure: Error>(
    _ nextRoom: () throws(Failure) -> UnsafeMutableRawBufferPointer
  ) throws(Failure) {
    guard stream.pointee.avail_out == 0 else { return }
    room = try nextRoom()
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room.count)
  }
}
