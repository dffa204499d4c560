import PictureTraits

/// The knowledge of pictures' content that designs ask for. Used on the script's thread.
package struct PictureKnowledge {
  /// Returns the traits of each picture; nil for one that cannot be decoded.
  package let traits: ([Picture]) -> [PictureTraits?]
  /// Returns what the script says about a picture; nil for nothing.
  package let hint: (Picture) -> DesignHint?

  /// Nothing is known.
  static var none: PictureKnowledge { PictureKnowledge(traits: { $0.map { _ in nil } }, hint: { _ in nil }) }
}
