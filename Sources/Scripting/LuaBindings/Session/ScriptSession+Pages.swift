import BookComposing
import BookDesign
import ImageCore
import ImagePipeline
import LuaRuntime
import PictureTraits

/// Pages that a script declares for books.
extension ScriptSession {
  func registerPages() {
    // Returns the page's number, which identifies the page for the prelude.
    register("page") { (session, arguments, position) throws(LuaHostError) in
      guard case .table(var table)? = arguments.first, case .integer(let count)? = arguments.last else {
        throw .mistake("page takes one table: img.page{ title = \"…\", text = \"…\" }")
      }
      let slots = try SlotReader.slots(table["slots"])
      table.fields.removeAll { $0.0 == "slots" }
      let raw = table.fields.isEmpty ? RawArguments() : session.options([.table(table)])
      guard let page = session.books.page(raw, slots: slots, pictureCount: count, at: position) else {
        return [session.standIn()]
      }
      session.pages.append(page)
      return [.integer(session.pages.count - 1)]
    }
    // Sets the pages of the next book.
    register("pages_of_book") { (session, arguments, _) throws(LuaHostError) in
      func numbers(_ index: Int) -> [Int] {
        guard case .table(let table) = arguments[index] else { return [] }
        return table.array.compactMap { if case .integer(let number) = $0 { number } else { nil } }
      }
      let (pages, firsts, counts, groups) = (numbers(0), numbers(1), numbers(2), numbers(3))
      session.nextPages = pages.indices.map { index in
        var declared = session.pages[pages[index]]
        declared.page.pictures = firsts[index]..<(firsts[index] + counts[index])
        declared.page.group = groups[index] > 0 ? groups[index] - 1 : nil
        return declared
      }
      return []
    }
  }
}

/// Reads the slots of a page. Each slot is a table: `{ 0, 0, 0.5, 1, crop = { 0.1, 0, 0.9, 1 }, caption = "…" }`.
private enum SlotReader {
  private static let form = "slots = { { left, top, width, height, crop = { x, y, w, h }, caption = \"…\" }, … }"
  private static let fields = ["crop", "caption", "text"]

  static func slots(_ value: LuaValue) throws(LuaHostError) -> [DeclaredPage.Slot] {
    if case .none = value { return [] }
    guard case .table(let list) = value, list.fields.isEmpty, !list.array.isEmpty else {
      throw .mistake("page: 'slots' is a list of rectangles: \(form)")
    }
    var slots: [DeclaredPage.Slot] = []
    for (index, item) in list.array.enumerated() { slots.append(try slot(item, "slot \(index + 1)")) }
    return slots
  }

  private static func slot(_ value: LuaValue, _ name: String) throws(LuaHostError) -> DeclaredPage.Slot {
    guard case .table(let table) = value, let area = rectangle(table.array) else {
      throw .mistake("page: \(name) needs four numbers: \(form)")
    }
    var slot = DeclaredPage.Slot(area: area)
    for (field, value) in table.fields {
      switch (field, value) {
      case ("crop", .table(let part)):
        let items = part.array.isEmpty ? ["x", "y", "w", "h"].map { part[$0] } : part.array
        guard let crop = rectangle(items), part.array.isEmpty || part.fields.isEmpty else {
          throw .mistake("page: 'crop' of \(name) needs four numbers: crop = { x, y, w, h }")
        }
        slot.crop = crop
      case ("caption", .string(let text)): slot.caption = text
      case ("text", .table(let place)):
        guard let text = rectangle(place.array), place.fields.isEmpty else {
          throw .mistake("page: 'text' of \(name) needs four numbers: text = { left, top, width, height }")
        }
        slot.text = text
      case ("crop", _), ("caption", _), ("text", _):
        throw .mistake("page: '\(field)' of \(name) cannot be \(value.kindName); write \(form)")
      default:
        let hint = Suggestion.nearest(to: field, in: fields).map { " (did you mean '\($0)'?)" } ?? ""
        throw .mistake("page: \(name) has no field '\(printable(field))'\(hint); write \(form)")
      }
    }
    return slot
  }

  private static func rectangle(_ items: [LuaValue]) -> UnitRectangle? {
    let numbers = items.compactMap(\.double)
    guard numbers.count == 4, items.count == 4 else { return nil }
    return UnitRectangle(left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3])
  }
}
