/// The best few ways to fill a page, for each first picture and each number of consecutive pictures.
struct PageChoices {
  struct Choice {
    var template: Int
    /// The index of the subject in each slot.
    var order: [Int]
    var count: Int
    var cost: Double
    var top: Double
    var bottom: Double
    var pages: Int
    /// The number of blank pages before a spread that would otherwise begin on the wrong side.
    var blanks = 0
    var isFull: Bool
    /// The index of the fixed page that this choice represents; nil for other pages.
    var fixed: Int?
  }

  /// All choices, grouped by their first picture.
  private(set) var all: [Choice] = []
  /// The range in `all` for each first picture.
  private(set) var ranges: [Range<Int>] = []

  /// The maximum number of single pages, and of spreads, that are kept for each first picture and each number of
  /// pictures. For one picture, one more is kept.
  private static let kept = 3
  /// The maximum number of pictures for trying all their orders.
  private static let mostOrdered = 3

  /// - Parameters:
  ///   - fixed: the pages that the design must not change.
  ///   - headings: the first pictures of pages with a heading at their edge.
  ///   - openers: the heights of texts above pictures, by the first picture of their page.
  ///   - ends: for each picture, the first later one that cannot share its page.
  init(
    _ subjects: [DesignSubject], fixed: [FittedPage], headings: Set<Int>, openers: [Int: Double], ends: [Int],
    _ style: DesignStyle, _ paper: DesignPaper, usualArea: Double
  ) {
    ranges.reserveCapacity(subjects.count)
    let orders = style.templates.map { template in
      (template.leastPictures...template.slots.count).map { Self.orders(of: $0, in: template) }
    }
    for start in subjects.indices {
      let first = all.count
      if let page = subjects[start].fixed {
        all += Self.choices(of: fixed[page], page)
        ranges.append(first..<all.count)
        continue
      }
      let textHeight = openers[start] ?? 0
      let hasHeading = headings.contains(start) || textHeight > 0
      let paper = textHeight > 0 ? paper.withTextAbove(textHeight) : paper
      for count in 1...min(style.mostPictures, ends[start] - start) {
        let pictures = start..<(start + count)
        if count > 1, subjects[pictures].contains(where: \.isHero) { break }
        var best: [Choice] = []
        for (index, template) in style.templates.enumerated()
        where template.takes(count) && template.text == nil && !(hasHeading && template.area == .page)
          && !(textHeight > 0 && template.isSpread)
        {
          var own: Choice?
          for order in orders[index][count - template.leastPictures] {
            let order = order.map { start + $0 }
            guard
              let fitting = PageFitting(template, order, of: subjects, on: paper, usualArea: usualArea),
              fitting.cost < own?.cost ?? .infinity
            else { continue }
            own = Choice(
              template: index, order: order, count: count, cost: fitting.cost, top: fitting.top, bottom: fitting.bottom,
              pages: template.pageCount, isFull: template.area == .page)
          }
          if let own { best.append(own) }
        }
        // Spreads and single pages are ranked separately, because a spread can begin only on one side and counts as two
        // pages.
        for pages in 1...2 {
          let some = best.filter { $0.pages == pages }.sorted { ($0.cost, $0.template) < ($1.cost, $1.template) }
          all += some.prefix(count == 1 ? Self.kept + 1 : Self.kept)
        }
      }
      ranges.append(first..<all.count)
    }
  }

  /// Returns the orders of pictures that are tried in a template: all if there are few pictures; otherwise those in
  /// which one picture takes the most important slot and the others keep their order. All keep their order if slots may
  /// stay empty, or if there are many pictures and no slot is more important than all others.
  static func orders(of count: Int, in template: PageTemplate) -> [[Int]] {
    let plain = Array(0..<count)
    guard count > 1, template.leastPictures == template.slots.count else { return [plain] }
    if count <= mostOrdered { return permutations(plain) }
    let weights = template.slots.map(\.weight)
    guard let most = weights.max(), weights.count(where: { $0 == most }) == 1, let slot = weights.firstIndex(of: most)
    else { return [plain] }
    return plain.map { picture in
      var order = plain
      order.remove(at: picture)
      order.insert(picture, at: slot)
      return order
    }
  }

  /// Returns the choices for a fixed page. One that covers two facing pages has a second choice, with a blank page
  /// before it.
  private static func choices(of page: FittedPage, _ index: Int) -> [Choice] {
    // No template and no other fixed page has this number, so a fixed page never counts as a repetition.
    var choice = Choice(
      template: -2 - index, order: [], count: 1, cost: 0, top: page.top, bottom: page.bottom, pages: page.pageCount,
      isFull: page.isFull)
    choice.fixed = index
    guard page.isSpread else { return [choice] }
    var late = choice
    (late.pages, late.blanks, late.cost) = (3, 1, DesignCost.blankPage)
    return [choice, late]
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
      var rest = items
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }
}
