import CPluginABI
import ImageCore
import Platform

/// The bytes of a file while a codec reads it.
package protocol FileContent: AnyObject {
  /// The bytes, valid for the lifetime of this object.
  var bytes: UnsafeRawBufferPointer { get }
}

extension FileContent {
  /// The bytes as an `imghost_bytes` of imghost_plugin.h.
  var described: imghost_bytes {
    imghost_bytes(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }
}

/// The memory that the host and a codec share. It has one part for input and one for output, and data is at the end of
/// its part.
package protocol CodecMemory: AnyObject {
  /// Returns the start of the last `byteCount` bytes that the codec may read; nil if there are fewer.
  func codecInput(_ byteCount: Int) -> UnsafeMutableRawPointer?
  /// Returns the start of the last `byteCount` bytes that the codec may write; nil if there are fewer.
  func codecOutput(_ byteCount: Int) -> UnsafeMutableRawPointer?
}

/// Answers the requests to one codec, in a worker or in the host's own process. At most one file is open and one is
/// being written at a time. Used by one thread at a time.
package final class CodecService {
  let codec: imghost_codec
  let storedCodec: imghost_stored_codec?
  private let rewritingCodec: imghost_rewriting_codec?
  var reading: Reading?
  var writing: Writing?
  /// Metadata for the next file to be written.
  var metadata: [[UInt8]] = [[], [], [], []]

  /// - Parameter tables: the tables of a library, which must outlive the service.
  package init(_ tables: CodecTables) {
    codec = tables.codec.pointee
    storedCodec = tables.stored?.pointee
    rewritingCodec = tables.rewriting?.pointee
  }

  deinit { close() }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - file: the file to open, to wrap or to rewrite, if the request has one.
  ///   - call: the call's state, which outlives this function.
  /// - Throws: `WireError` if the request violates the protocol.
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
      case .rewrite: return try rewrite(number, &body, file, call)
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

  /// Closes open files and discards the file that is being written.
  package func close() {
    closeReading()
    abandon()
    metadata = [[], [], [], []]
  }

  /// The reason why a request was not fulfilled.
  enum CodecFailure: Error {
    /// The request violates the protocol.
    case request
    case notMine
    /// The codec failed. The text is the message to use if the codec gives none; it may be empty.
    case failed(String)
  }

  func check(_ result: Int32, _ words: String = "") throws(CodecFailure) {
    if result == IMGHOST_NOT_MINE { throw .notMine }
    if result != IMGHOST_OK { throw .failed(words) }
  }

  static func parsed<Value>(_ body: () throws(WireError) -> Value) throws(CodecFailure) -> Value {
    do throws(WireError) { return try body() } catch { throw .request }
  }

}

extension [WireValue] {
  /// Calls a function with the values in the types of imghost_plugin.h.
  func withDescribed<Result>(_ body: (UnsafePointer<imghost_value>?, UInt32) -> Result) -> Result {
    let texts = map { value in value.text.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    let list = zip(self, texts).map { value, text in
      imghost_value(
        numbers: (value.numbers[0], value.numbers[1], value.numbers[2], value.numbers[3]), text: UnsafePointer(text))
    }
    return list.withUnsafeBufferPointer { body($0.baseAddress, UInt32($0.count)) }
  }
}

extension PictureLayout {
  /// The layout as an `imghost_picture` of imghost_plugin.h, without pixels in memory.
  var described: imghost_picture {
    imghost_picture(
      struct_size: UInt32(MemoryLayout<imghost_picture>.size),
      sample: format.sample == .u8 ? IMGHOST_SAMPLE_U8 : IMGHOST_SAMPLE_U16, bands: UInt32(bands),
      alpha: format.hasAlpha ? IMGHOST_ALPHA_STRAIGHT : IMGHOST_ALPHA_NONE, width: Int32(width),
      height: Int32(height), valid: imghost_region(), stride: 0, pixels: nil, writable: nil)
  }
}

// MARK: - Stored

/// Files and stored forms that the codec produces in one call. The host then fetches their bytes with `take`.
extension CodecService {
  /// Makes the codec provide the stored form of the open page.
  func stored(_ number: UInt64, _ call: UnsafeMutablePointer<Call>) throws(CodecFailure) -> WireWriter {
    guard let reading, let function = storedCodec?.stored, writing?.encoder == nil else { throw .request }
    let file = collect(call)
    var stored = imghost_stored()
    stored.struct_size = UInt32(MemoryLayout<imghost_stored>.size)
    try finish(
      function(reading.instance, OpaquePointer(call), &stored, HostFunctions.write), "cannot hand over its bytes")
    var message = encoded(number, file)
    message.append(stored.kind)
    message.append(stored.flags)
    message.append(stored.width)
    message.append(stored.height)
    return message
  }

  /// Makes the codec create a file from a JPEG.
  func wrap(
    _ number: UInt64, _ body: inout WireReader, _ content: (any FileContent)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    let values = try Self.parsed { () throws(WireError) in try body.values() }
    guard let content, let function = storedCodec?.wrap, writing?.encoder == nil else { throw .request }
    let file = collect(call)
    let result = withExtendedLifetime(content) {
      values.withDescribed { function(OpaquePointer(call), content.described, $0, $1, HostFunctions.write) }
    }
    try finish(result, "cannot be kept unchanged")
    return encoded(number, file)
  }

  /// Makes the codec create a file from the coded pixels of another file and the attached metadata.
  func rewrite(
    _ number: UInt64, _ body: inout WireReader, _ content: (any FileContent)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    let request = try Self.parsed { () throws(WireError) in try BeginRequest(from: &body) }
    guard let content, codec.begin != nil, writing == nil else { throw .request }
    let parts = takeMetadata()
    guard let function = rewritingCodec?.rewrite else { throw .notMine }
    let file = collect(call)
    let result = withExtendedLifetime(content) {
      withWriting(request, parts, call) { function(content.described, $0) }
    }
    try finish(result, "cannot be given other metadata")
    return encoded(number, file)
  }

  /// Starts collecting the bytes that the codec writes during a call.
  private func collect(
    _ call: UnsafeMutablePointer<Call>, _ page: PictureLayout = PictureLayout(width: 1, height: 1, format: .gray8)
  ) -> Writing {
    let file = Writing(page)
    writing = file
    // The `write` function that the codec calls finds the file through the call.
    call.pointee.write = { file.bytes.append(contentsOf: $0) }
    return file
  }

  /// Throws if a call failed, after discarding the bytes that it has written.
  private func finish(_ result: Int32, _ words: String) throws(CodecFailure) {
    if result != IMGHOST_OK { abandon() }
    try check(result, words)
  }
}

// MARK: - Writing

extension CodecService {
  /// A file that a codec is writing, or the bytes of a stored form.
  final class Writing {
    var encoder: UnsafeMutableRawPointer?
    /// The encoded bytes; emptied once the host has taken all of them.
    var bytes: [UInt8] = []
    /// The number of `bytes` that the host has taken.
    var taken = 0
    /// The layout of the page that is being written.
    var page: PictureLayout

    init(_ page: PictureLayout) { self.page = page }

    var waiting: Int { bytes.count - taken }
  }

  func abandon() {
    if let encoder = writing?.encoder { codec.abandon(encoder) }
    writing = nil
  }

  /// Stores a piece of metadata for the next file.
  func attach(_ number: UInt64, _ body: inout WireReader) throws(CodecFailure) -> WireWriter {
    let (part, bytes) = try Self.parsed { () throws(WireError) in
      (MetadataPart(rawValue: try body.integer(UInt8.self)), try body.text())
    }
    guard let part, metadata[Int(part.rawValue)].count + bytes.count <= MetadataPart.maximumByteCount else {
      throw .request
    }
    metadata[Int(part.rawValue)] += bytes
    return Message.done.begin(call: number)
  }

  func begin(_ number: UInt64, _ body: inout WireReader, _ call: UnsafeMutablePointer<Call>)
    throws(CodecFailure) -> WireWriter
  {
    let request = try Self.parsed { () throws(WireError) in try BeginRequest(from: &body) }
    guard codec.begin != nil, writing == nil else { throw .request }
    let file = collect(call, request.layout)
    file.encoder = withWriting(request, takeMetadata(), call) { codec.begin($0) }
    guard file.encoder != nil else {
      writing = nil
      throw .failed("")
    }
    return encoded(number, file)
  }

  /// Returns the attached metadata and clears it, because it belongs to one file.
  private func takeMetadata() -> [[UInt8]] {
    defer { metadata = [[], [], [], []] }
    return metadata
  }

  /// Calls a function with the parameters of a file to write. Their addresses are valid only during the call.
  private func withWriting<Result>(
    _ request: BeginRequest, _ parts: [[UInt8]], _ call: UnsafeMutablePointer<Call>,
    _ body: (UnsafePointer<imghost_writing>) -> Result
  ) -> Result {
    let copies = parts.map { part -> UnsafeMutableBufferPointer<UInt8> in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: part.count)
      _ = copy.initialize(from: part)
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    func bytes(_ part: MetadataPart) -> imghost_bytes {
      let copy = copies[Int(part.rawValue)]
      return imghost_bytes(bytes: copy.isEmpty ? nil : UnsafePointer(copy.baseAddress), count: copy.count)
    }
    var metadata = imghost_metadata(
      struct_size: UInt32(MemoryLayout<imghost_metadata>.size), orientation: UInt32(request.orientation.rawValue),
      resolution_x: request.resolution?.horizontal ?? 0, resolution_y: request.resolution?.vertical ?? 0,
      icc: bytes(.icc), exif: bytes(.exif), xmp: bytes(.xmp), iptc: bytes(.iptc))
    var format = request.layout.described
    return request.values.withDescribed { values, count in
      withUnsafePointer(to: &metadata) { metadata in
        withUnsafePointer(to: &format) { format in
          var writing = imghost_writing(
            struct_size: UInt32(MemoryLayout<imghost_writing>.size), flags: 0, call: OpaquePointer(call),
            format: format, page_count: UInt32(request.pageCount), loop_count: UInt32(request.loopCount),
            metadata: metadata, values: values, value_count: count, reserved: 0, write: HostFunctions.write)
          return withUnsafePointer(to: &writing, body)
        }
      }
    }
  }

  func rows(
    _ number: UInt64, _ body: inout WireReader, _ memory: (any CodecMemory)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    let (top, count, stride) = try Self.parsed { () throws(WireError) in
      (
        Int(try body.integer(UInt32.self)), Int(try body.integer(UInt32.self)),
        Int(clamping: try body.integer(UInt64.self))
      )
    }
    guard let (file, encoder) = resume(call), let memory, count > 0, top + count <= file.page.height,
      stride >= file.page.rowByteCount
    else { throw .request }
    let (byteCount, overflows) = stride.multipliedReportingOverflow(by: count)
    guard !overflows, let pixels = memory.codecInput(byteCount) else { throw .failed("needs more memory than is free") }
    var picture = file.page.described
    picture.valid = imghost_region(left: 0, top: Int32(top), width: Int32(file.page.width), height: Int32(count))
    picture.stride = stride
    picture.pixels = UnsafeRawPointer(pixels)
    try check(codec.write_rows(encoder, OpaquePointer(call), &picture))
    return encoded(number, file)
  }

  func endPage(_ number: UInt64, _ body: inout WireReader, _ call: UnsafeMutablePointer<Call>)
    throws(CodecFailure) -> WireWriter
  {
    let (delay, next) = try Self.parsed { () throws(WireError) in
      (try body.number(), try body.integer(UInt8.self) != 0 ? try body.layout() : nil)
    }
    guard let (file, encoder) = resume(call) else { throw .request }
    if let next {
      file.page = next
      var described = next.described
      try check(codec.end_page(encoder, OpaquePointer(call), delay, &described))
    } else {
      try check(codec.end_page(encoder, OpaquePointer(call), delay, nil))
    }
    return encoded(number, file)
  }

  func finish(_ number: UInt64, _ call: UnsafeMutablePointer<Call>) throws(CodecFailure) -> WireWriter {
    guard let (file, encoder) = resume(call) else { throw .request }
    try check(codec.finish(encoder, OpaquePointer(call)))
    return encoded(number, file)
  }

  /// Passes the requested number of encoded bytes to the host.
  func take(_ number: UInt64, _ body: inout WireReader, _ memory: (any CodecMemory)?) throws(CodecFailure) -> WireWriter
  {
    let wanted = try Self.parsed { () throws(WireError) in Int(clamping: try body.integer(UInt64.self)) }
    guard let file = writing, let memory, wanted > 0, wanted <= file.waiting, let target = memory.codecOutput(wanted)
    else { throw .request }
    file.bytes.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + file.taken, byteCount: wanted) }
    file.taken += wanted
    if file.waiting == 0 { (file.bytes, file.taken) = ([], 0) }
    return encoded(number, file)
  }

  /// Returns the file that is being written, and lets the call add bytes to it; nil for none.
  private func resume(_ call: UnsafeMutablePointer<Call>) -> (file: Writing, encoder: UnsafeMutableRawPointer)? {
    guard let writing, let encoder = writing.encoder else { return nil }
    call.pointee.write = { writing.bytes.append(contentsOf: $0) }
    return (writing, encoder)
  }

  func encoded(_ number: UInt64, _ file: Writing) -> WireWriter {
    var message = Message.done.begin(call: number)
    message.append(UInt64(file.waiting))
    return message
  }
}
