import ImageCore
import PictureTraits

/// Reads styles from `TemplateValue`s, and collects the mistakes in them.
struct TemplateReader {
  /// The file's name in messages.
  let file: String
  private(set) var problems: [TemplateProblem] = []
  /// The template that is being read, for messages.
  private var template: String?

  init(file: String) { self.file = file }

  private static let styleFields = [
    "summary", "margin", "gap", "pictures", "type", "baseline", "look", "templates",
  ]
  private static let marginFields = ["top", "bottom", "inner", "outer"]
  private static let typeFields = ["title", "heading", "caption", "text"]
  private static let templateFields = [
    "name", "slots", "area", "spread", "flex", "align", "hero", "cost", "least", "text",
  ]
  private static let slotFields = ["shape", "weight", "crop", "text"]

  /// Reads a style.
  ///
  /// - Parameter base: the style that the file extends; its values are kept unless the file replaces them.
  mutating func style(_ value: TemplateValue, _ base: DesignStyle) -> DesignStyle {
    var style = base
    guard let table = table(value, named: "a file of templates", Self.styleFields) else { return style }
    if !table.items.isEmpty {
      problem("expected named fields such as templates = { … }, but there are values without names")
    }
    style.summary = text(table["summary"], "summary") ?? style.summary
    if let value = table["margin"], let margin = self.table(value, named: "'margin'", Self.marginFields) {
      func share(_ name: String, _ base: Double) -> Double { number(margin[name], name, 0...0.4) ?? base }
      style.margins = DesignStyle.Margins(
        top: share("top", style.margins.top), bottom: share("bottom", style.margins.bottom),
        inner: share("inner", style.margins.inner), outer: share("outer", style.margins.outer))
    }
    style.gap = number(table["gap"], "gap", 0...0.2) ?? style.gap
    style.picturesPerPage = number(table["pictures"], "pictures", 1...100) ?? style.picturesPerPage
    readType(table, &style.type)
    readLook(table["look"], &style.look)
    var own: [PageTemplate] = []
    if let value = table["templates"] {
      guard case .table(let list) = value, list.fields.isEmpty, !list.items.isEmpty else {
        problem("'templates' must be a list of templates: { { name = \"one\", slots = { { 0, 0, 1, 1 } } } }")
        return style
      }
      for (index, item) in list.items.enumerated() {
        guard let read = readTemplate(item, index) else { continue }
        if own.contains(where: { $0.name == read.name }) { problem("two templates have the name '\(read.name)'") }
        own.append(read)
      }
    }
    let names = Set(own.map(\.name))
    style.templates = own + style.templates.filter { !names.contains($0.name) }
    if problems.isEmpty,
      !style.templates.contains(where: { $0.slots.count == 1 && $0.area == .content && !$0.isSpread })
    {
      problem(
        "no template takes a single picture inside the margins; add { name = \"one\", slots = { { 0, 0, 1, 1 } } }")
    }
    return style
  }

  private mutating func readType(_ style: TemplateTable, _ type: inout TypeScale) {
    type.baseline = number(style["baseline"], "baseline", 2...200) ?? type.baseline
    guard let value = style["type"], let table = table(value, named: "'type'", Self.typeFields) else { return }
    type.title = number(table["title"], "title", 4...400) ?? type.title
    type.heading = number(table["heading"], "heading", 4...400) ?? type.heading
    type.caption = number(table["caption"], "caption", 4...400) ?? type.caption
    type.text = number(table["text"], "text", 4...400) ?? type.text
  }

  // MARK: - Templates

  private mutating func readTemplate(_ value: TemplateValue, _ index: Int) -> PageTemplate? {
    template = "template \(index + 1)"
    defer { template = nil }
    let before = problems.count
    guard let table = table(value, named: "a template", Self.templateFields) else { return nil }
    let name = text(table["name"], "name")
    if let name, !name.isEmpty { template = "template '\(name)'" } else { problem("it has no name; add name = \"…\"") }
    if !table.items.isEmpty { problem("values without names; the slots go into slots = { … }") }
    let slots = readSlots(table["slots"])
    let flexes = boolean(table["flex"], "flex") ?? true
    let least = number(table["least"], "least", 1...1_000).map { Int($0) }
    if let least, flexes { problem("'least' is \(least), but slots that flex cannot stay empty; add flex = false") }
    if let least, least > slots.count { problem("'least' is \(least), but there are \(slots.count) slots") }
    let isSpread = boolean(table["spread"], "spread") ?? false
    var made = PageTemplate(
      name: name ?? "", slots: slots, area: choice(table["area"], "area") ?? .content, isSpread: isSpread,
      flexes: flexes, alignment: choice(table["align"], "align") ?? .centre,
      isForHeroes: boolean(table["hero"], "hero") ?? false, cost: number(table["cost"], "cost", -10...10) ?? 0,
      leastPictures: least)
    if let value = table["text"] { made.text = readText(value, slots, isSpread: isSpread) }
    return problems.count == before ? made : nil
  }

  private mutating func readText(_ value: TemplateValue, _ slots: [TemplateSlot], isSpread: Bool) -> UnitRectangle? {
    guard let table = self.table(value, named: "'text'", []), let place = rectangle(table, "'text'") else { return nil }
    if isSpread { problem("'text' needs a page of its own; leave out spread = true") }
    if let other = slots.firstIndex(where: { $0.rectangle.overlaps(place, tolerance: 1e-6) }) {
      problem("'text' overlaps slot \(other + 1)")
    }
    return place
  }

  private mutating func readSlots(_ value: TemplateValue?) -> [TemplateSlot] {
    guard case .table(let list)? = value, list.fields.isEmpty, (1...64).contains(list.items.count) else {
      problem("'slots' must be a list of 1 to 64 slots { left, top, width, height } in shares of the area")
      return [TemplateSlot(.whole)]
    }
    var slots: [TemplateSlot] = []
    for (index, item) in list.items.enumerated() {
      guard let slot = readSlot(item, "slot \(index + 1)") else { continue }
      if let other = slots.firstIndex(where: { $0.rectangle.overlaps(slot.rectangle, tolerance: 1e-6) }) {
        problem("slot \(index + 1) overlaps slot \(other + 1)")
      }
      slots.append(slot)
    }
    for (index, text) in slots.enumerated().compactMap({ index, slot in slot.text.map { (index, $0) } }) {
      if let other = slots.firstIndex(where: { $0.rectangle.overlaps(text, tolerance: 1e-6) }) {
        problem("the text of slot \(index + 1) overlaps slot \(other + 1)")
      }
    }
    return slots.isEmpty ? [TemplateSlot(.whole)] : slots
  }

  private mutating func readSlot(_ value: TemplateValue, _ name: String) -> TemplateSlot? {
    guard let table = table(value, named: name, Self.slotFields), let rectangle = rectangle(table, name) else {
      return nil
    }
    var slot = TemplateSlot(rectangle)
    slot.weight = number(table["weight"], "weight", 0.1...10) ?? 1
    slot.crop = number(table["crop"], "crop", 0...0.9) ?? slot.crop
    if let value = table["shape"] { slot.shape = range(value, "shape") ?? slot.shape }
    if let value = table["text"], let text = self.table(value, named: "the text of \(name)", []) {
      slot.text = self.rectangle(text, "the text of \(name)")
    }
    return slot
  }

  /// Returns the rectangle given by the four values of a table; if they are invalid, reports a problem and returns nil.
  private mutating func rectangle(_ table: TemplateTable, _ name: String) -> UnitRectangle? {
    let numbers = table.items.compactMap { item in
      if case .number(let number) = item, number.isFinite { number } else { nil }
    }
    guard table.items.count == 4, numbers.count == 4 else {
      problem("\(name) needs four numbers: { left, top, width, height }")
      return nil
    }
    let rectangle = UnitRectangle(left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3])
    guard rectangle.width >= 0.02, rectangle.height >= 0.02 else {
      problem("\(name) is too small; its width and height must be at least 0.02 of the area")
      return nil
    }
    guard UnitRectangle.whole.contains(rectangle, tolerance: 1e-6) else {
      problem("\(name) reaches outside of the area, whose width and height are 1")
      return nil
    }
    return rectangle
  }

  // MARK: - Values

  mutating func problem(_ reason: String) {
    problems.append(TemplateProblem(file: file, template: template, reason: reason))
  }

  /// Returns a value as a table, and reports unknown fields. If the value is not a table, reports a problem and returns
  /// nil.
  mutating func table(_ value: TemplateValue, named name: String, _ fields: [String]) -> TemplateTable? {
    guard case .table(let table) = value else {
      problem("\(name) is \(value.typeName); expected a table")
      return nil
    }
    for field in table.fields where !fields.contains(field.name) {
      let hint = Suggestion.nearest(to: field.name, in: fields).map { " (did you mean '\($0)'?)" }
      problem("\(name) has no field '\(field.name)'" + (hint ?? "; it has \(fields.joined(separator: ", "))"))
    }
    return table
  }

  private mutating func text(_ value: TemplateValue?, _ name: String) -> String? {
    guard let value else { return nil }
    if case .text(let text) = value { return text }
    problem("'\(name)' is \(value.typeName); expected a text")
    return nil
  }

  private mutating func boolean(_ value: TemplateValue?, _ name: String) -> Bool? {
    guard let value else { return nil }
    if case .boolean(let flag) = value { return flag }
    problem("'\(name)' is \(value.typeName); expected true or false")
    return nil
  }

  mutating func number(_ value: TemplateValue?, _ name: String, _ range: ClosedRange<Double>) -> Double? {
    guard let value else { return nil }
    guard case .number(let number) = value, range.contains(number) else {
      problem(
        "'\(name)' must be a number from \(ParameterValue.text(range.lowerBound)) to "
          + ParameterValue.text(range.upperBound))
      return nil
    }
    return number
  }

  private mutating func range(_ value: TemplateValue, _ name: String) -> ClosedRange<Double>? {
    if case .table(let table) = value, table.items.count == 2, case .number(let least) = table.items[0],
      case .number(let most) = table.items[1], least > 0, least <= most, most <= 100
    {
      return least...most
    }
    problem("'\(name)' must be two numbers, the least and the largest width divided by height: { 0.7, 1.5 }")
    return nil
  }

  private mutating func choice<Choice: RawRepresentable & CaseIterable>(_ value: TemplateValue?, _ name: String)
    -> Choice? where Choice.RawValue == String
  {
    guard let value else { return nil }
    let names = Choice.allCases.map(\.rawValue)
    if case .text(let text) = value {
      if let choice = Choice(rawValue: text) { return choice }
      let hint = Suggestion.nearest(to: text, in: names).map { " (did you mean '\($0)'?)" } ?? ""
      problem("'\(name)' is '\(text)'\(hint); expected \(names.joined(separator: ", "))")
    } else {
      problem("'\(name)' is \(value.typeName); expected \(names.joined(separator: ", "))")
    }
    return nil
  }
}

extension DesignStyle {
  /// Reads a style, or a user's file that extends one.
  ///
  /// - Parameters:
  ///   - value: the value that the file returns.
  ///   - file: the file's name in messages.
  ///   - base: the style to be extended. Templates with the same name are replaced.
  package init(_ value: TemplateValue, file: String, addingTo base: DesignStyle) throws(TemplateProblems) {
    var reader = TemplateReader(file: file)
    self = reader.style(value, base)
    guard reader.problems.isEmpty else { throw TemplateProblems(all: reader.problems) }
  }
}

// MARK: - Look

/// Reads the look of a style: borders, corners, shadows and background.
extension TemplateReader {
  private static let lookFields = ["corners", "border", "border_colour", "shadow", "shadow_colour", "background"]
  /// The word that selects a background from the colours of pictures.
  private static let pictures = "pictures"

  mutating func readLook(_ value: TemplateValue?, _ look: inout DesignLook) {
    guard let value, let table = table(value, named: "'look'", Self.lookFields) else { return }
    look.corners = number(table["corners"], "corners", 0...0.5) ?? look.corners
    look.border = number(table["border"], "border", 0...0.1) ?? look.border
    look.borderColour = colour(table["border_colour"], "border_colour") ?? look.borderColour
    look.shadowColour = colour(table["shadow_colour"], "shadow_colour") ?? look.shadowColour
    if let value = table["shadow"] { look.shadow = shadow(value) ?? look.shadow }
    switch table["background"] {
    case nil: break
    case .text(Self.pictures): look.background = .pictures
    case let value:
      if let colour = colour(value, "background", or: Self.pictures) { look.background = .colour(colour) }
    }
  }

  private mutating func shadow(_ value: TemplateValue) -> [Double]? {
    if case .table(let table) = value, table.fields.isEmpty, table.items.count == 2 {
      let numbers = table.items.compactMap { item in
        if case .number(let number) = item, (0...0.1).contains(number) { number } else { nil }
      }
      if numbers.count == 2 { return numbers }
    }
    problem("'shadow' must be two numbers from 0 to 0.1: how far it falls below the picture, and its blur")
    return nil
  }

  private mutating func colour(_ value: TemplateValue?, _ name: String, or word: String? = nil) -> Colour? {
    guard let value else { return nil }
    if case .text(let text) = value, let colour = Colour(.text(text)) { return colour }
    let given = if case .text(let text) = value { "'\(text)'" } else { value.typeName }
    problem("'\(name)' is \(given); expected a colour such as '#f4f1ea'" + (word.map { ", or '\($0)'" } ?? ""))
    return nil
  }
}

/// A mistake in a file of templates.
package struct TemplateProblem: Sendable, Hashable, CustomStringConvertible {
  /// The file's name.
  package let file: String
  /// The template's name or position; nil for the file as a whole.
  package let template: String?
  package let reason: String

  package var description: String { file + ": " + (template.map { "\($0): " } ?? "") + reason }
}

/// All mistakes of a file of templates.
package struct TemplateProblems: Error, Sendable, Hashable {
  package let all: [TemplateProblem]
}

/// The reason, as a clause, why a template file cannot be read, with the line of the mistake if it is known.
package struct TemplateFileProblem: Error, Sendable, Hashable {
  package let line: Int?
  package let reason: String

  package init(line: Int?, reason: String) {
    self.line = line
    self.reason = reason
  }
}

/// A value of a template file as plain data, usually a copy of a Lua table.
package indirect enum TemplateValue: Sendable, Hashable {
  case number(Double)
  case text(String)
  case boolean(Bool)
  case table(TemplateTable)
  /// A value of a type that templates cannot contain. The text is the type's name in messages, such as "function".
  case other(String)

  /// The name of the value's type in messages.
  var typeName: String {
    switch self {
    case .number: "a number"
    case .text: "a text"
    case .boolean: "a boolean"
    case .table: "a table"
    case .other(let name): "a \(name)"
    }
  }
}

/// A table of a template file.
package struct TemplateTable: Sendable, Hashable {
  /// A value with its name.
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: TemplateValue

    package init(_ name: String, _ value: TemplateValue) {
      self.name = name
      self.value = value
    }
  }

  /// The values with the indices 1 to n.
  package var items: [TemplateValue]
  /// The named values, in the same order on every run.
  package var fields: [Field]

  package init(items: [TemplateValue] = [], fields: [Field] = []) {
    self.items = items
    self.fields = fields
  }

  subscript(_ name: String) -> TemplateValue? { fields.first { $0.name == name }?.value }
}
