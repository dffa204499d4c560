import BookDesign
import ImageCore
import ImagePipeline
import PDFBook

/// The parts of a book in order: the pictures of each section, and the pages that the script declares between them.
struct BookSequence {
  enum Part {
    /// A range of consecutive pictures.
    case pictures(Range<Int>)
    /// A declared page, by its index in `pages`, and the range of its pictures.
    case page(Int, Range<Int>)
  }

  /// A section of the book, which begins a page.
  struct Section {
    /// The text at the beginning of the section; nil for none, or if the first page has a title of its own.
    var chapter: String?
    /// The index of the section's group; nil if the section belongs to no group, or if all sections are joined.
    var group: Int?
    var parts: [Part] = []
  }

  private(set) var sections: [Section] = []
  let pages: [DeclaredPage]
  /// The texts of declared pages.
  let texts: [PageText]

  /// - Parameters:
  ///   - breaks: whether each group begins a page.
  ///   - chapters: the texts at the beginning of groups.
  ///   - hasOutline: whether titles of pages are entries of the outline.
  init(_ request: OutputRequest, _ candidates: BookCandidates, breaks: Bool, chapters: ChapterTexts, hasOutline: Bool) {
    pages = request.pages
    texts = request.pages.map { page in
      PageText(
        title: page.title, text: page.text, outline: hasOutline ? Self.outline(of: page, request, chapters) : [])
    }
    var next = 0
    var start = 0
    func add(_ part: Part, to section: inout Section) {
      if case .pictures(let range) = part, range.isEmpty { return }
      section.parts.append(part)
    }
    func addPage(to section: inout Section) -> Int {
      let page = pages[next]
      let range = candidates.places(of: page.pictures)
      // The page is skipped if all its pictures are lost or left out.
      if range.isEmpty == page.pictures.isEmpty { section.parts.append(.page(next, range)) }
      next += 1
      return page.pictures.upperBound
    }
    let groups = request.groups.isEmpty ? [PictureGroup(name: "", count: request.pictures.count)] : request.groups
    for (place, group) in groups.enumerated() {
      let own: Int? = request.groups.isEmpty ? nil : place
      var between = Section()
      while own != nil, next < pages.count, pages[next].group == nil, pages[next].pictures.lowerBound <= start {
        _ = addPage(to: &between)
      }
      if !between.parts.isEmpty { sections.append(between) }
      var section = Section(group: own)
      var cursor = start
      while next < pages.count, pages[next].group == own {
        add(.pictures(candidates.places(of: cursor..<pages[next].pictures.lowerBound)), to: &section)
        cursor = addPage(to: &section)
      }
      start += group.count
      add(.pictures(candidates.places(of: cursor..<start)), to: &section)
      guard !section.parts.isEmpty else { continue }
      if let chapter = chapters.text(ofGroup: place), !beginsWithTitle(section) { section.chapter = chapter }
      sections.append(section)
    }
    var last = Section()
    while next < pages.count { _ = addPage(to: &last) }
    if !last.parts.isEmpty { sections.append(last) }
    if !breaks { join() }
  }

  private func beginsWithTitle(_ section: Section) -> Bool {
    guard case .page(let page, _)? = section.parts.first else { return false }
    return !pages[page].title.isEmpty
  }

  /// Joins all sections into one, so that consecutive pictures can share pages.
  private mutating func join() {
    var all = Section()
    for part in sections.flatMap(\.parts) {
      if case .pictures(let next) = part, case .pictures(let last)? = all.parts.last {
        all.parts[all.parts.count - 1] = .pictures(last.lowerBound..<next.upperBound)
      } else {
        all.parts.append(part)
      }
    }
    sections = [all]
  }

  private static func outline(of page: DeclaredPage, _ request: OutputRequest, _ chapters: ChapterTexts) -> [String] {
    let title = page.title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let group = page.group.map { chapters.text(ofGroup: $0) ?? request.groups[$0].name }
    return [group, title.isEmpty || title == group ? nil : title].compactMap { $0 }
  }

  /// The parts, for layouts that arrange pictures in order. In these layouts, declared pages have no pictures.
  var segments: [BookSegment] {
    sections.flatMap { section -> [BookSegment] in
      let opener = section.chapter.map { [BookSegment.text(Self.opener($0), background: nil)] } ?? []
      return opener
        + section.parts.map { part in
          switch part {
          case .pictures(let range): .pictures(range)
          case .page(let page, _): .text(texts[page], background: pages[page].background?.onPaper)
          }
        }
    }
  }

  /// Returns the text of a chapter at the beginning of a section.
  static func opener(_ chapter: String) -> PageText { PageText(title: chapter, outline: [chapter]) }
}

/// The texts at the beginning of groups. Each becomes known with the first picture of its group.
struct ChapterTexts {
  let template: NameTemplate?
  private var known: [Int: String] = [:]

  /// Uses the title of a page that the script declares at the beginning of a group as the text of that group, if there
  /// is a template.
  init(_ template: NameTemplate?, _ request: OutputRequest) {
    self.template = template
    guard template != nil else { return }
    var start = 0
    for (place, group) in request.groups.enumerated() {
      if let first = request.pages.first(where: { $0.group == place }), first.pictures.lowerBound == start,
        !first.title.isEmpty
      {
        known[place] = first.title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
      start += group.count
    }
  }

  /// Returns the text of a group; nil for none.
  func text(ofGroup place: Int) -> String? { known[place] }

  func isKnown(ofGroup place: Int) -> Bool { template == nil || known[place] != nil }

  /// Sets the text of a group. If the text is blank, because all its fields lack values, the group's name is used.
  mutating func set(_ text: String, of group: PictureGroup, at place: Int) {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    known[place] = line.isEmpty ? group.name : line
  }
}
