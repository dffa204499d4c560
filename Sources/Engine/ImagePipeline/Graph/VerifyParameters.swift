import ImageCore
import VerifierOptions

/// The options of `img.verify`.
package enum VerifyParameters {
  /// The options in the order of help.
  package static let all = (VerifyOption.requirements + VerifyOption.workings).compactMap(\.scriptParameter)
}
