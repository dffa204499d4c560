import CPluginABI
import ImageCore

/// A format that imghost reads without a plugin, exported as a codec plugin, so that `--isolate all` can decode it in a
/// worker.
///
/// A library exports one codec, which its entry function sets, and which never changes.
package struct ExportedCodec: Sendable {
  let codec: any PictureCodec
  let readHeader: @Sendable ([UInt8]) throws(PictureError) -> PictureHeader
  let makeDecoder: @Sendable ([UInt8], DecodeOptions, OperationContext) throws(PictureError) -> any RowSource
  let signatures: [String]

  /// - Parameters:
  ///   - readHeader: reads the header of a file in memory.
  ///   - makeDecoder: starts decoding the whole picture of a file in memory; this module crops regions.
  ///   - signatures: see `signatures` in imghost_plugin.h.
  package init(
    _ codec: any PictureCodec, signatures: [String],
    readHeader: @escaping @Sendable ([UInt8]) throws(PictureError) -> PictureHeader,
    makeDecoder: @escaping @Sendable ([UInt8], DecodeOptions, OperationContext) throws(PictureError) -> any RowSource
  ) {
    self.codec = codec
    self.signatures = signatures
    self.readHeader = readHeader
    self.makeDecoder = makeDecoder
  }

  /// Returns the plugin, which is never freed. Called once, by the library's entry function.
  package func plugin(_ host: UnsafePointer<imghost_host>, version: String) -> UnsafePointer<imghost_plugin> {
    exported = self
    services = host
    var codec = imghost_codec()
    codec.struct_size = UInt32(MemoryLayout<imghost_codec>.size)
    codec.flags = IMGHOST_CODEC_READS | (self.codec.isLossless ? IMGHOST_CODEC_LOSSLESS : 0)
    codec.title = keptText(self.codec.title)
    codec.extensions = keptTexts(self.codec.extensions)
    codec.signatures = keptTexts(signatures)
    codec.open = { call, file, page, _, _, instance, image in
      ExportedReading.open(call, file, page: page, instance, image)
    }
    codec.read = { instance, request in ExportedReading.of(instance).read(request) }
    codec.close = { instance in Unmanaged<ExportedReading>.fromOpaque(instance!).release() }
    table.initialize(to: codec)
    var plugin = imghost_plugin()
    plugin.struct_size = UInt32(MemoryLayout<imghost_plugin>.size)
    plugin.abi_version = IMGHOST_ABI_VERSION
    plugin.kind = IMGHOST_KIND_CODEC
    plugin.name = keptText(self.codec.name)
    plugin.version = keptText(version)
    plugin.summary = keptText("Reads \(self.codec.title) files in a process of its own, with --isolate all")
    plugin.parameter_size = UInt32(MemoryLayout<imghost_parameter>.size)
    plugin.extension = { id in
      id.map { String(cString: $0) } == IMGHOST_CODEC_EXTENSION ? UnsafeRawPointer(table) : nil
    }
    let kept = UnsafeMutablePointer<imghost_plugin>.allocate(capacity: 1)
    kept.initialize(to: plugin)
    return UnsafePointer(kept)
  }
}

// `nonisolated(unsafe)`: the library's entry function sets all three once, before the host calls another function.
nonisolated(unsafe) var exported: ExportedCodec!
nonisolated(unsafe) var services: UnsafePointer<imghost_host>!
nonisolated(unsafe) private let table = UnsafeMutablePointer<imghost_codec>.allocate(capacity: 1)

/// Returns a C string that is never freed.
private func keptText(_ text: String) -> UnsafePointer<CChar> {
  let bytes = Array(text.utf8CString)
  let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
  copy.initialize(from: bytes, count: bytes.count)
  return UnsafePointer(copy)
}

private func keptTexts(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
  let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
  for (index, text) in texts.enumerated() { (list + index).initialize(to: keptText(text)) }
  (list + texts.count).initialize(to: nil)
  return UnsafePointer(list)
}
