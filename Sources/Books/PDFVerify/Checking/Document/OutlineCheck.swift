/// Checks that the entries of the outline refer to each other correctly (PDF 32000-1:2008, 12.3.3).
struct OutlineCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard let root = document.catalogue["Outlines"]?.reference,
      let entries = document.file.object(root)?.value.dictionary
    else { return [] }
    var walk = OutlineWalk(document.file)
    return walk.faults(root, entries).map { .structure($0) }
  }
}

private struct OutlineWalk {
  private let file: PDFFile
  private var faults: [StructureFault] = []
  private var visited: Set<Int> = []
  /// The number of entries read so far.
  private var count = 0
  /// The maximum number of faults that are reported individually.
  private static let maximum = 8
  private static let maximumDepth = 64

  init(_ file: PDFFile) { self.file = file }

  /// Returns the faults of the outline whose root is the given object.
  mutating func faults(_ root: Int, _ entries: [String: PDFValue]) -> [StructureFault] {
    _ = level(of: root, entries, number: 0, depth: 0)
    let rest = faults.count - Self.maximum
    return faults.prefix(Self.maximum) + (rest > 0 ? [.more(rest)] : [])
  }

  /// Checks the entries below an entry, and returns how many of them are visible: none if that entry is closed.
  private mutating func level(of parent: Int, _ entries: [String: PDFValue], number: Int, depth: Int) -> Int {
    let (first, last) = (entries["First"]?.reference, entries["Last"]?.reference)
    var next = first
    var (before, visible): (Int?, Int) = (nil, 0)
    while let object = next {
      guard depth < Self.maximumDepth, visited.insert(object).inserted,
        let entry = file.object(object)?.value.dictionary
      else {
        tell(number, "refers to object \(object), which is not an outline entry or is already used")
        break
      }
      count += 1
      visible += 1 + check(object, entry, parent: parent, before: before, depth: depth)
      (before, next) = (object, entry["Next"]?.reference)
    }
    if first != nil || last != nil, last != before {
      tell(number, "names \(Self.name(last)) as its Last; it is \(Self.name(before))")
    }
    let stated = entries["Count"].map { file.resolve($0).integer }
    check(stated, visible, number: number)
    return (stated ?? 0) ?? 0 > 0 || number == 0 ? visible : 0
  }

  /// Checks an entry and the entries below it. Returns the number of visible entries below it.
  private mutating func check(
    _ object: Int, _ entry: [String: PDFValue], parent: Int, before: Int?, depth: Int
  ) -> Int {
    let number = count
    if entry["Parent"]?.reference != parent {
      tell(number, "names \(Self.name(entry["Parent"]?.reference)) as its Parent; it is \(Self.name(parent))")
    }
    if entry["Prev"]?.reference != before {
      tell(number, "names \(Self.name(entry["Prev"]?.reference)) as its Prev; it is \(Self.name(before))")
    }
    return level(of: object, entry, number: number, depth: depth + 1)
  }

  /// - Parameter visible: the number of entries below this one that are visible if it is open.
  private mutating func check(_ stated: Int??, _ visible: Int, number: Int) {
    let meant = stated.map { $0 ?? 0 }
    // The Count of a closed entry is `-visible`. Without entries below it, an entry may omit Count.
    let isRight =
      number == 0
      ? meant == visible || (meant == nil && visible == 0)
      : visible == 0 ? meant == nil || meant == 0 : meant.map(abs) == visible
    if !isRight {
      tell(number, "counts \(meant.map { "\($0)" } ?? "no") entries below it; there are \(visible)")
    }
  }

  private mutating func tell(_ number: Int, _ problem: String) { faults.append(.outline(number, problem)) }

  private static func name(_ object: Int?) -> String { object.map { "object \($0)" } ?? "none" }
}
