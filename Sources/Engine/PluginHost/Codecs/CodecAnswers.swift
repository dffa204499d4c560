import ImageCore

/// The functions with which the host reads a codec's declarations and answers, gathered for fuzzing; see
/// `WorkerAnswers`.
package enum CodecAnswers {
  /// Reads bytes with each of these functions. Stops the process if a guarantee is violated.
  package static func read(_ bytes: [UInt8]) {
    readSignature(bytes)
    var description = WireReader(bytes)
    if let codec = try? CodecDescription(from: &description) { check(codec, bytes) }
    var image = WireReader(bytes)
    if let image = try? CodecImage(from: &image) {
      precondition(image.layout.byteCount > 0 && image.shrinks.allSatisfy { image.layout.shrunk(by: $0).width > 0 })
    }
    if let (width, height) = CodecImage.excess(WireReader(bytes)) {
      precondition((try? PictureLayout.checked(width: width, height: height, format: .gray8)) == nil)
    }
    var stored = WireReader(bytes)
    if let note = try? StoredNote(from: &stored) { precondition(note.isFax == (note.width > 0 && note.height > 0)) }
    readPieces(bytes)
  }

  /// Reads a signature from the bytes before the first newline, and matches it against the bytes after the newline.
  private static func readSignature(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard let text = parts.first, let signature = FileSignature(String(decoding: text, as: UTF8.self)) else { return }
    precondition(signature.precision >= 0)
    _ = signature.matches(Array(parts.count > 1 ? parts[1] : []))
  }

  private static func check(_ codec: CodecDescription, _ bytes: [UInt8]) {
    precondition(!codec.extensions.isEmpty && codec.extensions.count <= Limits.extensions)
    precondition(codec.signatures.count <= Limits.signatures && codec.writingByteCount(pixels: 1 << 32) >= 0)
    for signature in codec.signatures { _ = signature.matches(bytes) }
    for parameter in codec.readParameters { precondition(!parameter.descriptor.name.isEmpty) }
  }

  /// Reads metadata that arrives in pieces.
  private static func readPieces(_ bytes: [UInt8]) {
    var reader = WireReader(bytes)
    var count = 0
    while let piece = try? reader.text() {
      guard !piece.isEmpty else { return }
      count += piece.count
      precondition(count <= bytes.count)
    }
  }
}
