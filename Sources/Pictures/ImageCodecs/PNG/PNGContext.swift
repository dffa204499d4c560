import CPNG
import ImageCore

/// Owns a libspng context and connects it to a stream; used by one worker at a time.
///
/// libspng returns errors as codes and does not use longjmp.
class PNGContext {
  /// The libspng context, used only by this object and its subclasses, and freed in `deinit`. It keeps an unretained
  /// pointer to this object for the stream callback, which runs only inside methods of this object.
  let context: OpaquePointer

  /// - Parameters:
  ///   - flags: 0 to decode, `SPNG_CTX_ENCODER` to encode.
  ///   - failure: the error to throw if there is not enough memory.
  init(_ flags: UInt32, failure: CodecError) throws(PictureError) {
    guard let context = spng_ctx_new(Int32(flags)) else { throw .codec(failure) }
    self.context = context
    let user = Unmanaged.passUnretained(self).toOpaque()
    try check(
      spng_set_png_stream(
        context,
        { _, user, bytes, count in
          guard let user, let bytes else { return Int32(SPNG_IO_ERROR.rawValue) }
          return Unmanaged<PNGContext>.fromOpaque(user).takeUnretainedValue()
            .transfer(UnsafeMutableRawBufferPointer(start: bytes, count: count))
        }, user))
  }

  deinit { spng_ctx_free(context) }

  /// Reads bytes from the stream when decoding, or writes bytes to the stream when encoding. Returns a code of libspng.
  /// Subclasses override this function.
  func transfer(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 { Int32(SPNG_IO_ERROR.rawValue) }

  /// Throws an error for any code of libspng other than 0.
  func check(_ code: Int32) throws(PictureError) {
    guard code != 0 else { return }
    throw .codec(.damaged(String(cString: spng_strerror(code))))
  }

  /// Returns the index of the picture row to which the next decoded row belongs; nil after the last row. Wraps
  /// `spng_get_row_info`.
  final func nextRow() throws(PictureError) -> Int? {
    var info = spng_row_info()
    let code = spng_get_row_info(context, &info)
    guard code != Int32(SPNG_EOI.rawValue) else { return nil }
    try check(code)
    return Int(info.row_num)
  }
}
