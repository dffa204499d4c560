import ImageCore

extension Picture {
  /// The part of a file's picture that a result shows.
  struct Shown {
    let file: PictureFile
    let part: ShownPart
    /// The size of the file's picture after the turns of the part.
    let width: Int
    let height: Int
  }

  /// The part of a file that this picture shows with the file's colours; nil where operations made other pixels.
  var shown: Shown? {
    var chain = [self]
    while let first = chain.last!.inputs.first { chain.append(first) }
    guard case .source(let file, let orient, false) = chain.last!.step, file.selection == .first, !file.readsSidecar,
      let header = try? file.read().header, header.layout.format.model != .cmyk
    else { return nil }
    var part = ShownPart(turning: orient ? header.metadata.orientation : .upright)
    for picture in chain.dropLast().reversed() {
      guard picture.inputs.count == 1, let operation = try? picture.info().operation,
        let input = try? picture.inputs[0].info().layout, let next = operation.shownPart(of: input)
      else { return nil }
      part = part.showing(next)
    }
    let stored = header.layout
    let isSwapped = part.turns.filter(\.swapsSides).count % 2 == 1
    return Shown(
      file: file, part: part, width: isSwapped ? stored.height : stored.width,
      height: isSwapped ? stored.width : stored.height)
  }
}
