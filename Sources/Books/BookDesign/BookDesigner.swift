import PictureTraits

/// Designs a book: decides which pictures share a page, by which template, and what is shown of each.
///
/// A pure function of the request; the same request gives the same design. Without a page target, pictures that are added at
/// the end change nothing in sections before.
public struct BookDesigner {
  private let request: DesignRequest
  /// The pictures that get a place.
  private var subjects: [DesignSubject] = []
  /// The sections as ranges of subjects.
  private var sections: [Range<Int>] = []
  private var leftOut: [LeftOutPicture] = []
  private var notes: [String] = []

  private init(_ request: DesignRequest) { self.request = request }

  /// Returns the design.
  ///
  /// - Returns: nil if a page has no room between its margins.
  /// - Complexity: linear in the number of pictures, times that of templates and of pictures on a page.
  public static func design(_ request: DesignRequest) -> BookDesign? {
    let paper = request.paper
    guard paper.contentWidth >= 20, paper.contentHeight >= 20 else { return nil }
    var designer = BookDesigner(request)
    designer.choosePictures()
    return designer.design()
  }

  // MARK: - Pictures

  private mutating func choosePictures() {
    let all = request.sections.isEmpty ? [request.pictures.indices] : request.sections
    let even = AttentionProfile(.even)
    var skippedHeroes = 0
    for section in all {
      let first = subjects.count
      let resembling = duplicates(in: section)
      var startsPage = false
      for picture in section {
        var hint = request.hint(of: picture)
        if hint.skip {
          leftOut.append(LeftOutPicture(picture: picture, reason: .skipped))
          if hint.hero { skippedHeroes += 1 }
          // The page begins with the next picture then.
          startsPage = startsPage || hint.startsPage
          continue
        }
        if let better = resembling[picture] {
          leftOut.append(LeftOutPicture(picture: picture, reason: .resembles(better)))
          continue
        }
        hint.startsPage = hint.startsPage || startsPage
        startsPage = false
        subjects.append(DesignSubject(picture, request.pictures[picture], hint, even))
      }
      guard subjects.count > first else { continue }
      sections.append(first..<subjects.count)
      DesignSubject.rank(&subjects, in: first..<subjects.count)
    }
    if skippedHeroes > 0 {
      notes.append(
        skippedHeroes == 1
          ? "a hint calls a picture a hero and skips it; it is left out"
          : "hints call \(skippedHeroes) pictures heroes and skip them; they are left out")
    }
  }

  /// Returns the picture that stays in place of each one that is left out.
  private func duplicates(in section: Range<Int>) -> [Int: Int] {
    guard request.leavesOutDuplicates else { return [:] }
    let candidates = section.filter { !request.hint(of: $0).skip }
    var found: [Int: Int] = [:]
    for group in DuplicateGroups(candidates, request.pictures).groups {
      func score(_ picture: Int) -> Double {
        request.hint(of: picture).score ?? request.pictures[picture].traits?.score ?? 0
      }
      var best = group[0]
      for picture in group where score(picture) > score(best) { best = picture }
      let kept = group.filter { request.hint(of: $0).asksForPlace }
      if let first = kept.first { best = first }
      for picture in group where picture != best && !kept.contains(picture) { found[picture] = best }
    }
    return found
  }

  // MARK: - Pages

  /// The end of the run of pictures that each one is in: no page reaches over it.
  private var ends: [Int] {
    var ends = [Int](repeating: subjects.count, count: subjects.count)
    for section in sections {
      var end = section.upperBound
      for place in section.reversed() {
        ends[place] = end
        if subjects[place].startsPage { end = place }
      }
    }
    return ends
  }

  private mutating func design() -> BookDesign? {
    let style = request.style
    let paper = request.paper
    let target = request.pageCount
    let perPage = target.map { Double(subjects.count) / Double(max(1, $0)) } ?? style.picturesPerPage
    let usualArea = paper.contentWidth * paper.contentHeight / max(1, perPage)
    let choices = PageChoices(subjects, sections: sections, ends: ends, style, paper, usualArea: usualArea)
    // Every picture fits on a page of its own.
    guard choices.ranges.allSatisfy({ range in choices.all[range].contains { $0.count == 1 && $0.pages == 1 } })
    else { return nil }
    let sequence = PageSequence(subjects, choices, sections: sections, paper: paper)
    let found = target.map { sequence.cheapest(pages: $0) } ?? sequence.cheapest()
    if let target, found.pages != target { notes.append(Self.note(target, found.pages, pictures: subjects.count)) }
    var pages: [DesignPage] = []
    var place = 0
    for index in found.choices {
      let choice = choices.all[index]
      pages.append(page(choice, place: place, usualArea: usualArea))
      place += choice.pages
    }
    return BookDesign(pages: pages, leftOut: leftOut.sorted { $0.picture < $1.picture }, notes: notes)
  }

  private static func note(_ target: Int, _ pages: Int, pictures: Int) -> String {
    let what = "\(pictures) picture\(pictures == 1 ? "" : "s") in this style"
    let count = "\(pages) page\(pages == 1 ? "" : "s")"
    return pages < target
      ? "'pages' is \(target), but \(what) fill \(count) at most; there are \(pages)"
      : "'pages' is \(target), but \(what) need at least \(count); there are \(pages)"
  }

  private func page(_ choice: PageChoices.Choice, place: Int, usualArea: Double) -> DesignPage {
    let template = request.style.templates[choice.template]
    let paper = request.paper
    guard let fitting = PageFitting(template, choice.order, of: subjects, on: paper, usualArea: usualArea) else {
      preconditionFailure("a page that fitted does not fit again")
    }
    let shift = template.area == .content && !template.isSpread ? paper.leftMargin(of: place) : 0
    let slots = fitting.places.map { found in
      var rectangle = found.rectangle
      rectangle.left += shift
      var text = found.text
      text?.left += shift
      return DesignSlot(
        picture: subjects[found.subject].picture, rectangle: rectangle, crop: found.crop, kept: found.kept, text: text)
    }
    return DesignPage(
      template: template.name, place: place, isSpread: template.isSpread, isFull: template.area == .page, slots: slots,
      reasons: reasons(fitting, template))
  }

  private func reasons(_ fitting: PageFitting, _ template: PageTemplate) -> [String] {
    var reasons: [String] = []
    let first = fitting.places.map(\.subject).min() ?? 0
    if sections.count > 1, sections.contains(where: { $0.lowerBound == first }) { reasons.append("begins a section") }
    if subjects[first].startsPage { reasons.append("a hint begins a page") }
    if fitting.places.contains(where: { subjects[$0.subject].isHero }) { reasons.append("a hint calls it a hero") }
    let places = fitting.places
    if places.count > 1, let large = places.indices.max(by: { places[$0].rectangle.area < places[$1].rectangle.area }),
      let best = places.indices.max(by: { subjects[places[$0].subject].score < subjects[places[$1].subject].score }),
      large == best, subjects[places[large].subject].hasScore,
      places.indices.allSatisfy({ $0 == large || places[$0].rectangle.area < places[large].rectangle.area * 0.8 })
    {
      reasons.append("the best picture is the largest")
    }
    let cut = places.filter { $0.crop != .whole }
    if cut.isEmpty {
      reasons.append("nothing cut off")
    } else {
      let least = cut.map(\.kept).min() ?? 1
      reasons.append("crops keep \(Int((least * 100).rounded(.down)))% of the attention or more")
    }
    return reasons
  }
}

extension DesignHint {
  /// Whether a script says something about the picture that supposes it in the book.
  var asksForPlace: Bool { hero || keep != nil || caption != nil || startsPage }
}
