import Synchronization

/// The fonts of a document, each judged once however many pages use it.
final class FontCatalog: Sendable {
  private let file: PDFFile
  private let known = Mutex<[Int: FontFacts?]>([:])

  init(_ file: PDFFile) { self.file = file }

  /// The fonts a page may use, by the name its content calls them, forms included.
  func fonts(of resources: [String: PDFValue]) -> [String: FontFacts?] {
    var found: [String: FontFacts?] = [:]
    var visited: Set<Int> = []
    collect(resources, into: &found, &visited, depth: 0)
    return found
  }

  private func collect(
    _ resources: [String: PDFValue], into found: inout [String: FontFacts?], _ visited: inout Set<Int>, depth: Int
  ) {
    for (name, value) in file.resolve(resources["Font"]).dictionary ?? [:] {
      // Fonts of forms are judged as well; names of the page's own come first.
      let key = depth == 0 ? name : "\(name) of a form \(visited.count)"
      if found[key] == nil { found[key] = .some(facts(value)) }
    }
    guard depth < 8 else { return }
    for value in (file.resolve(resources["XObject"]).dictionary ?? [:]).values {
      guard let number = value.reference, visited.insert(number).inserted,
        let entries = file.object(number)?.dictionary, entries["Subtype"]?.name == "Form",
        let inner = file.resolve(entries["Resources"]).dictionary
      else { continue }
      collect(inner, into: &found, &visited, depth: depth + 1)
    }
  }

  private func facts(_ value: PDFValue) -> FontFacts? {
    guard let number = value.reference else { return value.dictionary.flatMap { FontFacts($0, file) } }
    if let facts = known.withLock({ $0[number] }) { return facts }
    let facts = file.object(number).flatMap { FontFacts($0.dictionary, file) }
    known.withLock { $0[number] = .some(facts) }
    return facts
  }
}
