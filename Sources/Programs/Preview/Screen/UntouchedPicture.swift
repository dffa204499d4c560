import ImageCore
import ImagePipeline

extension Environment {
  /// Returns the source of a picture for a comparison: rotated, cropped and scaled as in the script, but without the
  /// operations that change colours.
  ///
  /// The result has the size of the picture. If the script adds borders, the middle of the source fills the whole size.
  /// A picture that does not come from a file is returned unchanged.
  func before(_ picture: Picture) -> Picture {
    var steps = [picture]
    while let first = steps[steps.count - 1].inputs.first { steps.append(first) }
    var before = steps.removeLast()
    guard case .source = before.step, let size = try? picture.info().layout else { return picture }
    for step in steps.reversed() where step.showsPart(ofOneLike: before) {
      before = Picture(step.step, inputs: [before], position: step.position, origin: step.origin)
    }
    guard let own = try? before.info().layout else { return picture }
    if own.width == size.width, own.height == size.height { return before }
    return filling(size, with: before) ?? picture
  }

  /// Returns a picture scaled and cropped to another size.
  private func filling(_ size: PictureLayout, with picture: Picture) -> Picture? {
    guard let step = try? step(.fills, [.integer(size.width), .integer(size.height)]) else { return nil }
    return Picture(step, inputs: [picture], position: picture.position, origin: picture.origin)
  }
}

extension Picture {
  /// Returns whether the last step only shows a part of its input (`shownPart`), as quarter turns, crops and scaling do,
  /// and its input has the size of another picture.
  fileprivate func showsPart(ofOneLike other: Picture) -> Bool {
    guard inputs.count == 1, let operation = try? info().operation, let input = try? inputs[0].info().layout,
      let size = try? other.info().layout
    else { return false }
    return input.width == size.width && input.height == size.height && operation.shownPart(of: input) != nil
  }
}
