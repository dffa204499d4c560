import ImageCore
import PictureTraits

/// A fixed page, such as one that the script declares, with its pictures in place. The search for the best sequence of
/// pages uses it unchanged.
struct FittedPage {
  var template: String
  var isSpread = false
  var isFull = false
  /// Whether positions are relative to the left edge of the content area, which differs between left-hand and
  /// right-hand pages.
  var countsFromContent = false
  /// The places of the pictures. In them, `subject` is the index of a picture among those of the page.
  var places: [PageFitting.Place] = []
  /// The place of the page's text in the template, in the same coordinates as the pictures.
  var text: DesignRectangle?
  /// The upper and lower edges of all pictures, or of the content area on a page of text.
  var top = 0.0
  var bottom = 0.0

  var pageCount: Int { isSpread ? 2 : 1 }

  /// The reason why a script's page is impossible, as a clause.
  struct Problem: Error {
    let reason: String
  }

  /// - Parameters:
  ///   - textHeight: the height of a text above the pictures; 0 for none.
  ///   - subjects: the pictures of the page in their order.
  init(
    _ fixed: DeclaredPage, textHeight: Double, _ subjects: [DesignSubject], _ style: DesignStyle, _ paper: DesignPaper
  ) throws(Problem) {
    guard !subjects.isEmpty else {
      template = "text"
      (top, bottom) = (paper.margins.top, paper.height - paper.margins.bottom)
      return
    }
    guard fixed.slots.isEmpty else {
      template = "as declared"
      isSpread = fixed.isSpread
      places = zip(fixed.slots, subjects.indices).map { slot, index in
        let (box, subject) = (paper.area(of: slot.area, isSpread: isSpread), subjects[index])
        let found =
          slot.crop.map { ($0, 1) }
          ?? subject.attention.crop(ratio: box.width / box.height / subject.shape, keeping: subject.keep)
          ?? subject.attention.crop(ratio: box.width / box.height / subject.shape) ?? (.whole, 1)
        return PageFitting.Place(
          subject: index, rectangle: box, crop: found.0, kept: found.1,
          text: slot.text.map { paper.area(of: $0, isSpread: isSpread) })
      }
      setEdges(paper)
      return
    }
    let chosen = try Self.cheapest(fixed, textHeight: textHeight, subjects, style, paper)
    template = chosen.template.name
    (isSpread, isFull) = (chosen.template.isSpread, chosen.template.area == .page)
    countsFromContent = chosen.template.area == .content && !isSpread
    (places, text) = (chosen.fitting.places, chosen.fitting.text)
    setEdges(paper)
  }

  private mutating func setEdges(_ paper: DesignPaper) {
    top = places.map(\.rectangle.top).min() ?? 0
    bottom = places.map(\.rectangle.bottom).max() ?? 0
    isFull = isFull || top < paper.margins.top - 1 || bottom > paper.height - paper.margins.bottom + 1
  }

  /// The least height of the pictures below a text, as a share of their height without the text.
  private static let leastRoom = 0.2

  private static func cheapest(
    _ fixed: DeclaredPage, textHeight: Double, _ subjects: [DesignSubject], _ style: DesignStyle, _ paper: DesignPaper
  ) throws(Problem) -> (template: PageTemplate, fitting: PageFitting) {
    let count = subjects.count
    let pictures = count == 1 ? "1 picture" : "\(count) pictures"
    let hasText = textHeight > 0
    var candidates = fixed.arrangement?.templates(for: count) ?? style.templates.filter { $0.text == nil }
    var inside = paper.withTextAbove(textHeight)
    if let name = fixed.template {
      candidates = style.templates.filter { $0.name == name }
      guard let template = candidates.first else {
        let hint =
          Suggestion.nearest(to: name, in: style.templates.map(\.name)).map { " (did you mean '\($0)'?)" } ?? ""
        throw Problem(
          reason: "the style '\(style.name)' has no template '\(name)'\(hint); 'imghost ops templates' lists "
            + "them")
      }
      guard template.takes(count) else {
        let least = template.leastPictures
        let most = template.slots.count
        let range = least == most ? "\(most) picture\(most == 1 ? "" : "s")" : "\(least) to \(most) pictures"
        throw Problem(reason: "the template '\(name)' takes \(range), and the page has \(count)")
      }
      if template.text != nil {
        guard hasText else {
          throw Problem(
            reason: "the template '\(name)' has a place for a text; add a 'title' or a 'text', or use another one")
        }
        inside = paper
      } else if hasText, template.area == .page || template.isSpread {
        throw Problem(reason: "the template '\(name)' leaves no room for a 'title'; leave one of them out")
      }
    }
    if inside.contentHeight < paper.contentHeight * leastRoom {
      throw Problem(reason: "its text leaves no room for pictures; shorten it, or give it a page of its own")
    }
    let area = inside.contentWidth * inside.contentHeight / Double(count)
    var best: (template: PageTemplate, fitting: PageFitting)?
    /// Returns the cost of a fitting. Arrangements maximise the area of the pictures; templates minimise their cost.
    func cost(_ fitting: PageFitting) -> Double { fixed.arrangement == nil ? fitting.cost : -fitting.covered }
    for template in candidates
    where template.takes(count)
      && (template.text != nil || !(hasText && (template.area == .page || template.isSpread)))
    {
      // In a template that the script names, the pictures keep the script's order.
      let orders =
        fixed.template == nil ? PageChoices.orders(of: count, in: template) : [Array(subjects.indices)]
      for order in orders {
        guard
          let fitting = PageFitting(template, order, of: subjects, on: inside, usualArea: area),
          cost(fitting) < best.map({ cost($0.fitting) }) ?? .infinity
        else { continue }
        best = (template, fitting)
      }
    }
    if let best { return best }
    throw Problem(
      reason: fixed.template.map { "the template '\($0)' does not suit these pictures; use another, or give 'slots'" }
        ?? fixed.arrangement.map { "\(pictures) have no room on a page in layout \"\($0.rawValue)\"; divide them" }
        ?? "no template of the style '\(style.name)' suits a page of \(pictures); give it 'slots', or divide the pictures"
    )
  }
}

extension PageTemplate {
  func takes(_ count: Int) -> Bool { (leastPictures...slots.count).contains(count) }
}

extension DesignPaper {
  /// Returns the paper with less room for pictures, because of a text above them.
  func withTextAbove(_ height: Double) -> DesignPaper {
    var paper = self
    paper.margins.top += height
    return paper
  }
}
