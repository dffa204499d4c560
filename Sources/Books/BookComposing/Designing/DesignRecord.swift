import BookDesign
import ImageCore
import ImagePipeline
import PDFBook

/// A designed book, with each page in a form that a script can declare.
package struct DesignRecord: Sendable {
  package struct Page: Sendable {
    package let page: DeclaredPage
    /// The indices of the page's pictures in `DesignRecord.pictures`.
    package let pictures: [Int]
    /// The number of the page, its template, and the reasons for its design.
    package let comment: String
  }

  package enum Part: Sendable {
    case page(Page)
    /// A picture that the book leaves out, by its index in `pictures`, and the reason.
    case leftOut(Int, reason: String)
  }

  /// Consecutive pages of one group, or pages outside all groups.
  package struct Section: Sendable {
    /// The name of the group; nil if the book has no groups, or for pages outside all groups.
    package let name: String?
    package var parts: [Part] = []
  }

  /// A cover, which may also belong to a book that is not designed.
  package struct Cover: Sendable {
    /// The path of the book inside.
    let book: String
    package let path: String
    package let pictures: [Picture]
    /// The options as the script gives them.
    package let options: RawArguments

    init(_ request: OutputRequest, ofBook book: String) {
      (self.book, path, pictures, options) = (book, request.name, request.pictures, request.options)
    }
  }

  package let path: String
  package let position: ScriptPosition?
  /// All pictures that the script gives to the book, including those that the book leaves out.
  package let pictures: [Picture]
  /// The options as the script gives them.
  package let options: RawArguments
  package let sections: [Section]
  package private(set) var covers: [Cover] = []
  /// The reason why a script cannot declare the pages; nil if it can.
  package let problem: String?

  private init(_ request: OutputRequest, sections: [Section], problem: String?) {
    (path, position, pictures, options) = (request.name, request.position, request.pictures, request.options)
    (self.sections, self.problem) = (sections, problem)
  }

  /// Returns the designed books among the records of a run, with their covers.
  package static func all(in records: [any Sendable]) -> [DesignRecord] {
    var designs = records.compactMap { $0 as? DesignRecord }
    for case let cover as Cover in records {
      if let index = designs.firstIndex(where: { $0.path == cover.book }) { designs[index].covers.append(cover) }
    }
    return designs
  }
}

/// Records of the pages of a design as declarations.
extension DesignRecord {
  /// - Parameters:
  ///   - candidates: all pictures of the design, including those that it leaves out.
  ///   - hasCaptions: whether an option gives captions. If so, the declaration states explicitly that a picture has
  ///     none.
  init(
    _ designed: BookDesigning.Designed, _ candidates: BookCandidates, _ request: OutputRequest, hasCaptions: Bool
  ) {
    let found = candidates.found
    var sections: [(group: Int?, section: Section)] = []
    var next = 0
    /// Adds the sections of all groups up to the given one; for nil, a section outside all groups, if it is needed.
    func open(_ group: Int?) {
      guard let group else {
        if sections.isEmpty || sections.last?.group != nil { sections.append((nil, Section(name: nil))) }
        return
      }
      while next <= group {
        sections.append((next, Section(name: request.groups[next].name)))
        next += 1
      }
    }
    var problem: String?
    for (design, text, group) in designed.complete where !design.slots.isEmpty || text != nil {
      let pictures = design.slots.map { found[$0.picture].index }
      let groups = Set(pictures.map { request.groupPlace(ofPicture: $0) })
      if groups.count > 1 {
        problem = "a plan cannot declare a page that two groups share; leave out section_page_break = false"
      }
      open(pictures.isEmpty ? group : groups.first ?? nil)
      let page = Page(
        page: DeclaredPage(design, text) { found[$0].texts.caption ?? (hasCaptions ? "" : nil) }, pictures: pictures,
        comment: design.comment(after: designed.pagesBefore))
      sections[sections.count - 1].section.parts.append(.page(page))
    }
    open(request.groups.isEmpty ? nil : request.groups.count - 1)
    for left in designed.leftOut {
      let index = found[left.picture].index
      let group = request.groupPlace(ofPicture: index)
      guard let place = sections.lastIndex(where: { $0.group == group }) else { continue }
      let reason =
        switch left.reason {
        case .skipped: "a hint skips it"
        case .resembles(let better): "resembles \(found[better].name)"
        }
      sections[place].section.insert(index, reason)
    }
    self.init(request, sections: sections.map(\.section).filter { !$0.parts.isEmpty }, problem: problem)
  }
}

extension DesignRecord.Section {
  /// Inserts a left-out picture before the first part that has only later pictures.
  fileprivate mutating func insert(_ picture: Int, _ reason: String) {
    let place = parts.firstIndex { part in
      switch part {
      case .page(let page): page.pictures.min().map { $0 > picture } ?? false
      case .leftOut(let other, _): other > picture
      }
    }
    parts.insert(.leftOut(picture, reason: reason), at: place ?? parts.endIndex)
  }
}

extension DeclaredPage {
  /// Creates the declaration that corresponds to a page of a design.
  ///
  /// - Parameter caption: returns the caption of a picture; nil for none.
  fileprivate init(_ page: DesignPage, _ text: PageText?, caption: (Int) -> String?) {
    self.init()
    title = text?.title ?? ""
    self.text = text?.text ?? ""
    textArea = page.text
    background = page.background
    isSpread = page.isSpread
    slots = page.slots.map {
      DeclaredPage.Slot(area: $0.area, crop: $0.crop, caption: caption($0.picture), text: $0.text)
    }
  }
}

extension DesignPage {
  fileprivate func comment(after before: Int) -> String {
    "\(numbers(after: before)): \(template)" + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))")
  }
}
