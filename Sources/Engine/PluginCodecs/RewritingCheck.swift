import ImageCore
import PluginHost

/// Tests whether files whose metadata a codec replaces equal files that it encodes with the new metadata.
struct RewritingCheck {
  /// The number of files that the codec has rewritten; 0 if it always asks the host to encode.
  private(set) var count = 0
  /// The first fault; nil for none.
  private(set) var fault: String?

  private static let variants: [(name: String, metadata: PictureMetadata)] = [
    ("no metadata", PictureMetadata()),
    ("EXIF", PictureMetadata(exifBlock: exif)),
    ("XMP", PictureMetadata(xmp: packet("one"))),
    ("long XMP", PictureMetadata(xmp: packet(String(repeating: "long ", count: 20_000)))),
    ("IPTC", PictureMetadata(iptc: [0x1c, 2, 5, 0, 3] + Array("one".utf8))),
    ("EXIF and XMP", PictureMetadata(exifBlock: exif, xmp: packet("two"))),
  ]

  /// Tests every pair of variants of the metadata with one picture.
  ///
  /// - Parameter encode: returns the file of the picture with the given metadata; nil if it cannot be written.
  mutating func run(
    _ codec: PluginCodec, _ name: String, _ layout: PictureLayout, _ arguments: Arguments,
    encode: (PictureMetadata) -> [UInt8]?
  ) {
    let files = Self.variants.map { variant in
      let metadata = codec.writtenMetadata(variant.metadata, for: layout, arguments: arguments).metadata
      return (variant.name, metadata, encode(metadata))
    }
    for (oldName, _, old) in files {
      for (newName, metadata, new) in files {
        guard let old, let new else { continue }
        let place = "\(name), \(oldName) to \(newName)"
        do throws(PictureError) {
          let sink = BytesSink()
          let sample = CodecCheck.Sample(name: place, bytes: old)
          guard
            try codec.rewrite(
              sample.file(), to: sink, layout: layout, metadata: metadata, arguments: arguments, context: .serial)
          else { continue }
          count += 1
          if sink.bytes != new { fault = fault ?? "\(place): other bytes than encoding gives" }
        } catch {
          fault = fault ?? "\(place): \(error)"
        }
      }
    }
  }

  private static func packet(_ title: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="\(title)"/></rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  /// A little-endian EXIF block with one field, `Make`, whose value is `one`.
  private static let exif: [UInt8] =
    Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x0f, 1, 2, 0, 4, 0, 0, 0] + Array("one\0".utf8) + [0, 0, 0, 0]
}

final class BytesSink: ByteSink {
  var bytes: [UInt8] = []
  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) { self.bytes += bytes }
}
