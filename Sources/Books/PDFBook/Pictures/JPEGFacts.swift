import ImageCore

/// Why a JPEG cannot go into a PDF as it is. Decoding and encoding it again is the way out.
public enum JPEGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// It does not begin as one.
  case notAJPEG
  /// Bytes between its segments belong to none: decoders that pass over them see a picture.
  case strayBytes
  /// Most readers show these as blank pages.
  case precision(bits: Int)
  case arithmeticCoding
  case lossless
  case components(Int)
  /// It names what is not there, or cannot be, or data is missing: no decoder shows all of it.
  case damaged(String)
  /// The file is over before the picture is.
  case truncated
}

extension JPEGFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .notAJPEG: "is not a JPEG file"
    case .strayBytes: "has bytes between its segments that belong to none"
    case .precision(let bits): "is a \(bits)-bit JPEG, which PDF readers show blank"
    case .arithmeticCoding: "is an arithmetic-coded JPEG, which PDF readers show blank"
    case .lossless: "is a lossless JPEG, which PDF readers show blank"
    case .components(let count): "is a JPEG with \(count) components, which PDF cannot hold"
    case .damaged(let words): "is damaged (\(words))"
    case .truncated: "ends too early; it is truncated"
    }
  }
}

/// What a PDF must say about a JPEG, read from its markers (ITU-T T.81, Annex B).
public struct JPEGFacts: Sendable, Hashable {
  public let width: Int
  public let height: Int
  public let components: Int
  /// Bits of a sample: 8, or 12 in rare files.
  public let bits: Int
  public let isArithmetic: Bool
  public let isLossless: Bool
  /// The transform byte of an Adobe APP14 marker, nil without one (Adobe Technical Note 5116, 18).
  public let adobeTransform: Int?

  public init(
    width: Int, height: Int, components: Int, bits: Int = 8, isArithmetic: Bool = false,
    isLossless: Bool = false, adobeTransform: Int? = nil
  ) {
    self.width = width
    self.height = height
    self.components = components
    self.bits = bits
    self.isArithmetic = isArithmetic
    self.isLossless = isLossless
    self.adobeTransform = adobeTransform
  }
}
