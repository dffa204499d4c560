import ImageCore

/// A fault that prevents a JPEG from being stored in a PDF unchanged. Reencoding the picture removes it.
package enum JPEGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// The file does not begin as a JPEG.
  case notAJPEG
  /// There are bytes between its segments; decoders that skip them show a picture.
  case strayBytes
  /// A sample precision that most readers show as blank pages.
  case precision(bits: Int)
  case arithmeticCoding
  case lossless
  case components(Int)
  /// The JFIF marker indicates YCbCr, and the Adobe marker RGB.
  case disputedColours
  /// Something is missing or impossible, so that no decoder shows the whole picture.
  case damaged(String)
  /// The file ends before the picture does.
  case truncated
}

extension JPEGFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): error.description
    case .notAJPEG: "is not a JPEG file"
    case .strayBytes: "has stray bytes between its segments"
    case .precision(let bits): "is a \(bits)-bit JPEG, which PDF readers show blank"
    case .arithmeticCoding: "is an arithmetic-coded JPEG, which PDF readers show blank"
    case .lossless: "is a lossless JPEG, which PDF readers show blank"
    case .components(let count): "is a JPEG with \(count) components, which PDF cannot hold"
    case .disputedColours: "is YCbCr by its JFIF marker and RGB by its Adobe marker"
    case .damaged(let words): "is damaged (\(words))"
    case .truncated: "is truncated"
    }
  }
}
