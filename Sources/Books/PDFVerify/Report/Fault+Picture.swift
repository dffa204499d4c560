extension Fault {
  /// The picture that it is a fault of, by its number on the page; nil for others, and where it is about the files
  /// themselves.
  var picture: Int? {
    switch self {
    case .notAnImage(let number), .form(let number), .angle(let number), .oddClip(let number),
      .notDecoded(let number, _), .cannotCompare(let number, _), .foreign(let number, _),
      .moreRows(let number), .opacityInData(let number), .sizeStated(let number, _, _, _, _),
      .componentsStated(let number, _, _), .blankRender(let number),
      .pixels(let number, _, _, _, _, _), .magnifiedPixels(let number, _, _, _, _),
      .invisible(let number), .resolution(let number, _, _, _),
      .expectedPixelSize(let number, _, _, _, _), .expectedPlace(let number, _, _, _),
      .expectedOrientation(let number, _, _), .otherPage(let number, _),
      .otherPlace(let number, _), .otherBytes(let number, _),
      .pictureAddition(let number, _), .repacked(let number),
      .unlikeStored(let number, _), .unlike(let number, _), .moreLike(let number, _, _, _):
      number
    default: nil
    }
  }

  /// Its sentence, with the file that the picture was made of: `picture 2 (photos/sea.jpg) lies …`.
  ///
  /// - Parameter names: of the page's pictures; empty where unknown.
  func text(naming names: [String]) -> String {
    guard let picture, picture > 0, picture <= names.count, !names[picture - 1].isEmpty else {
      return description
    }
    // The first that a sentence names is the one it is about.
    return description.replacing(
      "picture \(picture)", with: "picture \(picture) (\(names[picture - 1]))", maxReplacements: 1)
  }
}
