import BookExpectations
import ImageCore

/// The structure of a tagged book (PDF 32000-1:2008, 14.7), built page by page: one element for the document with a
/// section for each page, and the parent tree, which maps marked content and annotations to their elements.
///
/// Elements are written with their page. Only one open node per level of each tree stays in memory, and at most one
/// figure that continues on the next page.
struct StructureTree {
  /// Objects to write.
  typealias Objects = [(object: Int, dictionary: String)]

  /// The part of the structure that belongs to a page.
  struct PageTags {
    /// The entries of the page's dictionary.
    var entries: String
    /// The objects of the page's link annotations.
    var annotations: [Int]
    var objects: Objects
    /// The digest of the page's elements; nil without elements.
    var digest: ShortDigest?
  }

  /// The tree of sections, with at most 1,000 in a node: PDF 1.4 limits arrays to 8,191 elements (Appendix C).
  private var sections = PageTree(fanOut: 1_000)
  private var keys = PageTree()
  private let root: Int
  /// The figure that continues on the next page; nil for none.
  private var unfinishedFigure: UnfinishedFigure?

  struct UnfinishedFigure {
    let object, parent, page, mark: Int
    let placement: Placement

    /// - Parameter rest: the figure's child on the next page; empty for none.
    func dictionary(_ rest: String = "") -> String {
      "<</S/Figure/P \(parent) 0 R/Pg \(page) 0 R/K[\(mark)\(rest)]" + placement.alternativeEntry.text + ">>"
    }
  }

  /// - Parameter root: the object of the tree's root.
  init(root: Int) { self.root = root }

  /// Returns a reference to marked content on another page.
  private static func content(_ mark: Int, on page: Int) -> String {
    "<</Type/MCR/Pg \(page) 0 R/MCID \(mark)>>"
  }

  /// Adds the next page, whose object is `object`, and returns its part of the structure.
  mutating func add(_ page: PDFPage, object: Int, marks: MarkedContent, reserve: () -> Int) -> PageTags {
    var objects: Objects = []
    let section = reserve()
    let (parent, full) = sections.add(page: section, reserve: reserve)
    for node in full { objects.append((node.object, element(node))) }
    var builder = PageElements(page: page, object: object, section: section, marks: marks)
    if let half = unfinishedFigure { finish(half, on: &builder, &objects) }
    builder.build(parent: parent, reserve: reserve)
    objects += builder.objects
    unfinishedFigure = builder.unfinished
    let owners = reserve()
    objects.append((owners, "[\(builder.owners.map { "\($0) 0 R" }.joined(separator: " "))]"))
    let key = addKey(owners, &objects, reserve)
    let digest = builder.digest
    var annotations: [Int] = []
    for (link, element) in zip(page.links, builder.links) {
      let own = addKey(element.element, &objects, reserve)
      annotations.append(element.annotation)
      objects.append(
        (
          element.annotation,
          link.dictionary(
            unit: page.size.userUnit,
            entries: "/StructParent \(own)/Contents\(PDFString.text(page.replacement(of: link)))")
        ))
    }
    return PageTags(entries: "/StructParents \(key)/Tabs/S", annotations: annotations, objects: objects, digest: digest)
  }

  /// Finishes a figure of the previous page, with its second half if that is on this page.
  private func finish(_ half: UnfinishedFigure, on builder: inout PageElements, _ objects: inout Objects) {
    let mark = builder.markOfSecondHalf(of: half.placement)
    if let mark { builder.figureBefore = (half.object, mark) }
    let rest = mark.map { Self.content($0, on: builder.object) } ?? ""
    objects.append((half.object, half.dictionary(rest)))
  }

  /// Adds a page or an annotation to the parent tree, and returns its key.
  private mutating func addKey(_ object: Int, _ objects: inout Objects, _ reserve: () -> Int) -> Int {
    let key = keys.pageCount
    for node in keys.add(page: object, reserve: reserve).full {
      objects.append((node.object, Self.numbers(node)))
    }
    return key
  }

  /// Returns the remaining objects, including the root. Called once, after the last page.
  mutating func finish(reserve: () -> Int) -> Objects {
    var objects: Objects = []
    if let half = unfinishedFigure { objects.append((half.object, half.dictionary())) }
    let nodes = sections.finish(reserve: reserve)
    for node in nodes { objects.append((node.object, element(node))) }
    let numbers = keys.finish(reserve: reserve)
    for node in numbers { objects.append((node.object, Self.numbers(node))) }
    objects.append(
      (
        root,
        "<</Type/StructTreeRoot/K \(nodes.last!.object) 0 R"
          + "/ParentTree \(numbers.last!.object) 0 R/ParentTreeNextKey \(keys.pageCount)>>"
      ))
    return objects
  }

  /// Returns the Document element, or the element of a part of a very long document.
  private func element(_ node: PageTree.Node) -> String {
    let kids = node.children.map { "\($0) 0 R" }.joined(separator: " ")
    return
      "<</S/\(node.parent == nil ? "Document" : "Part")/P \(node.parent ?? root) 0 R/K[\(kids)]>>"
  }

  /// Returns a node of a number tree (7.9.7).
  private static func numbers(_ node: PageTree.Node) -> String {
    let limits = node.parent == nil ? "" : "/Limits[\(node.first) \(node.first + node.count - 1)]"
    guard node.isLeaf else {
      return "<<\(limits)/Kids[\(node.children.map { "\($0) 0 R" }.joined(separator: " "))]>>"
    }
    let entries = node.children.enumerated().map { "\(node.first + $0) \($1) 0 R" }
    return "<<\(limits)/Nums[\(entries.joined(separator: " "))]>>"
  }
}

extension Placement {
  var alternativeEntry: [ElementEntry] { alternative.isEmpty ? [] : [.alternative(alternative)] }
}

extension PDFPage {
  /// Returns the alternative text of a link: the alternative text of its picture, or else the address.
  func replacement(of link: PageLink) -> String {
    let picture = link.placement.map { placements[$0].alternative } ?? ""
    return picture.isEmpty ? link.address : picture
  }
}

/// An entry of a structure element (PDF 32000-1:2008, table 323), both in PDF's syntax and in the canonical form of
/// `TagDigest`.
struct ElementEntry: Sendable, Hashable {
  let key: String
  /// The value, with a separator before it if the key needs one.
  let value: String
  let canonical: String

  private init(_ key: String, text: String) {
    self.key = key
    value = PDFString.text(text)
    canonical = TagDigest.text(text)
  }

  private init(_ key: String, value: String, canonical: String) {
    (self.key, self.value, self.canonical) = (key, value, canonical)
  }

  /// Returns the alternative text of a picture (14.9.3).
  static func alternative(_ text: String) -> ElementEntry { ElementEntry("Alt", text: text) }

  /// Returns the text that replaces the element's content (14.9.4).
  static func actualText(_ text: String) -> ElementEntry { ElementEntry("ActualText", text: text) }

  /// Returns the language of the element (14.9.2).
  static func language(_ tag: String) -> ElementEntry { ElementEntry("Lang", text: tag) }

  /// Returns the layout attributes of a figure (14.8.5.4): its box on the page, as left, bottom, right and top.
  static func box(_ edges: [Double]) -> ElementEntry {
    ElementEntry(
      "A", value: "<</O/Layout/Placement/Block/BBox[\(PDFNumber.text(edges))]>>",
      canonical: TagDigest.dictionary([
        ("O", "/Layout"), ("Placement", "/Block"),
        ("BBox", TagDigest.list(edges.map(TagDigest.number))),
      ]))
  }
}

extension [ElementEntry] {
  /// The entries in the syntax of a dictionary.
  var text: String { map { "/\($0.key)\($0.value)" }.joined() }

  /// The entries in the canonical form of `TagDigest`.
  var canonical: [(key: String, value: String)] { map { ($0.key, $0.canonical) } }
}

/// Alternative texts of pictures.
package enum AlternativeText {
  /// The maximum number of Unicode scalars; longer texts are truncated. PDF 1.4 limits strings to 65,535 bytes.
  package static let maximumLength = 2_000

  /// Returns a text as one line of at most `maximumLength` scalars. Each sequence of control characters and white space
  /// becomes one space, or is removed at the start and end.
  package static func cleaned(_ text: String) -> String {
    let words = text.unicodeScalars.prefix(maximumLength).split { scalar in
      scalar.value < 0x20 || scalar.value == 0x7f || scalar.properties.isWhitespace
    }
    return words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
  }
}
