import ImageCore
import VerifierOptions

/// The options of `img.verify`.
public enum VerifyParameters {
  /// The options in the order of help.
  public static let all = (VerifyOption.requirements + VerifyOption.workings).compactMap(\.scriptParameter)
}
