/// Disables default colour spaces (PDF 32000-1:2008, 8.6.5.6) in poppler's private copy of the file, as
/// `ProfileRemoval` does with profiles. Otherwise poppler would convert the colours of pictures in device spaces.
///
/// `/DefaultRGB` becomes `/DEFAULTRGB`, which has no meaning. If the entry is in an object stream, the object is
/// replaced by one without it.
struct DefaultSpaceRemoval {
  let file: PDFFile
  /// The offsets of the keys in pages' resources.
  private(set) var places: [Int] = []
  /// Replacements for objects in object streams.
  private(set) var update: ObjectUpdate
  private var visited: Set<Int> = []
  private static let keys = ["DefaultGray", "DefaultRGB", "DefaultCMYK"]
  private static let maximumDepth = 64

  init(_ file: PDFFile) {
    self.file = file
    update = ObjectUpdate(file)
  }

  /// Whether there are no default spaces to disable.
  var isEmpty: Bool { places.isEmpty && update.values.isEmpty }

  mutating func look(at page: PageRecord, _ resources: [String: PDFValue], _ entries: [String: PDFValue]) {
    let spaces = file.resolve(resources["ColorSpace"]).dictionary ?? [:]
    guard Self.keys.contains(where: { spaces[$0] != nil }) else { return }
    // The object to change is the dictionary itself, or else the object that contains the dictionary. Resources may
    // belong to a node of the page tree.
    if let number = resources["ColorSpace"]?.reference { return search(number) }
    if let number = entries["Resources"]?.reference { return search(number) }
    var next: Int? = page.object
    for _ in 0..<Self.maximumDepth {
      guard let number = next else { return }
      search(number)
      next = file.object(number)?.dictionary["Parent"]?.reference
    }
  }

  private mutating func search(_ number: Int) {
    guard visited.insert(number).inserted, let object = file.object(number) else { return }
    guard let start = object.offset, let end = object.stream?.lowerBound ?? object.end else {
      let plain = Self.without(object.value)
      if plain != object.value { update.replace(number, by: plain) }
      return
    }
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    for key in Self.keys {
      var from = start
      while let place = ByteSearch.first(Array("/\(key)".utf8), in: text, from: from) {
        places.append(place)
        from = place + 1
      }
    }
  }

  /// Returns resources without default spaces, however deeply these are nested.
  private static func without(_ value: PDFValue) -> PDFValue {
    switch value {
    case .array(let items): .array(items.map(without))
    case .dictionary(let entries): .dictionary(entries.filter { !keys.contains($0.key) }.mapValues(without))
    default: value
    }
  }

  func overwrite(_ mapping: FileMapping) {
    for place in places { mapping.overwrite(at: place + 2, with: Array("EFAULT".utf8)) }
  }
}
