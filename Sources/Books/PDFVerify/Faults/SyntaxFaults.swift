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
  /// A dictionary whose entry Type is wrong: a description of the dictionary, the required Type, and the actual one;
  /// nil if Type is missing or no name.
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

/// A linearised file whose linearisation dictionary is wrong (PDF 32000-1:2008, Annex F).
enum LinearizationFault: FaultKind {
  case wrong(String)
  /// The number of bytes that were appended to the file.
  case lost(Int)

  var severity: Severity {
    switch self {
    case .lost: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .wrong(let what): "the linearisation dictionary \(what)"
    case .lost(let count):
      "the file is no longer linearised: \(FaultText.count(count, "byte")) "
        + "\(count == 1 ? "was" : "were") added to it"
    }
  }
}

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
  /// A reference with a generation other than 0, or with an object number that is 0 or above the maximum.
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
  /// Cross-reference sections whose links or trailers are not as imghost and qpdf write them.
  case chain
  case trailerKey(String)
  /// An entry of the trailer that is missing, of the wrong type, or unexpected, as `Encrypt` in an unencrypted file.
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
