import ImageCore

/// A contact sheet as a picture: its options, and the lines that assemble it.
package enum SheetPicture {
  /// The options in addition to those of the file format. Lengths are in pixels.
  package static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor("columns", .integer(1...100), default: .integer(5), help: "pictures across"),
    ParameterDescriptor("rows", .integer(1...1_000), help: "pictures down; by default one sheet holds all"),
    ParameterDescriptor(
      "cell", .integer(16...4_096), default: .integer(240), unit: "px", help: "side of a picture's place"),
    ParameterDescriptor("gutter", .integer(0...1_000), default: .integer(16), unit: "px", help: "space between places"),
    ParameterDescriptor("margin", .integer(0...1_000), default: .integer(16), unit: "px", help: "space at the edges"),
    ParameterDescriptor("background", .colour, default: .text("white"), help: "the colour behind the pictures"),
    ParameterDescriptor(
      "caption", .text, default: .text("{label}"), help: "text below each picture, with fields such as {stem}"),
    ParameterDescriptor("caption_size", .number(4...200), default: .integer(13), unit: "px", help: "size of the text"),
    ParameterDescriptor("caption_colour", .colour, default: .text("black"), help: "colour of the text"),
  ]

  /// Adds the lines that create `sheets` from `photos`. Returns the remaining options, for `save`.
  static func addLines(_ words: OneLineWords, to script: inout OneLineScript) -> [OneLineWords.Setting] {
    let names = Set(parameters.map(\.name))
    let own = words.saving.filter { names.contains($0.parameter.name) }
    script.add()
    for parameter in parameters {
      let setting = own.first { $0.parameter.name == parameter.name }
      script.addLocal(parameter, setting)
    }
    for line in code.split(separator: "\n", omittingEmptySubsequences: false) { script.add(String(line)) }
    return words.saving.filter { !names.contains($0.parameter.name) }
  }

  private static let code = """
    rows = rows or math.max(1, math.ceil(#photos / columns))
    local line = caption == "" and 0 or math.ceil(caption_size * 1.7)

    local sheets = {}
    for first = 1, #photos, columns * rows do
      local last = math.min(first + columns * rows - 1, #photos)
      local across, down = math.min(columns, last - first + 1), math.ceil((last - first + 1) / columns)
      local sheet = img.canvas(
        2 * margin + across * (cell + gutter) - gutter, 2 * margin + down * (cell + line + gutter) - gutter,
        { background = background })
      for i = first, last do
        local place = i - first
        local small = photos[i]:resize(cell, cell, { fit = "contain", background = background })
        if line > 0 then
          small = small:extend{ bottom = line, background = background }
          small = small:text(caption, { size = caption_size, colour = caption_colour, position = "bottom", margin = 1 })
        end
        sheet = sheet:composite(small, {
          left = margin + place % columns * (cell + gutter), top = margin + place // columns * (cell + line + gutter),
        })
      end
      table.insert(sheets, sheet)
    end
    """
}

extension OneLineScript {
  /// Adds `local name = value`, with the default if the option is not given.
  fileprivate mutating func addLocal(_ parameter: ParameterDescriptor, _ setting: OneLineWords.Setting?) {
    guard let setting else {
      let value = parameter.defaultValue.map { LuaLiteral($0).code }
      return add("local \(parameter.name)" + (value.map { " = " + $0 } ?? ""))
    }
    let origin = Origin(option: setting.option)
    if let field = checkedField(setting) {
      add("local " + field, from: origin)
    } else {
      // The rest of the script needs a value even after a mistake.
      addLocal(parameter, nil)
    }
  }

  /// Returns the field of an option; nil after recording a mistake in its value. Also checks the range of the value,
  /// because no call in the script does.
  private mutating func checkedField(_ setting: OneLineWords.Setting) -> String? {
    guard let field = field(setting) else { return nil }
    guard let text = setting.text, let number = Double(text), setting.parameter.kind != .text,
      setting.parameter.kind != .colour
    else { return field }
    let value = Int(text).map { ParameterValue.integer($0) } ?? .number(number)
    let raw = RawArguments(named: [(setting.parameter.name, value)])
    do throws(ArgumentErrors) {
      _ = try Arguments(raw, parameters: [setting.parameter], positionalCount: 0)
      return field
    } catch {
      addMistake(error.errors[0].description, setting.words, from: Origin(option: setting.option))
      return nil
    }
  }
}

extension LuaLiteral {
  /// Converts the default value of an option of sheets. These options only have simple types.
  fileprivate init(_ value: ParameterValue) {
    if case .text(let text) = value { self = .text(text) } else { self = .word(value.text) }
  }
}
