import BookExpectations
import ImageCore

/// The structure elements of one page (PDF 32000-1:2008, 14.7.2): headings, then each picture with its caption, then
/// other texts and links.
///
/// A picture with a link is in a Link element together with the link's annotation. If the page has several pictures, a
/// picture with a caption is in a Div together with the caption.
struct PageElements {
  let page: PDFPage
  /// The objects of the page and of its section.
  let object: Int
  let section: Int
  let marks: MarkedContent
  /// The figure of a picture that began on the previous page, and the marked-content identifier of its second half on
  /// this page; nil if there is none.
  var figureBefore: (object: Int, mark: Int)?

  private(set) var objects: StructureTree.Objects = []
  /// The objects of the elements that own marked content, by marked-content identifier.
  private(set) var owners: [Int]
  /// The elements and annotations of the page's links, in order.
  private(set) var links: [(element: Int, annotation: Int)] = []
  /// The figure of a picture that continues on the next page. It is not in `objects`.
  private(set) var unfinished: StructureTree.UnfinishedFigure?

  private enum Kid {
    case element(Int)
    /// Marked content of this page.
    case content(Int)
    /// The annotation of the link at an index in `links`.
    case annotation(Int)
  }
  private struct Node {
    let type: String
    let entries: [ElementEntry]
    let kids: [Kid]
  }
  /// The elements by object, for the page's digest.
  private var nodes: [Int: Node] = [:]

  /// Indices for fast look-up on pages with thousands of entries: the marks by meaning, and the links by picture.
  private let marksOf: [MarkedContent.Meaning: [Int]]
  private let linkOf: [Int: Int]

  init(page: PDFPage, object: Int, section: Int, marks: MarkedContent) {
    (self.page, self.object, self.section, self.marks) = (page, object, section, marks)
    owners = [Int](repeating: 0, count: marks.meanings.count)
    marksOf = Dictionary(grouping: marks.meanings.indices) { marks.meanings[$0] }
    linkOf = Dictionary(page.links.enumerated().compactMap { index, link in link.placement.map { ($0, index) } }) {
      first, _ in first
    }
  }

  /// Returns the mark of the second half of a picture that began on the previous page; nil if it is not on this page.
  func markOfSecondHalf(of first: Placement) -> Int? {
    marks.meanings.firstIndex { meaning in
      guard case .figure(let index) = meaning else { return false }
      return page.placements[index].part == .second && page.placements[index].picture == first.picture
    }
  }

  /// Builds the elements of the page.
  ///
  /// - Parameter parent: the object of the section's parent.
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
    _ element: Int, _ type: String, in parent: Int, _ kids: [Kid], _ entries: [ElementEntry] = [], page: String = ""
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
    // An object reference (14.7.4.3).
    case .annotation(let link):
      "<</Type/OBJR/Pg \(object) 0 R/Obj \(links[link].annotation) 0 R>>"
    }
  }

  private func separated(_ kid: String) -> String { kid.hasPrefix("<") ? kid : " " + kid }

  /// Writes an element with marked content of this page.
  private mutating func write(_ element: Int, _ type: String, in parent: Int, mark: Int, _ entries: [ElementEntry] = [])
  {
    owners[mark] = element
    write(element, type, in: parent, [.content(mark)], entries, page: "/Pg \(object) 0 R")
  }

  /// Writes the elements of all texts with a meaning, and returns their objects.
  private mutating func texts(_ meaning: MarkedContent.Meaning, in parent: Int, _ reserve: () -> Int) -> [Int] {
    var elements: [Int] = []
    for mark in marksOf[meaning] ?? [] {
      let element = reserve()
      write(element, meaning.tag, in: parent, mark: mark, marks.entries[mark] ?? [])
      elements.append(element)
    }
    return elements
  }

  /// Writes the elements of a picture, and returns the objects of those that belong directly to the section.
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

  /// Writes a figure, unless it continues on the next page. Returns its object, or the object of its Link element; nil
  /// if the figure belongs to the previous page and has no link.
  private mutating func figure(_ index: Int, in parent: Int, _ reserve: () -> Int) -> Int? {
    let link = linkOf[index]
    let owner = link.map { links[$0].element } ?? parent
    let mark = marksOf[.figure(index)]![0]
    let placement = page.placements[index]
    var figure: Int?
    if placement.part == .second, let figureBefore {
      owners[mark] = figureBefore.object
    } else {
      let element = reserve()
      figure = element
      if placement.part == .first {
        owners[mark] = element
        unfinished = .init(object: element, parent: owner, page: object, mark: mark, placement: placement)
        nodes[element] = Node(type: "Figure", entries: placement.alternativeEntry, kids: [.content(mark)])
      } else {
        write(
          element, "Figure", in: owner, mark: mark,
          placement.alternativeEntry + [placement.box(unit: page.size.userUnit)])
      }
    }
    guard let link else { return figure }
    write(links[link].element, "Link", in: parent, (figure.map { [.element($0)] } ?? []) + [.annotation(link)])
    return links[link].element
  }

  // MARK: Digest

  /// The digest of the section, and of the second half of the previous page's figure; nil if the page has neither.
  var digest: ShortDigest? {
    var digest = TagDigest()
    add(section, to: &digest)
    // The half on this page is the figure's second child, after the half on the previous page.
    let shared = figureBefore.map { TagDigest.share("Figure", place: 1, mark: $0.mark) }
    return TagDigest.page(digest.isEmpty ? [] : [digest.finish()], shared: shared.map { [$0] } ?? [])
  }

  private func add(_ element: Int, to digest: inout TagDigest) {
    guard let node = nodes[element] else { return }
    digest.begin(node.type, node.entries.canonical)
    for kid in node.kids {
      switch kid {
      case .element(let object): add(object, to: &digest)
      case .content(let mark): digest.addContent(mark)
      case .annotation(let link):
        digest.addAnnotation(link, page.replacement(of: page.links[link]))
      }
    }
    digest.end()
  }
}

extension Placement {
  /// Returns the entry for the figure's box on the page.
  fileprivate func box(unit: Double) -> ElementEntry {
    let seen = clip.map { $0.intersection(rectangle) } ?? rectangle
    return .box([seen.left, seen.bottom, seen.right, seen.top].map { $0 / unit })
  }
}
