/// Checks that a file has the plain form, which imghost and qpdf write. In that form, the cross-reference lists exactly
/// the objects in the file, every object is used, and all readers interpret its bytes alike. Readers therefore find the
/// same objects, however they look for them.
struct PlainForm {
  private let file: PlainFile
  /// Whether streams and strings are encrypted, and so cannot be read.
  private let isEncrypted: Bool
  /// The places of objects according to the cross-reference, by object number.
  private var places: [PlainTable.Place?] = []
  private var members = PlainMembers()

  /// Returns the first fault of a file; nil if it has the plain form.
  static func fault(in mapping: FileMapping, isEncrypted: Bool = false) -> FormFault? {
    do {
      var form = PlainForm(file: try PlainFile(mapping), isEncrypted: isEncrypted)
      try form.check()
      return nil
    } catch {
      return error
    }
  }

  private init(file: PlainFile, isEncrypted: Bool) {
    self.file = file
    self.isEncrypted = isEncrypted
  }

  private mutating func check() throws(FormFault) {
    let trailers = try self.trailers()
    try collectPlaces(trailers[0])
    try checkObjects()
    // Encrypted files in this form come from qpdf, which never writes unused objects.
    if !isEncrypted { try checkUse() }
  }

  /// Checks that there is one section, or two in a linearised file. Returns their trailers in the order in which
  /// readers find them.
  private func trailers() throws(FormFault) -> [[String: PDFValue]] {
    let sections = file.sections
    let trailers = sections.map { section in
      var lexer = PDFLexer(file.bytes, at: section.dictionary)
      return lexer.value()?.dictionary ?? [:]
    }
    for (section, trailer) in zip(sections, trailers) {
      try checkKeys(trailer, isStream: section.isStream)
      try checkValues(trailer)
    }
    // A decrypted copy has no `Encrypt` entry. Only the first trailer is checked, because the second trailer of a
    // linearised file repeats neither `Root` nor `Encrypt`.
    guard let first = trailers.first, first["Root"] != nil else { throw .trailerValue("Root") }
    guard (first["Encrypt"] != nil) == isEncrypted else { throw .trailerValue("Encrypt") }
    guard file.linearization != nil, sections.count == 2 else {
      guard sections.count == 1 else { throw .revisions(sections.count) }
      guard sections[0].start == sections[0].offset, trailers[0]["Prev"] == nil else { throw .chain }
      return trailers
    }
    guard sections[0].start == 0, sections[1].start == sections[0].offset,
      trailers[0]["Prev"]?.integer == sections[1].offset, trailers[1]["Prev"] == nil
    else { throw .chain }
    for (key, value) in trailers[1] where Self.keys.contains(key) && key != "Size" {
      guard trailers[0][key] == value else { throw .chain }
    }
    return trailers
  }

  /// Entries that trailers may have besides `Prev`.
  private static let keys: Set = ["Size", "Root", "Info", "ID", "Encrypt"]

  /// Checks the keys of a trailer. `PlainTable` has already checked the keys of cross-reference streams.
  private func checkKeys(_ trailer: [String: PDFValue], isStream: Bool) throws(FormFault) {
    guard !isStream, let strange = trailer.keys.sorted().first(where: { !Self.keys.contains($0) && $0 != "Prev" })
    else { return }
    throw .trailerKey(strange)
  }

  /// Checks the types of values (7.5.5). Readers differ in how they treat a wrong type.
  private func checkValues(_ trailer: [String: PDFValue]) throws(FormFault) {
    func check(_ key: String, _ isRight: (PDFValue) -> Bool) throws(FormFault) {
      if let value = trailer[key], !isRight(value) { throw .trailerValue(key) }
    }
    for key in ["Root", "Info"] { try check(key) { $0.reference != nil } }
    for key in ["Size", "Prev"] { try check(key) { ($0.integer ?? -1) >= 0 } }
    try check("ID") { ($0.array ?? []).count == 2 }
  }

  private mutating func collectPlaces(_ trailer: [String: PDFValue]) throws(FormFault) {
    let count = file.sections.reduce(0) { $0 + $1.entries.entries.count }
    guard trailer["Size"]?.integer == count else { throw .size }
    places = Array(repeating: nil, count: count)
    for entry in file.sections.flatMap(\.entries.entries) {
      guard entry.number < count, places[entry.number] == nil else { throw .entry(entry.number) }
      places[entry.number] = entry.place
      if case .packed(let stream, let index) = entry.place { try members.add(entry.number, in: stream, at: index) }
    }
    // There are as many entries as numbers and no duplicates, so each number has one entry.
  }

  /// Checks that objects are where the cross-reference says, and that there are no others.
  private mutating func checkObjects() throws(FormFault) {
    var isFound = [Bool](repeating: false, count: places.count)
    for object in file.objects {
      let number = Int(object.number)
      guard number < places.count else { throw .entry(number) }
      guard !isFound[number] else { throw .doubledObject(number) }
      isFound[number] = true
      guard places[number] == .offset(object.offset) else {
        if case .offset(let stated) = places[number] { throw .place(number, stated: stated) }
        throw .entry(number)
      }
      if object.type == .objectStream {
        try members.check(number, at: object.offset, of: file.bytes, isEncrypted: isEncrypted)
      }
    }
    for number in places.indices where !isFound[number] {
      if case .offset(let stated) = places[number] { throw .place(number, stated: stated) }
    }
    try members.checkIsEmpty()
  }

  /// Checks that each object can be reached from the trailer.
  private func checkUse() throws(FormFault) {
    var ranges = [Range<Int>](repeating: 0..<0, count: places.count)
    var isUsed = [Bool](repeating: false, count: places.count)
    var open: [Int32] = []
    isUsed[0] = true
    for object in file.objects {
      ranges[Int(object.number)] = object.references
      // Nothing refers to these objects, but readers need them to find others.
      if object.type != .other || isOfLinearization(object) { isUsed[Int(object.number)] = true }
    }
    for section in file.sections { open += file.references[section.references] }
    while let next = open.popLast() {
      let number = Int(next)
      guard number < places.count else { throw .entry(number) }
      if isUsed[number] { continue }
      isUsed[number] = true
      open += file.references[ranges[number]]
      open += members.references(of: number)
    }
    if let unused = isUsed.firstIndex(of: false) { throw .unused(unused) }
  }

  /// Returns whether an object is the linearisation dictionary, or its hint stream (Annex F.2.2).
  private func isOfLinearization(_ object: PlainFile.Object) -> Bool {
    guard let place = file.linearization else { return false }
    if object.offset == file.objects[0].offset { return true }
    var lexer = PDFLexer(file.bytes, at: place)
    return lexer.value()?.dictionary?["H"]?.array?.first?.integer == object.offset
  }
}
