/// Holds a document that claims PDF/A against what every part of it demands of actions and colours.
struct ArchiveCheck {
  let file: PDFFile
  let part: Int

  /// ISO 19005-1:2005, 6.6.1: what may not be done.
  private static let forbidden: Set = [
    "Launch", "Sound", "Movie", "ResetForm", "ImportData", "JavaScript",
  ]

  /// Of the document. 6.2.2: what device colours mean.
  func faults(_ catalogue: [String: PDFValue]) -> [Fault] {
    let intents = file.resolve(catalogue["OutputIntents"]).array ?? []
    let hasIntent = intents.contains { value in
      let intent = file.resolve(value).dictionary ?? [:]
      return file.resolve(intent["S"]).name == "GTS_PDFA1"
        && intent["DestOutputProfile"]?.reference.flatMap(file.object)?.stream != nil
    }
    // 6.1.3 of part 1 and of the later ones.
    let identifier = file.resolve(file.trailer["ID"]).array
    return (hasIntent ? [] : [.archiveIntent(part)])
      + (identifier?.count == 2 ? [] : [.archiveIdentifier(part)])
  }

  /// Of a page and its annotations.
  func faults(page entries: [String: PDFValue]) -> [Fault] {
    var kinds = actions(entries)
    for value in file.resolve(entries["Annots"]).array ?? [] {
      kinds.formUnion(actions(file.resolve(value).dictionary ?? [:]))
    }
    return kinds.sorted().map { .archiveAction($0, part: part) }
  }

  private func actions(_ entries: [String: PDFValue]) -> Set<String> {
    var kinds: Set<String> = []
    let additional = file.resolve(entries["AA"]).dictionary ?? [:]
    for value in [entries["A"] ?? .null] + additional.sorted(by: { $0.key < $1.key }).map(\.value) {
      var next = value
      // Actions follow one another (PDF 32000-1:2008, 12.6.2).
      for _ in 0..<16 {
        guard let action = file.resolve(next).dictionary else { break }
        if let kind = file.resolve(action["S"]).name, Self.forbidden.contains(kind) {
          kinds.insert(kind)
        }
        next = action["Next"] ?? .null
      }
    }
    return kinds
  }
}
