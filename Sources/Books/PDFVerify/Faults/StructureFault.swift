/// A violation of PDF 32000-1:2008 that readers repair silently.
enum StructureFault: Sendable, Equatable {
  /// The number of an object that is malformed.
  case unreadable(Int)
  case endOfObject(Int)
  /// A dictionary has an entry twice with different values (7.3.7).
  case doubledKey(Int, String)
  /// The keyword `stream` is not followed by CR LF or LF (7.3.8.1).
  case streamKeyword(Int)
  /// A stream's data and `endstream` are separated by more than one line end.
  case streamEnd(Int, more: Int)
  /// An entry of the cross-reference table is not where it must be in a table of 20-byte entries (7.5.4).
  case tableEntry(Int)
  case generation(Int, stated: Int, actual: Int)
  case size(stated: Int, actual: Int)
  case noSize
  /// A value of the wrong type: its name, its expected type, and its actual type, which is nil if the value is missing.
  case type(String, expected: String, found: String?)
  case rootParent(Int)
  /// An element of a tagged document has a type that is neither standard nor mapped to a standard one.
  case role(Int, String)
  /// An outline entry is wrong: its number, from 1 (0 is the outline itself), and the mistake.
  case outline(Int, String)
  case more(Int)

  /// Whether two readers may show the file differently.
  var isAmbiguous: Bool { if case .doubledKey = self { true } else { false } }

  var text: String {
    switch self {
    case .unreadable(let object): "object \(object) is malformed"
    case .endOfObject(let object): "object \(object) does not end with 'endobj'"
    case .doubledKey(let object, let key):
      "object \(object) has the entry '\(key)' twice with different values; readers may take either"
    case .streamKeyword(let object):
      "'stream' of object \(object) is not followed by an end of line of LF, or of CR and LF"
    case .streamEnd(let object, let more):
      "the stream of object \(object) is \(FaultText.count(more, "byte")) longer than its Length says"
    case .tableEntry(let object):
      "the entries of the cross-reference table are not 20 bytes long before that of object \(object)"
    case .generation(let object, let stated, let actual):
      "the cross-reference table gives object \(object) the generation \(stated); it has \(actual)"
    case .size(let stated, let actual):
      "the trailer counts \(FaultText.count(stated, "object")); the cross-reference table has \(actual)"
    case .noSize: "the trailer does not say how many objects there are (Size)"
    case .type(let what, let expected, nil): "\(what) has no Type; it must be '\(expected)'"
    case .type(let what, let expected, let found?):
      "\(what) has the Type '\(found)' instead of '\(expected)'"
    case .rootParent(let object):
      "the root of the page tree, object \(object), has a Parent, which only nodes below it have"
    case .role(let object, let type):
      "the element in object \(object) of the tagged document is a '\(type)', which readers do not know"
    case .outline(0, let problem): "the outline \(problem)"
    case .outline(let number, let problem): "entry \(number) of the outline \(problem)"
    case .more(let count):
      "\(FaultText.count(count, "more fault")) of the file's structure \(count == 1 ? "is" : "are") of these " + "kinds"
    }
  }
}
