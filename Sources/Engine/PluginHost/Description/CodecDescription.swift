import CPluginABI
import ImageCore

/// The file format that a codec plugin reads or writes, as it describes it: see `imghost_codec` in imghost_plugin.h.
package struct CodecDescription: Sendable, Hashable {
  /// The format's name in messages: `JPEG XL`.
  package let title: String
  let flags: UInt32
  /// Lower case, without the dot; the first is the usual one.
  package let extensions: [String]
  package let signatures: [FileSignature]
  /// Options of `img.open` for the format.
  package let readParameters: [PluginParameter]
  /// Limits of one page; nil for the host's own.
  let maximumPixels: Int?
  let maximumSide: Int?
  package let maximumPages: Int?
  /// Seconds for each 100 megapixels begun; nil for the host's own.
  let readSeconds: Int?
  let writeSeconds: Int?
  let writeBytes: Int
  let writeBytesPerPixel: Double

  package var reads: Bool { flags & IMGHOST_CODEC_READS != 0 }
  package var writes: Bool { flags & IMGHOST_CODEC_WRITES != 0 }
  package var isLossless: Bool { flags & IMGHOST_CODEC_LOSSLESS != 0 }
  /// Whether it writes several pages as the frames of an animation.
  package var animates: Bool { flags & IMGHOST_CODEC_ANIMATES != 0 }
  /// Whether it writes several pages, each of a size of its own.
  package var writesPages: Bool { flags & IMGHOST_CODEC_PAGES != 0 }

  /// Whether it makes files of which a JPEG can be restored.
  package var wraps: Bool { flags & IMGHOST_CODEC_WRAPS != 0 }
  /// Whether it writes CMYK.
  package var writesInk: Bool { flags & IMGHOST_CODEC_CMYK != 0 }

  /// Whether a file may say that it has so many pages. One beyond the maximum says that there are more.
  package func allows(pageCount: Int) -> Bool { maximumPages.map { pageCount <= $0 + 1 } ?? true }

  /// Whether a page of this size is within the format's limits.
  package func allows(_ layout: PictureLayout) -> Bool {
    layout.width * layout.height <= maximumPixels ?? .max && max(layout.width, layout.height) <= maximumSide ?? .max
  }

  /// An estimate of the bytes of memory that writing a picture takes.
  package func writingByteCount(pixels: Int) -> Int { writeBytes + Int(writeBytesPerPixel * Double(pixels)) }
}

extension CodecDescription {
  /// The most memory that an estimate may ask for, per file and per pixel.
  private static let maximumWriteBytes = 1 << 34
  private static let maximumWriteBytesPerPixel = 1024.0

  /// Reads the part of a `description` message that follows the parameters, and checks all of it.
  init(from reader: inout WireReader) throws {
    title = try PluginDescription.line(&reader, "its title", limit: Limits.name)
    flags = try PluginDescription.field(&reader, "flags of the codec", atMost: 255)
    guard flags & (IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES) != 0, !title.isEmpty else {
      throw DescriptionError.codec("it neither reads nor writes, or has no title")
    }
    extensions = try Self.list(&reader, "extensions", atMost: Limits.extensions) { reader in
      try PluginDescription.name(&reader) { $0.allSatisfy { Self.isSmall($0) } }
    }
    guard !extensions.isEmpty else { throw DescriptionError.codec("it has no file extension") }
    signatures = try Self.list(&reader, "signatures", atMost: Limits.signatures) { reader in
      let text = try PluginDescription.line(&reader, "a signature", limit: Limits.text)
      guard let signature = FileSignature(text) else {
        throw DescriptionError.codec("'\(text)' is not a signature")
      }
      return signature
    }
    readParameters = try PluginDescription.parameters(&reader)
    func limit(_ value: UInt64) -> Int? { value == 0 ? nil : Int(clamping: value) }
    maximumPixels = limit(try reader.integer(UInt64.self))
    maximumSide = limit(UInt64(try reader.integer(UInt32.self)))
    maximumPages = limit(UInt64(try reader.integer(UInt32.self)))
    readSeconds = limit(UInt64(try reader.integer(UInt32.self)))
    writeSeconds = limit(UInt64(try reader.integer(UInt32.self)))
    writeBytes = min(Int(clamping: try reader.integer(UInt64.self)), Self.maximumWriteBytes)
    let perPixel = try reader.number()
    guard perPixel >= 0, perPixel <= Self.maximumWriteBytesPerPixel else {
      throw DescriptionError.codec("its memory per pixel is not 0 to \(Int(Self.maximumWriteBytesPerPixel)) bytes")
    }
    writeBytesPerPixel = perPixel
  }

  private static func isSmall(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || PluginDescription.isDigit(byte)
  }

  private static func list<Value>(
    _ reader: inout WireReader, _ name: String, atMost limit: Int, _ read: (inout WireReader) throws -> Value
  ) throws -> [Value] {
    let count = try reader.integer(UInt32.self)
    guard count <= limit else { throw DescriptionError.codec("it has more than \(limit) \(name)") }
    var values: [Value] = []
    for _ in 0..<count { values.append(try read(&reader)) }
    return values
  }
}
