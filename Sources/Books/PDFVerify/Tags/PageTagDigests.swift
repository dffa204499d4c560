import BookExpectations
import ImageCore

/// Digests of each page's part of the structure, computed by `TagDigest` while the structure is read from the top down.
/// It keeps a number and a digest per page.
struct PageTagDigests: Sendable {
  private let file: PDFFile
  private var section: TagDigest?
  /// The page of the section that is being read: that of its first content or annotation.
  private var page: Int?
  /// Digests of sections by page, and further ones of pages that have several, which imghost never writes.
  private var sections: [Int: ShortDigest] = [:]
  private var more: [Int: [ShortDigest]] = [:]
  private var shared: [Int: [String]] = [:]
  /// Objects of pages as their sections are read.
  private(set) var order: [Int] = []
  /// The fault of elements that belong to no page; nil for none.
  private(set) var fault: Fault?
  /// Whether the section has neither entries nor elements.
  private var isPlain = true
  /// The page that annotations were asked for last, and their places.
  private var annotations = (page: -1, places: [Int: Int]())

  init(_ file: PDFFile) { self.file = file }

  /// Returns the digest of a page; nil where nothing is tagged.
  func digest(ofPage object: Int) -> ShortDigest? {
    let own = (sections[object].map { [$0] } ?? []) + (more[object] ?? [])
    return TagDigest.page(own, shared: shared[object] ?? [])
  }

  // MARK: Reading

  /// Whether an element holds sections: the document, which is in none, and its parts.
  mutating func isPart(_ type: String, isInPart: Bool, isOutermost: Bool) -> Bool {
    guard isInPart, section == nil else { return false }
    return isOutermost ? type == "Document" : type == "Part"
  }

  /// Notes the document's element or a part, which have nothing but kids.
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
      // A page on which nothing is tagged has a section of its own, too.
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
  ///   - page: nil where nothing names one.
  ///   - type: of the element that has it.
  ///   - place: among the element's kids, from 0.
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
    var contents = ""
    if case .string(let bytes) = file.resolve(entries["Contents"]) { contents = TextString.text(bytes) }
    let place = place(of: object, onPage: page)
    section?.addAnnotation(place, contents)
  }

  /// -1 for none of the page's.
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

  /// Returns the entries that say more than where an element is, and what is in it.
  private static func own(_ entries: [String: PDFValue]) -> [String: PDFValue] {
    entries.filter { !["Type", "S", "P", "K", "Pg"].contains($0.key) }
  }

  /// The most values of one element that are read.
  private static let maximumValues = 1_000
}
