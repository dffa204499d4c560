import ImageCore

/// Reads the finish of a style.
extension TemplateReader {
  private static let lookFields = ["corners", "border", "border_colour", "shadow", "shadow_colour", "background"]
  /// The word for a background from the colours of pictures.
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
