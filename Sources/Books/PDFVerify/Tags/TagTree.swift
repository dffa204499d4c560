import BookExpectations
import ImageCore

/// A tagged document's structure (PDF 32000-1:2008, 14.7): which element each piece of marked content and each
/// annotation belongs to, according to the elements themselves and according to the parent tree.
///
/// Keeps only the object number of each element, and reads the element again on request.
struct TagTree: Sendable {
  /// Whether there is a tag structure, and whether the document declares that it is completely tagged (14.8).
  private(set) var isThere = false
  let isMarked: Bool
  private(set) var faults: [Fault] = []

  private struct Mark: Hashable {
    let page: Int
    let number: Int
  }
  private let file: PDFFile
  /// The object numbers of elements, by the marks that they refer to.
  private var owners: [Mark: Int] = [:]
  private var marks: [Int: [Int]] = [:]
  private var annotations: [Int: Int] = [:]
  private var parents = ParentTree()
  private var roles: [String: PDFValue] = [:]
  private var visited: Set<Int> = []
  /// The number of figures without alternative text, and the page of the first one.
  private var silent = (count: 0, page: 0)
  private var numbers: [Int: Int] = [:]
  private static let maximumDepth = 128
  private static let maximumFaults = 16

  /// The digests of pages' tags; nil if there are no expected digests to compare them with.
  private var digests: PageTagDigests?

  /// - Parameter hasDigests: whether the expectations contain digests of pages' tags.
  init(_ file: PDFFile, pages: [PageRecord], hasDigests: Bool) {
    self.file = file
    if hasDigests { digests = PageTagDigests(file) }
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    let info = file.resolve(catalogue["MarkInfo"]).dictionary ?? [:]
    isMarked = file.resolve(info["Marked"]) == .boolean(true)
    guard let number = catalogue["StructTreeRoot"]?.reference, let root = file.object(number)?.value.dictionary else {
      if isMarked || catalogue["StructTreeRoot"] != nil {
        faults.append(.tags(.broken("it is missing, though the document says that it is tagged")))
      }
      return
    }
    isThere = true
    for (index, page) in pages.enumerated() { numbers[page.object] = index + 1 }
    roles = file.resolve(root["RoleMap"]).dictionary ?? [:]
    for kid in kids(root["K"]) {
      if let kid = kid.reference { visit(kid, parent: number, depth: 0, isInPart: true) }
    }
    faults += digests?.fault.map { [$0] } ?? []
    parents.read(root["ParentTree"], file)
    faults += parents.faults
    if silent.count > 0 { faults.append(.tags(.noAlternative(silent.count, page: silent.page))) }
    (visited, numbers) = ([], [:])
  }

  // MARK: Queries

  /// Returns the numbers of a page's marks that elements refer to.
  func marks(ofPage object: Int) -> [Int] { marks[object] ?? [] }

  /// Returns the element that refers to a mark; nil for none.
  func owner(ofMark number: Int, onPage object: Int) -> Int? { owners[Mark(page: object, number: number)] }

  /// Returns the element that refers to an annotation; nil for none.
  func owner(ofAnnotation object: Int) -> Int? { annotations[object] }

  /// Returns the value of a key in the parent tree.
  func parent(_ key: Int) -> PDFValue { file.resolve(parents.values[key]) }

  /// Returns the object that the parent tree gives for a key; nil for none.
  func parentReference(_ key: Int) -> Int? { parents.values[key]?.reference }

  /// Returns the alternative text, Alt or ActualText, of an element: its own, or that of the nearest enclosing element
  /// that has one, at most 15 levels up; nil for none.
  func alternative(of element: Int) -> String? {
    var number = element
    for _ in 0..<16 {
      guard let entries = file.object(number)?.value.dictionary else { return nil }
      if let text = text(entries) { return text }
      guard let parent = entries["P"]?.reference else { return nil }
      number = parent
    }
    return nil
  }

  private func text(_ entries: [String: PDFValue]) -> String? {
    for key in ["Alt", "ActualText"] {
      if case .string(let bytes) = file.resolve(entries[key]), !bytes.isEmpty { return TextString.text(bytes) }
    }
    return nil
  }

  /// Returns the digest of a page's tags; nil for none.
  func digest(ofPage object: Int) -> ShortDigest? { digests?.digest(ofPage: object) }

  /// Returns a fault if the document has a tag structure but was written without one.
  func faults(of meant: DocumentExpectation) -> [Fault] {
    guard isThere, !meant.catalogue.contains(where: { $0.key == "MarkInfo" })
    else { return [] }
    return [.tags(.structure("the book was written without tags"))]
  }

  /// The object numbers of pages in reading order; empty without digests.
  var order: [Int] { digests?.order ?? [] }

  // MARK: Reading

  private func kids(_ value: PDFValue?) -> [PDFValue] {
    guard let value else { return [] }
    if let list = file.resolve(value).array { return list }
    return [value]
  }

  private mutating func complain(_ reason: String) {
    if faults.count < Self.maximumFaults { faults.append(.tags(.broken(reason))) }
  }

  /// - Parameter isInPart: whether only the `Document` element and its `Part` elements enclose this element.
  private mutating func visit(_ number: Int, parent: Int, depth: Int, isInPart: Bool) {
    guard depth < Self.maximumDepth, let entries = file.object(number)?.value.dictionary,
      let name = file.resolve(entries["S"]).name
    else { return complain("object \(number) is no element of it") }
    guard visited.insert(number).inserted else {
      return complain("the structure tree contains the element in object \(number) twice")
    }
    if visited.count % 1_024 == 0 { file.mapping.release() }
    if entries["P"]?.reference != parent {
      complain("the element in object \(number) does not name the one that it is in, object \(parent)")
    }
    let type = roles[name].flatMap { file.resolve($0).name } ?? name
    let isPart =
      digests?.isPart(type, isInPart: isInPart, isOutermost: depth == 0) ?? false
    if isPart {
      digests?.addPart(number, entries)
    } else {
      digests?.begin(type, entries, isSection: isInPart)
    }
    let element = Element(number: number, type: type, page: entries["Pg"]?.reference, depth: depth, isPart: isPart)
    for (place, kid) in kids(entries["K"]).enumerated() { add(kid, at: place, to: element) }
    if !isPart { digests?.end(number, isSection: isInPart) }
    // The namespace of an element may define further types (PDF 2.0).
    if !StandardTypes.all.contains(type), entries["NS"] == nil, faults.count < Self.maximumFaults {
      faults.append(.structure(.role(number, type)))
    }
    if type == "Figure", text(entries) == nil {
      silent.count += 1
      if silent.count == 1 { silent.page = element.page.flatMap { numbers[$0] } ?? 0 }
    }
  }

  /// An element whose children are being read.
  private struct Element {
    let number: Int
    let type: String
    let page: Int?
    let depth: Int
    let isPart: Bool
  }

  /// - Parameter place: the index among the element's children, from 0.
  private mutating func add(_ kid: PDFValue, at place: Int, to element: Element) {
    if let mark = kid.integer { return claim(mark, element.page, element, place) }
    let entries = file.resolve(kid).dictionary ?? [:]
    switch file.resolve(entries["Type"]).name {
    case "MCR":
      // The mark is in the content of a form. Such marks are not followed.
      guard entries["Stm"] == nil else { return }
      guard let mark = file.resolve(entries["MCID"]).integer else {
        return complain("the element in object \(element.number) names content without an MCID")
      }
      claim(mark, entries["Pg"]?.reference ?? element.page, element, place)
    case "OBJR":
      guard let object = entries["Obj"]?.reference else { return }
      annotations[object] = element.number
      digests?.addAnnotation(object, page: entries["Pg"]?.reference ?? element.page)
    default:
      guard let number = kid.reference else {
        return complain("the element in object \(element.number) has a child that is not an object")
      }
      visit(number, parent: element.number, depth: element.depth + 1, isInPart: element.isPart)
    }
  }

  private mutating func claim(_ mark: Int, _ page: Int?, _ element: Element, _ place: Int) {
    guard let page else {
      return complain("the element in object \(element.number) does not name the page of its content")
    }
    digests?.addContent(mark, page: page, in: element.type, place: place)
    if let other = owners.updateValue(element.number, forKey: Mark(page: page, number: mark)) {
      return complain("the elements in objects \(other) and \(element.number) have the same content, MCID \(mark)")
    }
    marks[page, default: []].append(mark)
  }
}

/// The standard types of elements (PDF 32000-1:2008, 14.8.4; the last line is from ISO 32000-2).
enum StandardTypes {
  static let all: Set<String> = [
    "Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "Index",
    "NonStruct", "Private", "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody",
    "Table", "TR", "TH", "TD", "THead", "TBody", "TFoot", "Span", "Quote", "Note", "Reference",
    "BibEntry", "Code", "Link", "Annot", "Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP", "Figure",
    "Formula", "Form",
    "DocumentFragment", "Aside", "Title", "FENote", "Sub", "Em", "Strong", "Artifact",
  ]
}

/// The parent tree of a tag structure: a number tree (PDF 32000-1:2008, 7.9.7) with the elements of each page's marked
/// content and of each annotation.
struct ParentTree: Sendable {
  private(set) var values: [Int: PDFValue] = [:]
  private(set) var faults: [Fault] = []
  private var last = Int.min
  private var visited: Set<Int> = []
  private static let maximumDepth = 32

  mutating func read(_ root: PDFValue?, _ file: PDFFile) {
    guard let root else {
      faults.append(.tags(.broken("it has no parent tree")))
      return
    }
    walk(root, file, depth: 0)
    visited = []
  }

  private mutating func complain(_ reason: String) {
    if faults.count < 8 { faults.append(.tags(.broken("the parent tree \(reason)"))) }
  }

  private mutating func walk(_ node: PDFValue, _ file: PDFFile, depth: Int) {
    if let number = node.reference, !visited.insert(number).inserted {
      return complain("has object \(number) twice")
    }
    guard depth < Self.maximumDepth, let entries = file.resolve(node).dictionary else {
      return complain(node.reference.map { "is broken at object \($0)" } ?? "is broken")
    }
    let before = last
    let pairs = file.resolve(entries["Nums"]).array ?? []
    for index in stride(from: 0, to: pairs.count - 1, by: 2) {
      guard let key = pairs[index].integer, key > last else {
        return complain("has keys that do not rise, after \(last)")
      }
      values[key] = pairs[index + 1]
      last = key
    }
    for kid in file.resolve(entries["Kids"]).array ?? [] { walk(kid, file, depth: depth + 1) }
    guard let limits = file.resolve(entries["Limits"]).array?.compactMap(\.integer) else { return }
    if limits.count != 2 || limits[0] <= before || limits[1] != last {
      complain("states other limits than its keys have, before \(last)")
    }
  }
}
