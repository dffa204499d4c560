import BookExpectations
import ImageCore

/// Compares one page's marked content with the document's tag structure.
struct PageTags {
  let file: PDFFile
  let tags: TagTree
  /// The number of the page's object.
  let page: Int
  let entries: [String: PDFValue]
  let content: ContentReader
  private static let maximumFaults = 8

  func check(_ faults: inout [Fault]) {
    guard tags.isThere else { return }
    var found: [Fault] = []
    checkMarks(&found)
    for annotation in file.resolve(entries["Annots"]).array ?? [] { check(annotation, &found) }
    if tags.isMarked, content.paintsUnmarked { found.append(.tags(.untagged)) }
    faults += found.prefix(Self.maximumFaults)
  }

  /// Checks that each mark (MCID) occurs in the content once, and that the parent tree maps the mark to the element
  /// that refers to it.
  private func checkMarks(_ faults: inout [Fault]) {
    let named = tags.marks(ofPage: page)
    let all = Set(named).union(content.marks.keys).sorted()
    guard !all.isEmpty else { return }
    guard let key = file.resolve(entries["StructParents"]).integer else {
      faults.append(.tags(.pageBroken("the page has no key in the parent tree")))
      return
    }
    let parents = tags.parent(key).array ?? []
    for mark in all {
      let count = content.marks[mark] ?? 0
      guard let owner = tags.owner(ofMark: mark, onPage: page) else {
        faults.append(.tags(.unowned(mark)))
        continue
      }
      if count == 0 {
        faults.append(.tags(.pageBroken("the element in object \(owner) has MCID \(mark), which the content lacks")))
      } else if count > 1 {
        faults.append(.tags(.pageBroken("the content has MCID \(mark) \(count) times")))
      }
      let parent = mark >= 0 && mark < parents.count ? parents[mark].reference : nil
      if parent != owner {
        faults.append(
          .tags(
            .pageBroken(
              "the parent tree leads from MCID \(mark) to \(parent.map { "object \($0)" } ?? "nothing") "
                + "instead of the element in object \(owner)")))
      }
    }
  }

  /// Checks that the parent tree maps an annotation's key to an element that refers to the annotation.
  private func check(_ annotation: PDFValue, _ faults: inout [Fault]) {
    guard let number = annotation.reference,
      let key = file.resolve(file.object(number)?.dictionary["StructParent"]).integer
    else { return }
    let owner = tags.owner(ofAnnotation: number)
    if owner == nil || tags.parentReference(key) != owner {
      faults.append(
        .tags(.pageBroken("the parent tree does not lead from the annotation in object \(number) to its element")))
    }
  }

  /// Checks that the page's tags have the expected digest.
  func check(_ meant: ShortDigest?, _ faults: inout [Fault]) {
    guard let meant, tags.isThere, tags.digest(ofPage: page) != meant else { return }
    faults.append(.tags(.changed))
  }

  /// Checks that each picture has the expected alternative text.
  func check(_ meant: [PictureExpectation], _ faults: inout [Fault]) {
    guard meant.count == content.draws.count else { return }
    for (index, picture) in meant.enumerated() where !picture.alternative.isEmpty {
      let owner = content.draws[index].mark.flatMap { tags.owner(ofMark: $0, onPage: page) }
      let text = owner.flatMap { tags.alternative(of: $0) }
      if text != picture.alternative {
        faults.append(.tags(.alternative(index + 1, expected: picture.alternative, found: text)))
      }
    }
  }
}

/// The digests of each page's tags, computed by `TagDigest` while the structure is read from the top down. Only an
/// object number and a digest are kept for each page. A section is the element that contains the tags of one page.
struct PageTagDigests: Sendable {
  private let file: PDFFile
  private var section: TagDigest?
  /// The page of the current section: that of its first content or annotation.
  private var page: Int?
  /// The digests of sections by page, and further digests for pages with several sections, which imghost never writes.
  private var sections: [Int: ShortDigest] = [:]
  private var more: [Int: [ShortDigest]] = [:]
  private var shared: [Int: [String]] = [:]
  /// The object numbers of pages in the order in which their sections are read.
  private(set) var order: [Int] = []
  /// The first fault of elements outside the sections of pages; nil for none.
  private(set) var fault: Fault?
  /// Whether the current section is a `Sect` without entries of its own and without elements.
  private var isPlain = true
  /// The page whose annotations were looked up last, and the indices of these annotations on the page.
  private var annotations = (page: -1, places: [Int: Int]())

  init(_ file: PDFFile) { self.file = file }

  /// Returns the digest of a page's tags; nil if nothing on the page is tagged.
  func digest(ofPage object: Int) -> ShortDigest? {
    let own = (sections[object].map { [$0] } ?? []) + (more[object] ?? [])
    return TagDigest.page(own, shared: shared[object] ?? [])
  }

  // MARK: Reading

  /// Returns whether an element contains sections: the outermost `Document` element, or a `Part` in it.
  mutating func isPart(_ type: String, isInPart: Bool, isOutermost: Bool) -> Bool {
    guard isInPart, section == nil else { return false }
    return isOutermost ? type == "Document" : type == "Part"
  }

  /// Checks that a `Document` or `Part` element has no entries besides its type, parent, page and children.
  mutating func addPart(_ number: Int, _ entries: [String: PDFValue]) {
    guard let key = Self.own(entries).keys.min() else { return }
    complain("the element in object \(number) has the entry '\(key)'")
  }

  private mutating func complain(_ reason: String) { if fault == nil { fault = .tags(.structure(reason)) } }

  mutating func begin(_ type: String, _ entries: [String: PDFValue], isSection: Bool) {
    if isSection { (section, page, isPlain) = (TagDigest(), nil, type == "Sect") }
    var left = Self.maximumValues
    let own = Self.own(entries).map { (key: $0.key, value: $0.value.digestText(file, &left)) }
    isPlain = isPlain && isSection && own.isEmpty
    section?.begin(type, own)
  }

  mutating func end(_ number: Int, isSection: Bool) {
    section?.end()
    guard isSection, let section else { return }
    self.section = nil
    guard let page, !section.isEmpty else {
      // Even a page without tagged content has a section.
      if !isPlain { complain("the element in object \(number) has no part of a page") }
      return
    }
    order.append(page)
    let digest = section.finish()
    if sections[page] == nil {
      sections[page] = digest
    } else {
      more[page, default: []].append(digest)
    }
  }

  /// - Parameters:
  ///   - page: the page's object; nil if no entry refers to one.
  ///   - type: the type of the element that contains the marked content.
  ///   - place: the index among the element's children, from 0.
  mutating func addContent(_ mark: Int, page: Int?, in type: String, place: Int) {
    guard let page else { return }
    if self.page == nil { self.page = page }
    if page == self.page {
      section?.addContent(mark)
    } else {
      shared[page, default: []].append(TagDigest.share(type, place: place, mark: mark))
    }
  }

  mutating func addAnnotation(_ object: Int, page: Int?) {
    if self.page == nil { self.page = page }
    let entries = file.object(object)?.value.dictionary ?? [:]
    let contents = file.text(entries["Contents"]) ?? ""
    let place = place(of: object, onPage: page)
    section?.addAnnotation(place, contents)
  }

  /// Returns an annotation's index on the page; -1 if it is not on the page.
  private mutating func place(of annotation: Int, onPage page: Int?) -> Int {
    guard let page else { return -1 }
    if annotations.page != page {
      let list = file.resolve(file.object(page)?.dictionary["Annots"]).array ?? []
      let numbered = list.enumerated().compactMap { index, value in
        value.reference.map { ($0, index) }
      }
      annotations = (page, Dictionary(numbered, uniquingKeysWith: { first, _ in first }))
    }
    return annotations.places[annotation] ?? -1
  }

  // MARK: Entries

  /// Returns the entries other than those for the element's type, place and content.
  private static func own(_ entries: [String: PDFValue]) -> [String: PDFValue] {
    entries.filter { !["Type", "S", "P", "K", "Pg"].contains($0.key) }
  }

  /// The maximum number of values of one element that are read.
  private static let maximumValues = 1_000
}
