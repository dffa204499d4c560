import COpenJPEG

/// A stream for libopenjp2 that reads bytes in memory. The bytes must outlive the source.
final class JPEG2000Source {
  private let data: UnsafeRawBufferPointer
  private var position = 0

  init(_ data: UnsafeRawBufferPointer) { self.data = data }

  /// Returns a stream that reads from this object, which the caller must keep until `opj_stream_destroy`.
  func makeStream() -> UnsafeMutablePointer<opj_stream_t?>? {
    guard let stream = opj_stream_create(max(1, min(data.count, 1 << 20)), OPJ_BOOL(OPJ_TRUE))
    else { return nil }
    opj_stream_set_user_data(stream, Unmanaged.passUnretained(self).toOpaque(), nil)
    opj_stream_set_user_data_length(stream, UInt64(data.count))
    opj_stream_set_read_function(stream) { buffer, count, context in
      guard let buffer, let context else { return -1 }
      return JPEG2000Source.of(context).read(buffer, count)
    }
    opj_stream_set_skip_function(stream) { count, context in
      context.map { OPJ_OFF_T(JPEG2000Source.of($0).skip(Int(count))) } ?? -1
    }
    opj_stream_set_seek_function(stream) { offset, context in
      let isThere = context.map { JPEG2000Source.of($0).seek(Int(offset)) } ?? false
      return OPJ_BOOL(isThere ? OPJ_TRUE : OPJ_FALSE)
    }
    return stream
  }

  private static func of(_ context: UnsafeMutableRawPointer) -> JPEG2000Source {
    Unmanaged<JPEG2000Source>.fromOpaque(context).takeUnretainedValue()
  }

  /// Returns the number of bytes copied; -1 at the end, as the library requires.
  private func read(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    let taken = min(count, data.count - position)
    guard taken > 0 else { return -1 }
    buffer.copyMemory(from: data.baseAddress! + position, byteCount: taken)
    position += taken
    return taken
  }

  private func skip(_ count: Int) -> Int {
    let taken = min(count, data.count - position)
    guard taken > 0 else { return -1 }
    position += taken
    return taken
  }

  private func seek(_ offset: Int) -> Bool {
    guard (0...data.count).contains(offset) else { return false }
    position = offset
    return true
  }
}
