import ImageCore
import CPluginABI

extension PluginLibrary {
  /// The functions of a codec; nil for a plugin of another kind.
  ///
  /// - Throws: `noCodec` if a function that its flags promise is missing, `tooSmall`.
  static func codec(of plugin: UnsafePointer<imghost_plugin>) throws(LoadFailure) -> CodecTables? {
    guard plugin.pointee.kind == IMGHOST_KIND_CODEC else { return nil }
    guard let table = plugin.pointee.extension?(IMGHOST_CODEC_EXTENSION) else { throw LoadFailure(.noCodec) }
    let codec = table.assumingMemoryBound(to: imghost_codec.self)
    guard Int(codec.pointee.struct_size) >= MemoryLayout<imghost_codec>.size,
      codec.pointee.read_parameter_count == 0
        || plugin.pointee.parameter_size >= Self.firstParameterByteCount
    else { throw LoadFailure(.tooSmall) }
    let functions = codec.pointee
    let reads = functions.open != nil && functions.read != nil && functions.close != nil
    let writes =
      functions.begin != nil && functions.write_rows != nil && functions.end_page != nil && functions.finish != nil
      && functions.abandon != nil
    guard functions.flags & IMGHOST_CODEC_READS == 0 || reads, functions.flags & IMGHOST_CODEC_WRITES == 0 || writes
    else { throw LoadFailure(.noCodec) }
    let stored = try stored(of: plugin)
    guard functions.flags & IMGHOST_CODEC_WRAPS == 0 || stored?.pointee.wrap != nil else { throw LoadFailure(.noCodec) }
    return CodecTables(codec: codec, stored: stored)
  }

  /// The second table of a codec; nil if it has none.
  private static func stored(of plugin: UnsafePointer<imghost_plugin>) throws(LoadFailure)
    -> UnsafePointer<imghost_stored_codec>?
  {
    guard let table = plugin.pointee.extension?(IMGHOST_STORED_EXTENSION) else { return nil }
    let stored = table.assumingMemoryBound(to: imghost_stored_codec.self)
    guard Int(stored.pointee.struct_size) >= MemoryLayout<imghost_stored_codec>.size else {
      throw LoadFailure(.tooSmall)
    }
    return stored
  }

  /// Appends what `CodecDescription` reads.
  func append(_ codec: imghost_codec, to message: inout WireWriter) {
    message.append(text: bytes(codec.title, limit: Limits.name))
    message.append(codec.flags)
    append(codec.extensions, atMost: Limits.extensions, limit: Limits.name, to: &message)
    append(codec.signatures, atMost: Limits.signatures, limit: Limits.text, to: &message)
    let declared = codec.read_parameter_count
    message.append(declared)
    let count = declared <= Limits.parameters ? Int(declared) : 0
    for index in 0..<count { append(parameter(index, of: codec.read_parameters), to: &message) }
    message.append(codec.maximum_pixels)
    for limit in [codec.maximum_side, codec.maximum_pages, codec.read_seconds, codec.write_seconds] {
      message.append(limit)
    }
    message.append(codec.write_bytes)
    message.append(codec.write_bytes_per_pixel)
  }

  /// Appends texts that end with NULL; one more than there may be, so that the host sees that there are too many.
  func append(
    _ texts: UnsafePointer<UnsafePointer<CChar>?>?, atMost most: Int, limit: Int, to message: inout WireWriter
  ) {
    var list: [[UInt8]] = []
    while list.count <= most, let text = texts?[list.count] { list.append(bytes(text, limit: limit)) }
    message.append(UInt32(list.count))
    for text in list { message.append(text: text) }
  }
}
