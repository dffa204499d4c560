import PictureTraits

/// Designs a book: determines which pictures share a page, its template, and the visible part of each picture.
///
/// The design is a pure function of the request. Without a page target, adding pictures at the end does not change
/// earlier sections.
package struct BookDesigner {
  private let request: DesignRequest
  /// The pictures to be placed and the fixed pages, in order.
  private var subjects: [DesignSubject] = []
  /// The sections as ranges of subjects.
  private var sections: [Range<Int>] = []
  /// The fixed pages, such as those that a script declares, with their pictures in place.
  private var fitted: [FittedPage] = []
  /// The index of each section in the request, by the index in `subjects` of the section's first picture that is not on
  /// a fixed page.
  private var firsts: [Int: Int] = [:]
  private var leftOut: [LeftOutPicture] = []
  private var notes: [String] = []

  private init(_ request: DesignRequest) { self.request = request }

  /// Returns the design.
  ///
  /// - Returns: nil if a page has no room between its margins, or if some picture has no suitable page of its own.
  /// - Complexity: linear in the number of pictures, multiplied by the number of templates and of pictures on a page.
  package static func design(_ request: DesignRequest) -> BookDesign? {
    let paper = request.paper
    guard paper.contentWidth >= 20, paper.contentHeight >= 20 else { return nil }
    var designer = BookDesigner(request)
    let problems = designer.fitPages()
    if !problems.isEmpty { return BookDesign(pages: [], leftOut: [], notes: [], problems: problems) }
    designer.choosePictures()
    return designer.design()
  }

  // MARK: - Pictures

  /// Places the pictures of fixed pages, and returns the problems of these pages.
  private mutating func fitPages() -> [FixedPageProblem] {
    let even = AttentionProfile(.even)
    var problems: [FixedPageProblem] = []
    for (index, page) in request.fixed.enumerated() {
      let subjects = page.pictures.map { DesignSubject($0, request.pictures[$0], request.hint(of: $0), even) }
      do throws(FittedPage.Problem) {
        let textHeight = request.textHeights.isEmpty ? 0 : request.textHeights[index]
        fitted.append(try FittedPage(page, textHeight: textHeight, subjects, request.style, request.paper))
      } catch {
        problems.append(FixedPageProblem(page: index, reason: error.reason))
      }
    }
    return problems
  }

  private mutating func choosePictures() {
    let all = request.sections.isEmpty ? [request.pictures.indices] : request.sections
    let even = AttentionProfile(.even)
    var skippedHeroes = 0
    var nextFixed = 0
    /// Adds the fixed pages that begin at a picture or before it, and returns whether the picture is on one of them.
    func addFixed(before picture: Int) -> Bool {
      while nextFixed < request.fixed.count, request.fixed[nextFixed].pictures.lowerBound <= picture {
        subjects.append(DesignSubject(fixed: nextFixed, even))
        nextFixed += 1
      }
      return nextFixed > 0 && request.fixed[nextFixed - 1].pictures.contains(picture)
    }
    for (place, section) in all.enumerated() {
      let first = subjects.count
      let resembling = duplicates(in: section)
      var startsPage = false
      var hasFirst = false
      for picture in section {
        if addFixed(before: picture) { continue }
        var hint = request.hint(of: picture)
        if hint.skip {
          leftOut.append(LeftOutPicture(picture: picture, reason: .skipped))
          if hint.hero { skippedHeroes += 1 }
          // If a picture that begins a page is skipped, the page begins with the next picture.
          startsPage = startsPage || hint.startsPage
          continue
        }
        if let better = resembling[picture] {
          leftOut.append(LeftOutPicture(picture: picture, reason: .resembles(better)))
          continue
        }
        hint.startsPage = hint.startsPage || startsPage
        startsPage = false
        if !hasFirst { firsts[subjects.count] = place }
        hasFirst = true
        subjects.append(DesignSubject(picture, request.pictures[picture], hint, even))
      }
      // Fixed pages after the last picture belong to that picture's section.
      if place == all.count - 1 { _ = addFixed(before: section.upperBound) }
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

  /// Returns, for each picture that is left out as a duplicate, the picture that represents it.
  private func duplicates(in section: Range<Int>) -> [Int: Int] {
    guard request.leavesOutDuplicates else { return [:] }
    let candidates = section.filter { picture in
      !request.hint(of: picture).skip && !request.fixed.contains { $0.pictures.contains(picture) }
    }
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

  /// For each subject, the index of the first later subject that cannot share its page.
  private var ends: [Int] {
    var ends = [Int](repeating: subjects.count, count: subjects.count)
    for section in sections {
      var end = section.upperBound
      for place in section.reversed() {
        ends[place] = end
        if subjects[place].startsPage || subjects[place].fixed != nil { end = place }
      }
    }
    return ends
  }

  private mutating func design() -> BookDesign? {
    let style = request.style
    let paper = request.paper
    let target = request.pageCount
    let fixedPages = fitted.reduce(0) { $0 + $1.pageCount }
    let free = subjects.count { $0.fixed == nil }
    let perPage =
      target.map { max(1, Double(free)) / Double(max(1, $0 - fixedPages)) } ?? style.picturesPerPage
    let usualArea = paper.contentWidth * paper.contentHeight / max(1, perPage)
    let openers = request.openers.isEmpty ? [:] : firsts.mapValues { request.openers[$0] }.filter { $0.value > 0 }
    let choices = PageChoices(
      subjects, fixed: fitted, headings: paper.sectionsHaveHeadings ? Set(firsts.keys) : [], openers: openers,
      ends: ends, style, paper, usualArea: usualArea)
    // Every picture fits on a page of its own, unless the text above it leaves no room or no template suits it.
    guard
      choices.ranges.allSatisfy({ range in
        choices.all[range].contains { $0.count == 1 && ($0.pages == 1 || $0.fixed != nil) }
      })
    else { return nil }
    let sequence = PageSequence(subjects, choices, sections: sections, paper: paper)
    let found = target.map { sequence.cheapest(pages: $0) } ?? sequence.cheapest()
    if let target, found.pages != target { notes.append(note(target, found.pages, pictures: free)) }
    var pages: [DesignPage] = []
    var places: [PageFitting.Place] = []
    var place = 0
    for index in found.choices {
      let choice = choices.all[index]
      if let fixed = choice.fixed {
        if choice.blanks > 0 {
          notes.append(
            "page \(paper.pagesBefore + place + 1) is blank, because the spread after it would begin on the wrong side; "
              + "add a page before it, or remove one")
          pages.append(DesignPage(template: "blank", place: place))
        }
        pages.append(page(fixed: fixed, place: place + choice.blanks))
        places += fitted[fixed].places
      } else {
        let first = choice.order.min() ?? 0
        let fitting = fitting(choice, textHeight: openers[first] ?? 0, usualArea: usualArea)
        var page = page(choice, fitting, place: place)
        if openers[first] != nil {
          page.opens = firsts[first]
          page.reasons.insert("opens a chapter", at: 0)
        }
        pages.append(page)
        places += fitting.places
      }
      place += choice.pages
    }
    var design = BookDesign(pages: pages, leftOut: leftOut.sorted { $0.picture < $1.picture }, notes: notes)
    design.figures = DesignFigures(places, onPages: design.pageCount, of: paper)
    return design
  }

  private func fitting(_ choice: PageChoices.Choice, textHeight: Double, usualArea: Double) -> PageFitting {
    let template = request.style.templates[choice.template]
    let paper = request.paper.withTextAbove(textHeight)
    guard let fitting = PageFitting(template, choice.order, of: subjects, on: paper, usualArea: usualArea) else {
      preconditionFailure("a page that fitted does not fit again")
    }
    return fitting
  }

  private func note(_ target: Int, _ pages: Int, pictures: Int) -> String {
    // In the note, both numbers include the pages outside the design, as in the script.
    let (target, pages) = (target + request.otherPages, pages + request.otherPages)
    let what = "\(pictures) picture\(pictures == 1 ? "" : "s") in this style"
    let count = "\(pages) page\(pages == 1 ? "" : "s")"
    let (s, are) = (pictures == 1 ? "s" : "", pages == 1 ? "is one" : "are \(pages)")
    return pages < target
      ? "'pages' is \(target), but \(what) fill\(s) \(count) at most; there \(are)"
      : "'pages' is \(target), but \(what) need\(s) at least \(count); there \(are)"
  }

  private func page(fixed index: Int, place: Int) -> DesignPage {
    let (page, declared) = (fitted[index], request.fixed[index])
    let shift = page.countsFromContent ? request.paper.leftMargin(of: place) : 0
    var made = DesignPage(
      template: page.template, place: place, isSpread: page.isSpread,
      slots: page.places.map {
        slot($0, of: declared.pictures.lowerBound + $0.subject, shift: shift, isSpread: page.isSpread)
      },
      reasons: [page.places.isEmpty ? "a page of text" : "the script declares it"])
    // Declared places are copied, so that rounding does not change them.
    for (slot, declared) in zip(made.slots.indices, declared.slots) { made.slots[slot].area = declared.area }
    made.fixed = index
    made.text = page.text.map { share(of: $0, shift: shift, isSpread: page.isSpread) }
    return made
  }

  private func page(_ choice: PageChoices.Choice, _ fitting: PageFitting, place: Int) -> DesignPage {
    let template = request.style.templates[choice.template]
    let shift = template.area == .content && !template.isSpread ? request.paper.leftMargin(of: place) : 0
    return DesignPage(
      template: template.name, place: place, isSpread: template.isSpread,
      slots: fitting.places.map {
        slot($0, of: subjects[$0.subject].picture, shift: shift, isSpread: template.isSpread)
      },
      reasons: reasons(fitting, template))
  }

  /// Returns a picture in its place.
  ///
  /// - Parameter shift: the distance in points from the page's left edge to the origin of the place's coordinates.
  private func slot(_ place: PageFitting.Place, of picture: Int, shift: Double, isSpread: Bool) -> DesignSlot {
    DesignSlot(
      picture: picture, area: share(of: place.rectangle, shift: shift, isSpread: isSpread), crop: place.crop,
      kept: place.kept, text: place.text.map { share(of: $0, shift: shift, isSpread: isSpread) })
  }

  private func share(of area: DesignRectangle, shift: Double, isSpread: Bool) -> UnitRectangle {
    var area = area
    area.left += shift
    return request.paper.share(of: area, isSpread: isSpread)
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
  /// Whether a script's hint only makes sense for a picture in the book.
  var asksForPlace: Bool { hero || keep != nil || caption != nil || startsPage }
}
