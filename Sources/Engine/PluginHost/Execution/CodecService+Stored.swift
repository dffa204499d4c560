import CPluginABI
import ImageCore

/// Stored forms: the bytes are taken like those of a file that is written.
extension CodecService {
  /// Has the codec hand over the stored form of the open page.
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

  /// Has the codec make a file of a JPEG.
  func wrap(
    _ number: UInt64, _ body: inout WireReader, _ content: (any FileContent)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    var reader = body
    let values = try Self.parsed { () throws(WireError) in try reader.values() }
    guard let content, let function = storedCodec?.wrap, writing?.encoder == nil else { throw .request }
    let file = collect(call)
    let jpeg = imghost_bytes(
      bytes: content.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: content.bytes.count)
    let result = withExtendedLifetime(content) {
      Self.withValues(values) { function(OpaquePointer(call), jpeg, $0, $1, HostFunctions.write) }
    }
    try finish(result, "cannot be kept unchanged")
    return encoded(number, file)
  }

  /// Begins to collect the bytes that a call writes.
  private func collect(_ call: UnsafeMutablePointer<Call>) -> Writing {
    let file = Writing(PictureLayout(width: 1, height: 1, format: .gray8))
    writing = file
    call.pointee.write = { file.bytes.append(contentsOf: $0) }
    return file
  }

  /// Forgets the bytes of a call that failed.
  private func finish(_ result: Int32, _ words: String) throws(CodecFailure) {
    if result != IMGHOST_OK { abandon() }
    try check(result, words)
  }
}
