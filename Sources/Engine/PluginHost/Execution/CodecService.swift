import CPluginABI
import ImageCore
import Platform

/// The bytes of a file while a codec reads it.
package protocol FileContent: AnyObject {
  /// Valid as long as this object.
  var bytes: UnsafeRawBufferPointer { get }
}

/// The memory that host and codec share: rows go in and come out at its ends.
package protocol CodecMemory: AnyObject {
  /// The start of the last `byteCount` bytes that the codec may read; nil if there are fewer.
  func codecInput(_ byteCount: Int) -> UnsafeMutableRawPointer?
  /// The start of the last `byteCount` bytes that the codec may write; nil if there are fewer.
  func codecOutput(_ byteCount: Int) -> UnsafeMutableRawPointer?
}

/// Answers the requests to one codec, in a worker or in the host's own process. One file is open, and one is being
/// written, at a time. Used by one thread at a time.
package final class CodecService {
  let codec: imghost_codec
  let storedCodec: imghost_stored_codec?
  /// The open page.
  var reading: Reading?
  /// The file that is being written.
  var writing: Writing?
  /// Metadata for the next file to be written.
  var metadata: [[UInt8]] = [[], [], [], []]

  /// - Parameter tables: those of a library, which outlives the service.
  package init(_ tables: CodecTables) {
    codec = tables.codec.pointee
    storedCodec = tables.stored?.pointee
  }

  deinit { close() }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - file: the file to open or to wrap, with a request that brings one.
  ///   - call: outlives the call.
  /// - Throws: `WireError` if the request is not what was agreed.
  package func answer(
    _ kind: Message, _ number: UInt64, _ body: inout WireReader, file: (any FileContent)?, memory: (any CodecMemory)?,
    _ call: UnsafeMutablePointer<Call>
  ) throws(WireError) -> WireWriter {
    do throws(CodecFailure) {
      switch kind {
      case .open: return try open(number, &body, file, call)
      case .metadata: return try metadata(number, &body)
      case .attach: return try attach(number, &body)
      case .read: return try read(number, &body, memory, call)
      case .begin: return try begin(number, &body, call)
      case .rows: return try rows(number, &body, memory, call)
      case .endPage: return try endPage(number, &body, call)
      case .finish: return try finish(number, call)
      case .stored: return try stored(number, call)
      case .wrap: return try wrap(number, &body, file, call)
      case .take: return try take(number, &body, memory)
      case .close:
        close()
        return Message.done.begin(call: number)
      default: throw .request
      }
    } catch {
      switch error {
      case .request: throw WireError()
      case .notMine: return Message.notMine.begin(call: number)
      case .failed(let words):
        var message = Message.failed.begin(call: number)
        message.append(call.pointee.error.isEmpty ? words : call.pointee.error)
        return message
      }
    }
  }

  /// Closes what is open and forgets what is being written.
  package func close() {
    closeReading()
    abandon()
    metadata = [[], [], [], []]
  }

  /// Why a request is not answered as wished.
  enum CodecFailure: Error {
    /// It is not what was agreed.
    case request
    case notMine
    /// It failed. Words for a codec that gives none; empty to say so.
    case failed(String)
  }

  func check(_ result: Int32, _ words: String = "") throws(CodecFailure) {
    if result == IMGHOST_NOT_MINE { throw .notMine }
    if result != IMGHOST_OK { throw .failed(words) }
  }

  static func parsed<Value>(_ body: () throws(WireError) -> Value) throws(CodecFailure) -> Value {
    do throws(WireError) { return try body() } catch { throw .request }
  }

  /// Calls a function with values in the terms of the header.
  static func withValues<Result>(
    _ values: [WireValue], _ body: (UnsafePointer<imghost_value>?, UInt32) -> Result
  ) -> Result {
    let texts = values.map { value in value.text.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    let list = zip(values, texts).map { value, text in
      imghost_value(
        numbers: (value.numbers[0], value.numbers[1], value.numbers[2], value.numbers[3]), text: UnsafePointer(text))
    }
    return list.withUnsafeBufferPointer { body($0.baseAddress, UInt32($0.count)) }
  }
}

extension PictureLayout {
  /// The picture in the terms of imghost_plugin.h, with no pixels in memory.
  var described: imghost_picture {
    imghost_picture(
      struct_size: UInt32(MemoryLayout<imghost_picture>.size),
      sample: format.sample == .u8 ? IMGHOST_SAMPLE_U8 : IMGHOST_SAMPLE_U16, bands: UInt32(bands),
      alpha: format.hasAlpha ? IMGHOST_ALPHA_STRAIGHT : IMGHOST_ALPHA_NONE, width: Int32(width),
      height: Int32(height), valid: imghost_region(), stride: 0, pixels: nil, writable: nil)
  }
}
