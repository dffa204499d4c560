/// A deviation from the plain form of the files that imghost and qpdf write. Conforming readers may differ in how they
/// show a file with such a deviation.
enum FormFault: Error, FaultKind {
  case header
  /// A byte that cannot begin anything allowed at this position.
  case stray(at: Int)
  case comment(at: Int)
  /// White space other than spaces and line feeds.
  case whiteSpace(at: Int)
  /// A number, name, string or keyword with an unusual spelling.
  case spelling(String, at: Int)
  case tooDeep(at: Int)
  case doubledKey(String, at: Int)
  /// An entry whose value is null, which some readers treat as missing.
  case nullEntry(String, at: Int)
  /// An object whose value is null.
  case nullObject(Int)
  /// A reference to a generation other than 0, or to a missing object.
  case reference(at: Int)
  case objectEnd(Int)
  /// An object that the file contains twice.
  case doubledObject(Int)
  /// A stream whose length is missing, indirect, or wrong.
  case streamLength(Int)
  /// A stream whose data is in another file.
  case externalStream(Int)
  case table(at: Int)
  /// The number of cross-reference sections, if there are more than in a file that was written in one pass.
  case revisions(Int)
  /// Cross-reference sections that are not linked as in a linearised file.
  case chain
  case trailerKey(String)
  /// An entry of the trailer that is missing or of the wrong type.
  case trailerValue(String)
  /// An object with two entries in the cross-reference, or without one.
  case entry(Int)
  case place(Int, stated: Int)
  case size
  case objectStream(Int)
  case unused(Int)

  var text: String { "readers may show another document: \(reason)" }

  private var reason: String {
    switch self {
    case .header: "the file does not begin with the two lines of a header"
    case .stray(let place): "byte \(place) belongs to no object"
    case .comment(let place): "a comment begins at byte \(place)"
    case .whiteSpace(let place): "there is unusual white space at byte \(place)"
    case .spelling(let what, let place): "the \(what) at byte \(place) is spelled in an unusual way"
    case .tooDeep(let place): "the value at byte \(place) is nested too deeply"
    case .doubledKey(let key, let place): "the dictionary at byte \(place) has the entry '\(key)' twice"
    case .nullEntry(let key, let place): "the entry '\(key)' at byte \(place) is null, which imghost never writes"
    case .nullObject(let object): "object \(object) is null, which imghost never writes"
    case .reference(let place): "the reference at byte \(place) leads to no object of this file"
    case .objectEnd(let object): "object \(object) does not end as it should"
    case .doubledObject(let object): "object \(object) is in the file twice"
    case .streamLength(let object): "the stream of object \(object) does not say itself how long it is"
    case .externalStream(let object): "the stream of object \(object) refers to another file"
    case .table(let place): "the cross-reference at byte \(place) is written in an unusual way"
    case .revisions(let count): "the file was changed after it was written; it has \(count) cross-references"
    case .chain: "its cross-references do not lead to each other as those of a linearised file"
    case .trailerKey(let key): "the trailer has the entry '\(key)', which imghost never writes"
    case .trailerValue(let key): "the trailer's entry '\(key)' is not as imghost and qpdf write it"
    case .entry(let object): "the cross-reference has no entry for object \(object), or more than one"
    case .place(let object, let stated): "object \(object) does not begin at byte \(stated)"
    case .size: "the trailer states another number of objects than there are"
    case .objectStream(let object):
      "the object stream in object \(object) is not the one that the cross-reference describes"
    case .unused(let object): "nothing in the file uses object \(object)"
    }
  }
}
