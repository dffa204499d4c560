import JPEGDecoding
import Platform

/// The decoder for usual JPEGs. Both produce the same pixels.
public enum JPEGDecoderChoice: String, Sendable, CaseIterable {
  /// `BaselineDecoder`.
  case own
  case libjpeg

  /// The decoder named by the environment variable `IMGHOST_JPEG`; by default, `own` if it is the faster one.
  public static let current: JPEGDecoderChoice = {
    if let text = getenv("IMGHOST_JPEG"), let choice = JPEGDecoderChoice(rawValue: String(cString: text)) {
      return choice
    }
    return BaselineDecoder.hasVectors ? .own : .libjpeg
  }()
}
