import BookDesign
import ImageCore
import ImagePipeline
import PictureTraits

/// Pages that a script declares.
extension BookRequests {
  /// The overlap or overhang of slots that rounding may cause, as a share of the page.
  private static let tolerance = 1e-4

  /// A declared page and its place in the script.
  package typealias Page = (page: DeclaredPage, position: ScriptPosition?)

  /// Returns a declared page; nil if it has mistakes, which are collected.
  ///
  /// - Parameters:
  ///   - slots: the places of the page's pictures; empty for none.
  ///   - pictureCount: the number of the page's pictures.
  package func page(
    _ raw: RawArguments, slots: [DeclaredPage.Slot], pictureCount: Int, at position: ScriptPosition?
  ) -> Page? {
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(raw, parameters: PageParameters.all, positionalCount: 0)
    } catch {
      graph.report(error, of: "page", position)
      return nil
    }
    var page = DeclaredPage()
    page.title = arguments.optionalText("title") ?? ""
    page.text = arguments.optionalText("text") ?? ""
    page.background = arguments.optionalColour("background")
    if case .text? = arguments["background"] { page.isTinted = true }
    page.template = arguments.optionalText("template")
    page.arrangement = arguments.optionalText("layout").flatMap(PageArrangement.init)
    page.textArea = arguments.optionalNumbers("text_area").map {
      UnitRectangle(left: $0[0], top: $0[1], width: $0[2], height: $0[3])
    }
    page.isSpread = arguments.boolean("spread")
    page.slots = slots
    let problems = Self.problems(with: page, pictureCount: pictureCount)
    for problem in problems { graph.report("page", problem, position) }
    graph.recordedByteCount += Self.pageByteCount + Self.slotByteCount * slots.count + raw.recordedByteCount
    return problems.isEmpty ? (page, position) : nil
  }

  private static func problems(with page: DeclaredPage, pictureCount: Int) -> [String] {
    func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    var problems: [String] = []
    let isBlank = (page.title + page.text).allSatisfy(\.isWhitespace)
    if pictureCount == 0 {
      if isBlank { problems.append("the page is empty; give it pictures, a title or a text") }
      if page.template != nil { problems.append("'template' needs pictures: img.page{ template = \"…\", photo }") }
      if page.arrangement != nil { problems.append("'layout' needs pictures: img.page{ layout = \"grid\", photos }") }
      if page.textArea != nil {
        problems.append("'text_area' needs pictures; a text without them has the page to itself")
      }
      if page.isSpread { problems.append("'spread' needs pictures: img.page{ spread = true, photo, slots = { … } }") }
      if page.isTinted {
        problems.append("'background' is '\(PageParameters.tint)', and the page has none; give a colour")
      }
      if !page.slots.isEmpty { problems.append("'slots' needs pictures: img.page{ photo, slots = { … } }") }
      return problems
    }
    let ways = [
      page.template == nil ? nil : "'template'", page.arrangement == nil ? nil : "'layout'",
      page.slots.isEmpty ? nil : "'slots'",
    ].compactMap(\.self)
    if ways.count > 1 {
      problems.append("\(ways[0]) and \(ways[1]) both place the pictures; leave one of them out")
    }
    if let area = page.textArea {
      if isBlank { problems.append("'text_area' is the place of a 'title' or 'text'; add one") }
      if page.slots.isEmpty {
        problems.append("'text_area' belongs to 'slots'; a template says itself where texts stand")
      }
      problems += [problem(with: area, "'text_area'", of: "page")].compactMap(\.self)
    }
    if page.slots.isEmpty {
      if page.isSpread {
        problems.append("'spread' belongs to 'slots'; a template says itself how many pages it covers")
      }
    } else if page.slots.count != pictureCount {
      problems.append(
        "the page has \(counted(pictureCount, "picture")) for \(counted(page.slots.count, "slot")); "
          + "give each picture one slot")
    }
    if page.isSpread, page.hasText {
      let text = page.title.isEmpty ? "text" : "title"
      problems.append("two facing pages with one picture over both have no place for a '\(text)'; leave it out")
    }
    problems += Self.problems(withSlots: page.slots)
    if problems.isEmpty, let area = page.textArea,
      let slot = page.slots.firstIndex(where: { $0.area.overlaps(area, tolerance: tolerance) })
    {
      problems.append("'text_area' overlaps slot \(slot + 1); move one of them")
    }
    return problems
  }

  private static func problems(withSlots slots: [DeclaredPage.Slot]) -> [String] {
    var problems: [String] = []
    for (index, slot) in slots.enumerated() {
      problems += problem(with: slot.area, "slot \(index + 1)", of: "page").map { [$0] } ?? []
      problems += slot.text.flatMap { problem(with: $0, "'text' of slot \(index + 1)", of: "page") }.map { [$0] } ?? []
      problems +=
        slot.crop.flatMap { problem(with: $0, "'crop' of slot \(index + 1)", of: "picture") }.map { [$0] } ?? []
    }
    guard problems.isEmpty else { return problems }
    for (index, slot) in slots.enumerated() {
      for later in slots.indices.dropFirst(index + 1) where slot.area.overlaps(slots[later].area, tolerance: tolerance)
      {
        problems.append("slots \(index + 1) and \(later + 1) overlap; move one of them")
      }
    }
    return problems
  }

  private static func problem(with part: UnitRectangle, _ name: String, of whole: String) -> String? {
    let numbers = [part.left, part.top, part.width, part.height]
    let shown = "{ \(numbers.map { ParameterValue.text($0) }.joined(separator: ", ")) }"
    guard numbers.allSatisfy(\.isFinite) else { return "\(name), \(shown), has a number that is not finite" }
    guard part.width > 0, part.height > 0 else {
      return "\(name), \(shown), is empty; width and height are shares of the \(whole) above 0"
    }
    guard UnitRectangle.whole.contains(part, tolerance: tolerance) else {
      return "\(name), \(shown), reaches outside the \(whole); all are shares of its width and height, from 0 to 1"
    }
    return nil
  }
}
