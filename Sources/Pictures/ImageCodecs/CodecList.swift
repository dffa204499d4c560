import ImageCore

/// Every format imghost reads and writes. A new one is one line here.
public enum CodecList {
  public static let all: [any PictureCodec] = [JPEGCodec(), PNGCodec(), JPEG2000Codec()]

  /// The codec for a file, by its first bytes; its name says nothing.
  public static func recognise(_ file: InputFile) throws(PictureError) -> any PictureCodec {
    let prefix: [UInt8]
    do throws(FileError) {
      prefix = try file.bytes(at: 0, count: 16)
    } catch { throw .file(error) }
    guard !prefix.isEmpty else { throw .codec(.empty) }
    if let codec = all.first(where: { $0.recognises(prefix) }) { return codec }
    let start = (try? file.bytes(at: 0, count: Signature.byteCount)) ?? prefix
    throw .codec(.notRecognised(looksLike: Signature.name(start)))
  }

  /// The codec that writes files of the given extension, in any case, without the dot.
  public static func codec(forExtension name: String) -> (any PictureCodec)? {
    let name = name.lowercased()
    return all.first { $0.writes && $0.extensions.contains(name) }
  }

  /// The codec with the given name: `"jpeg"`.
  public static func codec(named name: String) -> (any PictureCodec)? {
    all.first { $0.name == name }
  }
}
