import ImageCore

/// All formats that imghost reads or writes without a plugin. A new format needs one line here.
public enum CodecList {
  public static let all: [any PictureCodec] = [
    JPEGCodec(), PNGCodec(), JPEG2000Codec(), QOICodec(), BMPCodec(), PNMCodec(.anymap), PNMCodec(.arbitrary),
    ICOCodec(),
  ]

  /// Recognises a file by its first bytes, regardless of its name, and returns the codec.
  ///
  /// - Throws: `CodecError.empty` and `.notRecognised`, and read errors.
  public static func recognise(_ file: InputFile) throws(PictureError) -> any PictureCodec {
    let prefix = try ByteSource.file(file).bytes(at: 0, upTo: 16)
    guard !prefix.isEmpty else { throw .codec(.empty) }
    if let codec = all.first(where: { $0.recognises(prefix) }) { return codec }
    let start = (try? file.bytes(at: 0, count: Signature.byteCount)) ?? prefix
    if let codec = all.first(where: { $0.recognises(start) }) { return codec }
    throw .codec(.notRecognised(looksLike: Signature.name(start)))
  }

  /// Returns the codec that writes files with an extension, given without the dot and in any case; nil if there is
  /// none.
  public static func codec(forExtension name: String) -> (any PictureCodec)? {
    let name = name.lowercased()
    return all.first { $0.writes && $0.extensions.contains(name) }
  }

  /// Returns the codec with a name such as `"jpeg"`; nil if there is none.
  public static func codec(named name: String) -> (any PictureCodec)? { all.first { $0.name == name } }
}
