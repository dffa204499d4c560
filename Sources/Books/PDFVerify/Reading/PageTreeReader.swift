/// One page of the page tree.
struct PageRecord: Sendable {
  let object: Int
  /// The inherited entries (PDF 32000-1:2008, 7.7.3.4). Pages of one node share them.
  let inherited: [String: PDFValue]

  /// Returns the page's own and inherited entries. They are read on each call, because keeping them for thousands of
  /// pages would take too much memory.
  func entries(_ file: PDFFile) -> [String: PDFValue] {
    (file.object(object)?.dictionary ?? [:]).merging(inherited) { own, _ in own }
  }
}

/// Walks the page tree and checks its counts and links.
struct PageTreeReader: Sendable {
  private let file: PDFFile
  private(set) var pages: [PageRecord] = []
  private(set) var faults: [Fault] = []
  private var visited: Set<Int> = []
  /// The number of wrong types reported so far.
  private var typeFaults = 0
  private static let maximumTypes = 8
  private static let inherited = ["Resources", "MediaBox", "CropBox", "Rotate"]

  private static let releaseInterval = 64

  init(_ file: PDFFile) {
    self.file = file
    read()
  }

  private mutating func read() {
    guard let catalogue = file.resolve(file.trailer["Root"]).dictionary else {
      faults.append(.tree(.noCatalogue))
      return
    }
    guard let root = catalogue["Pages"]?.reference else {
      faults.append(.tree(.noPageTree))
      return
    }
    check(catalogue["Type"], "Catalog", file.trailer["Root"]?.reference, "the catalogue")
    _ = walk(root, parent: nil, inherited: [:], depth: 0)
    if pages.isEmpty { faults.append(.tree(.noPages)) }
  }

  private mutating func checkParent(
    _ entries: [String: PDFValue], _ number: Int, _ parent: Int?
  ) {
    if let parent, entries["Parent"]?.reference != parent {
      faults.append(.tree(.parent(object: number, expected: parent)))
    } else if parent == nil, entries["Parent"] != nil {
      faults.append(.structure(.rootParent(number)))
    }
  }

  /// Checks the required Type of an object.
  private mutating func check(_ type: PDFValue?, _ expected: String, _ object: Int?, _ what: String) {
    let found = file.resolve(type).name
    guard found != expected, let object, typeFaults < Self.maximumTypes else { return }
    typeFaults += 1
    faults.append(
      .structure(
        .type("\(what), object \(object),", expected: expected, found: found),
        isError: found != nil))
  }

  /// Returns whether an object that occurs in the tree again is a page, and reports it if so. The standard forbids the
  /// repetition (7.7.3.2), but readers show the page twice.
  private mutating func isRepeatedPage(_ number: Int, _ entries: [String: PDFValue]) -> Bool {
    guard file.resolve(entries["Kids"]).array == nil, pages.count < file.objectCount else { return false }
    faults.append(.tree(.pageTwice(object: number)))
    return true
  }

  /// Visits a node and returns the number of pages below it; 1 for a page.
  private mutating func walk(_ number: Int, parent: Int?, inherited: [String: PDFValue], depth: Int) -> Int {
    guard depth < PDFLexer.maximumDepth, let entries = file.object(number)?.value.dictionary,
      visited.insert(number).inserted || isRepeatedPage(number, entries)
    else {
      faults.append(.tree(.node(object: number)))
      return 0
    }
    checkParent(entries, number, parent)
    guard let kids = file.resolve(entries["Kids"]).array else {
      check(entries["Type"], "Page", number, "a page")
      pages.append(
        PageRecord(object: number, inherited: inherited))
      if pages.count % Self.releaseInterval == 0 { file.mapping.release() }
      return 1
    }
    check(entries["Type"], "Pages", number, "a node of the page tree")
    var passedOn = inherited
    for key in Self.inherited { passedOn[key] = entries[key] ?? passedOn[key] }
    var count = 0
    for kid in kids {
      guard let kid = kid.reference else {
        faults.append(.tree(.node(object: number)))
        continue
      }
      count += walk(kid, parent: number, inherited: passedOn, depth: depth + 1)
    }
    if let stated = file.resolve(entries["Count"]).integer, stated == count { return count }
    faults.append(.tree(.count(object: number, stated: file.resolve(entries["Count"]).integer, actual: count)))
    return count
  }
}
