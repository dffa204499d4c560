import JPEGDecoding
import Platform

/// Who decodes usual JPEGs. The pixels are the same.
public enum JPEGDecoderChoice: String, Sendable, CaseIterable {
  /// `BaselineDecoder`.
  case own
  case libjpeg

  /// What the environment's `IMGHOST_JPEG` names; else `own` where it is the faster one.
  public static let current: JPEGDecoderChoice = {
    if let text = getenv("IMGHOST_JPEG"),
      let choice = JPEGDecoderChoice(rawValue: String(cString: text))
    {
      return choice
    }
    return BaselineDecoder.hasVectors ? .own : .libjpeg
  }()
}
