import ImageCore

/// A fault that prevents a PNG's data from being stored in a PDF unchanged. Compressing its pixels again removes it.
package enum PNGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// The file is not a PNG, or is truncated.
  case notAPNG
  /// An interlaced PNG; PDF has no interlaced pictures.
  case interlaced
  /// A PNG with transparency; PDF stores opacity separately from colour.
  case transparency
  /// A chunk whose data does not match its checksum.
  case checksum(chunk: String, offset: Int)
  /// A data chunk that does not directly follow the previous one.
  case interrupted(offset: Int)
}

extension PNGFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): error.description
    case .notAPNG: "not a complete PNG file"
    case .interlaced: "an interlaced PNG, which PDF cannot hold"
    case .transparency: "a PNG with transparency, which PDF stores separately"
    case .checksum(let chunk, let offset):
      "wrong checksum of chunk \(chunk) at byte \(offset)"
    case .interrupted(let offset):
      "chunk IDAT at byte \(offset) does not follow the one before it"
    }
  }
}
