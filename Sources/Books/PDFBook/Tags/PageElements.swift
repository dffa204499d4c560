import BookExpectations
import ImageCore

/// The structure elements of one page (PDF 32000-1:2008, 14.7.2): headings, then each picture with its caption, then
/// other texts.
///
/// A picture that opens an address lies in a Link with its annotation, one with a caption on a page of several in a Div
/// with it.
struct PageElements {
  let page: PDFPage
  /// The page's, and its section's.
  let object: Int
  let section: Int
  let marks: PageMarks
  /// The figure of the picture that began on the page before, and its mark, where this page goes on with it.
  var figureBefore: (object: Int, mark: Int)?

  private(set) var objects: StructureTree.Objects = []
  /// Elements by marked-content identifier.
  private(set) var owners: [Int]
  /// In the order of the page's links.
  private(set) var links: [(element: Int, annotation: Int)] = []
  /// The figure that goes on with the next page, which is not among `objects`.
  private(set) var half: (object: Int, parent: Int, mark: Int, placement: Placement)?

  private enum Kid {
    case element(Int)
    /// Marked content of this page.
    case content(Int)
    /// The annotation of a link of the page.
    case annotation(Int)
  }
  private struct Node {
    let type: String
    let entries: [ElementEntry]
    let kids: [Kid]
  }
  /// What the page's seal is made of, by object.
  private var nodes: [Int: Node] = [:]

  /// Marks by what they are, and links by the place of their picture: a page may have thousands.
  private let marksOf: [PageMarks.Meaning: [Int]]
  private let linkOf: [Int: Int]

  init(page: PDFPage, object: Int, section: Int, marks: PageMarks) {
    (self.page, self.object, self.section, self.marks) = (page, object, section, marks)
    owners = [Int](repeating: 0, count: marks.meanings.count)
    marksOf = Dictionary(grouping: marks.meanings.indices) { marks.meanings[$0] }
    linkOf = Dictionary(
      page.links.enumerated().compactMap { index, link in link.placement.map { ($0, index) } }
    ) { first, _ in first }
  }

  /// The mark of what goes on with a picture of the page before; nil where nothing does.
  func markOfSecondHalf(of first: Placement) -> Int? {
    marks.meanings.firstIndex { meaning in
      guard case .figure(let index) = meaning else { return false }
      return page.placements[index].share == .second
        && page.placements[index].picture == first.picture
    }
  }

  /// - Parameter parent: the section's.
  mutating func build(parent: Int, reserve: () -> Int) {
    links = page.links.map { _ in (reserve(), reserve()) }
    var kids: [Int] = texts(.heading, in: section, reserve)
    for index in page.placements.indices { kids += picture(index, reserve) }
    kids += texts(.paragraph, in: section, reserve)
    for (index, link) in page.links.enumerated() where link.placement == nil {
      write(links[index].element, "Link", in: section, [.annotation(index)])
      kids.append(links[index].element)
    }
    write(section, "Sect", in: parent, kids.map { .element($0) })
  }

  private mutating func write(
    _ element: Int, _ type: String, in parent: Int, _ kids: [Kid], _ entries: [ElementEntry] = [],
    page: String = ""
  ) {
    nodes[element] = Node(type: type, entries: entries, kids: kids)
    let texts = kids.map(text)
    let list = texts.count == 1 ? separated(texts[0]) : "[\(texts.joined(separator: " "))]"
    let kids = texts.isEmpty ? "" : "/K\(list)"
    objects.append((element, "<</S/\(type)/P \(parent) 0 R\(kids)\(page)\(entries.text)>>"))
  }

  private func text(_ kid: Kid) -> String {
    switch kid {
    case .element(let object): "\(object) 0 R"
    case .content(let mark): "\(mark)"
    // 14.7.4.3.
    case .annotation(let link):
      "<</Type/OBJR/Pg \(object) 0 R/Obj \(links[link].annotation) 0 R>>"
    }
  }

  private func separated(_ kid: String) -> String { kid.hasPrefix("<") ? kid : " " + kid }

  /// An element of marked content of this page.
  private mutating func write(
    _ element: Int, _ type: String, in parent: Int, mark: Int, _ entries: [ElementEntry] = []
  ) {
    owners[mark] = element
    write(element, type, in: parent, [.content(mark)], entries, page: "/Pg \(object) 0 R")
  }

  /// The elements of texts of one meaning.
  private mutating func texts(_ meaning: PageMarks.Meaning, in parent: Int, _ reserve: () -> Int)
    -> [Int]
  {
    var elements: [Int] = []
    for mark in marksOf[meaning] ?? [] {
      let element = reserve()
      write(element, meaning.tag, in: parent, mark: mark, marks.entries[mark] ?? [])
      elements.append(element)
    }
    return elements
  }

  /// What a section has of a picture.
  private mutating func picture(_ index: Int, _ reserve: () -> Int) -> [Int] {
    let hasCaption = marksOf[.caption(index)] != nil
    let group = hasCaption && page.placements.count > 1 ? reserve() : nil
    let parent = group ?? section
    var kids = figure(index, in: parent, reserve).map { [$0] } ?? []
    if hasCaption {
      let caption = reserve()
      let paragraphs = texts(.caption(index), in: caption, reserve)
      write(caption, "Caption", in: parent, paragraphs.map { .element($0) })
      kids.append(caption)
    }
    guard let group else { return kids }
    write(group, "Div", in: section, kids.map { .element($0) })
    return [group]
  }

  /// A figure, or the link that it opens; nil where it is all on the page before.
  private mutating func figure(_ index: Int, in parent: Int, _ reserve: () -> Int) -> Int? {
    let link = linkOf[index]
    let owner = link.map { links[$0].element } ?? parent
    let mark = marksOf[.figure(index)]![0]
    let placement = page.placements[index]
    var figure: Int?
    if placement.share == .second, let figureBefore {
      owners[mark] = figureBefore.object
    } else {
      let element = reserve()
      figure = element
      if placement.share == .first {
        owners[mark] = element
        half = (element, owner, mark, placement)
        nodes[element] = Node(
          type: "Figure", entries: placement.alternativeEntry, kids: [.content(mark)])
      } else {
        write(
          element, "Figure", in: owner, mark: mark,
          placement.alternativeEntry + [placement.box(unit: page.size.userUnit)])
      }
    }
    guard let link else { return figure }
    write(
      links[link].element, "Link", in: parent,
      (figure.map { [.element($0)] } ?? []) + [.annotation(link)])
    return links[link].element
  }

  // MARK: Seal

  /// Of the section, and of what the page has of the figure before it; nil where there is nothing.
  var seal: ShortDigest? {
    var seal = TagSeal()
    add(section, to: &seal)
    // Its second kid, after what the page before has of it.
    let shared = figureBefore.map { TagSeal.share("Figure", place: 1, mark: $0.mark) }
    return TagSeal.page(
      seal.isEmpty ? [] : [seal.finish()], shared: shared.map { [$0] } ?? [])
  }

  private func add(_ element: Int, to seal: inout TagSeal) {
    guard let node = nodes[element] else { return }
    seal.begin(node.type, node.entries.sealed)
    for kid in node.kids {
      switch kid {
      case .element(let object): add(object, to: &seal)
      case .content(let mark): seal.addContent(mark)
      case .annotation(let link):
        seal.addAnnotation(link, page.replacement(of: page.links[link]))
      }
    }
    seal.end()
  }
}

extension Placement {
  /// What its figure covers of the page.
  fileprivate func box(unit: Double) -> ElementEntry {
    let seen = clip.map { $0.intersection(rectangle) } ?? rectangle
    return .box([seen.left, seen.bottom, seen.right, seen.top].map { $0 / unit })
  }
}
