import CPluginABI
import ImageCore

/// The description of the file format that a codec plugin reads or writes: see `imghost_codec` in imghost_plugin.h.
package struct CodecDescription: Sendable, Hashable {
  /// The format's name in messages, such as `JPEG XL`.
  package let title: String
  let flags: UInt32
  /// File name extensions in lower case, without the dot; the first is the default.
  package let extensions: [String]
  package let signatures: [FileSignature]
  /// Options of `img.open` for the format.
  package let readParameters: [PluginParameter]
  /// The limits for the pixels and the sides of a page, and for the number of pages; nil for the host's defaults.
  let maximumPixels: Int?
  let maximumSide: Int?
  package let maximumPages: Int?
  /// The time limit in seconds for every 100 megapixels or part of them; nil for the host's default.
  let readSeconds: Int?
  let writeSeconds: Int?
  let writeBytes: Int
  let writeBytesPerPixel: Double

  package var reads: Bool { flags & IMGHOST_CODEC_READS != 0 }
  package var writes: Bool { flags & IMGHOST_CODEC_WRITES != 0 }
  package var isLossless: Bool { flags & IMGHOST_CODEC_LOSSLESS != 0 }
  /// Whether it can write several pages as the frames of an animation.
  package var animates: Bool { flags & IMGHOST_CODEC_ANIMATES != 0 }
  /// Whether it can write several pages of different sizes.
  package var writesPages: Bool { flags & IMGHOST_CODEC_PAGES != 0 }

  /// Whether it can create files from which a JPEG can be restored exactly.
  package var wraps: Bool { flags & IMGHOST_CODEC_WRAPS != 0 }
  /// Whether it can write CMYK.
  package var writesInk: Bool { flags & IMGHOST_CODEC_CMYK != 0 }

  /// Returns whether a file may declare this number of pages. One more than the maximum is allowed, and means that the
  /// file has more pages than the maximum.
  package func allows(pageCount: Int) -> Bool { maximumPages.map { pageCount <= $0 + 1 } ?? true }

  /// Returns whether a page of this size is within the format's limits.
  package func allows(_ layout: PictureLayout) -> Bool {
    layout.width * layout.height <= maximumPixels ?? .max && max(layout.width, layout.height) <= maximumSide ?? .max
  }

  /// Returns an estimate of the memory in bytes for writing a picture.
  package func writingByteCount(pixels: Int) -> Int { writeBytes + Int(writeBytesPerPixel * Double(pixels)) }
}

extension CodecDescription {
  /// The maximum memory for writing that a codec may declare, in bytes: for each file, and for each pixel. A larger
  /// value for each file is reduced; a larger one for each pixel is an error.
  private static let maximumWriteBytes = 1 << 34
  private static let maximumWriteBytesPerPixel = 1024.0

  /// Reads the part of a `description` message that follows the parameters, and validates it.
  init(from reader: inout WireReader) throws {
    title = try PluginDescription.line(&reader, "its title", byteLimit: Limits.name)
    flags = try PluginDescription.field(&reader, "flags of the codec", atMost: 255)
    guard flags & (IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES) != 0, !title.isEmpty else {
      throw DescriptionError.codec("it neither reads nor writes, or has no title")
    }
    extensions = try Self.list(&reader, "extensions", atMost: Limits.extensions) { reader in
      try PluginDescription.name(&reader) { name in
        name.allSatisfy { PluginDescription.isSmallLetter($0) || PluginDescription.isDigit($0) }
      }
    }
    guard !extensions.isEmpty else { throw DescriptionError.codec("it has no file extension") }
    signatures = try Self.list(&reader, "signatures", atMost: Limits.signatures) { reader in
      let text = try PluginDescription.line(&reader, "a signature", byteLimit: Limits.text)
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

  private static func list<Value>(
    _ reader: inout WireReader, _ name: String, atMost limit: Int, _ read: (inout WireReader) throws -> Value
  ) throws -> [Value] {
    let count = try reader.integer(UInt32.self)
    guard count <= limit else { throw DescriptionError.codec("it has more than \(limit) \(name)") }
    return try (0..<count).map { _ in try read(&reader) }
  }
}
