/// A cross-reference table that misleads readers (PDF 32000-1:2008, 7.5.4).
enum TableFault: FaultKind {
  /// There is no table at the declared offset; nil if no offset is declared.
  case start(Int?)
  case malformed(Int)
  case objectStream(object: Int)
  case objectStreamMember(object: Int, stream: Int)
  case offset(object: Int, stated: Int, actual: Int?)
  /// The number of further wrong offsets, which are not reported individually.
  case moreOffsets(Int)
  case size(stated: Int, actual: Int)
  case streamLength(object: Int, stated: Int?, actual: Int?)
  /// An object with two entries that lead to different contents.
  case redefined(Int)
  /// An entry that the trailer has twice with different values.
  case doubledTrailerKey(String)

  var severity: Severity {
    switch self {
    case .moreOffsets: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .start(let offset?):
      "the cross-reference table is missing at byte \(offset)"
    case .start(nil): "the end of the file does not say where the cross-reference table is"
    case .malformed(let offset): "the cross-reference table is malformed at byte \(offset)"
    case .objectStream(let object):
      "the object stream in object \(object) is missing or damaged"
    case .objectStreamMember(let object, let stream):
      "the cross-reference table puts object \(object) into the object stream \(stream), which does not " + "contain it"
    case .offset(let object, let stated, let actual?):
      "the cross-reference table puts object \(object) at byte \(stated); it is at byte \(actual)"
    case .offset(let object, let stated, nil):
      "the cross-reference table puts object \(object) at byte \(stated); there is no such object"
    case .moreOffsets(let count):
      "\(FaultText.count(count, "more object")) \(count == 1 ? "is" : "are") not where the table puts "
        + (count == 1 ? "it" : "them")
    case .size(let stated, let actual):
      StructureFault.size(stated: stated, actual: actual).text
    case .streamLength(let object, let stated, let actual):
      "the stream of object \(object) is \(actual.map { "\($0)" } ?? "an unknown number of") "
        + "bytes long; its Length says \(stated.map { "\($0)" } ?? "nothing")"
    case .redefined(let object):
      "the cross-reference leads to two objects \(object), which differ; readers may take either"
    case .doubledTrailerKey(let key):
      "the trailer has the entry '\(key)' twice with different values; readers may take either"
    }
  }
}
