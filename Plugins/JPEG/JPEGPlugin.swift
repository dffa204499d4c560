import CPluginABI
import CodecExport
import ImageCodecs
import ImageCore

/// Returns the JPEG plugin of `--isolate all`: imghost's own decoder, which otherwise runs in imghost's process.
/// Returns nil if the host is too old.
@_cdecl("imghost_plugin_entry")
public func entry(_ hostVersion: UInt32, _ host: UnsafePointer<imghost_host>) -> UnsafePointer<imghost_plugin>? {
  guard hostVersion >= IMGHOST_ABI_VERSION else { return nil }
  let codec = JPEGCodec()
  return ExportedCodec(
    codec, signatures: ["0:ffd8ff"], readHeader: { bytes throws(PictureError) in try codec.readHeader(bytes) },
    makeDecoder: { bytes, options, context throws(PictureError) in
      try codec.makeDecoder(bytes, options: options, context: context)
    }
  ).plugin(host, version: "1.0")
}
