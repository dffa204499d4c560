import ImageCore

/// The lines of a script that apply operations and plugins to the variable `photo`.
struct EditLines {
  struct Line {
    /// The code, which is only used if there are no mistakes.
    var code = ""
    let option: String
    /// The option and its text, for the comment that replaces the code if there are mistakes.
    let words: String
    var mistakes: [String] = []
  }

  private(set) var lines: [Line] = []
  /// Pictures among the arguments, with the names of their variables; each is opened once.
  private(set) var pictures: [(variable: String, path: String)] = []
  private let plugin: (String) -> OperationDescriptor?

  init(_ plugin: @escaping (String) -> OperationDescriptor?) { self.plugin = plugin }

  mutating func add(_ call: OneLineWords.Call) {
    var line = Line(option: call.option, words: call.words)
    do throws(ArgumentItem.Mistake) {
      let text = call.text ?? ""
      if let operation = call.operation {
        let items = text.isEmpty ? [] : try Self.items(text, of: operation)
        line.code = code(operation.name, [], items, operation, &line.mistakes)
      } else {
        line.code = try pluginCode(text, &line.mistakes)
      }
    } catch {
      line.mistakes.append(error.text)
    }
    lines.append(line)
  }

  private static func items(_ text: String, of operation: OperationDescriptor) throws(ArgumentItem.Mistake)
    -> [ArgumentItem]
  {
    var text = text
    let first = text.prefix { $0 != "," }
    if operation.parameters.prefix(2).map(\.name) == ["width", "height"], let size = Habit.size(first) {
      let rest = text[first.endIndex...]
      let keeps = operation.parameters.contains { $0.name == "fit" } && size.contains(",") && !rest.contains("fit=")
      text = size + (keeps ? ",fit=inside" : "") + rest
    }
    return try ArgumentItem.items(text, splits: operation.positionalCount > 1) { name, position in
      let parameter =
        name.map { name in operation.parameters.first { $0.isNamed(name) } }
        ?? (position < operation.parameters.count ? operation.parameters[position] : nil)
      return parameter.map { !$0.kind.takesBraces } ?? false
    }
  }

  private mutating func pluginCode(_ text: String, _ mistakes: inout [String]) throws(ArgumentItem.Mistake) -> String {
    var items = try ArgumentItem.items(text, splits: true)
    guard let first = items.first, first.name == nil, case .plain(let name) = first.value else {
      mistakes.append("the name of a plugin comes first: --plugin vignette,strength=0.3")
      return ""
    }
    items.removeFirst()
    return code("plugin", [LuaLiteral.quoted(name)], items, plugin(name), &mistakes)
  }

  /// Returns the code of a call.
  ///
  /// - Parameters:
  ///   - method: the method of pictures.
  ///   - first: the positional arguments that precede the user's.
  ///   - declaration: the declaration of the arguments; nil if they are unknown.
  private mutating func code(
    _ method: String, _ first: [String], _ items: [ArgumentItem], _ declaration: OperationDescriptor?,
    _ mistakes: inout [String]
  ) -> String {
    var positional = first
    var named: [String] = []
    let known = declaration?.parameters ?? []
    var position = 0
    for item in items {
      var parameter = item.name.flatMap { name in known.first { $0.isNamed(name) } }
      if item.name == nil {
        parameter = known.indices.contains(position) ? known[position] : nil
        position += 1
      }
      let name = item.name ?? parameter?.name ?? "argument \(position)"
      do throws(ArgumentError) {
        let value = variable(for: try ArgumentReader.literal(item.value, name, parameter))
        if item.name == nil { positional.append(value.code) } else { named.append(LuaLiteral.field(name, value)) }
      } catch {
        mistakes.append(error.description)
      }
    }
    let options = named.isEmpty ? [] : ["{ " + named.joined(separator: ", ") + " }"]
    return "photo = photo:\(method)(" + (positional + options).joined(separator: ", ") + ")"
  }

  /// Replaces a picture file with a variable, so that the file is opened once for all photos.
  private mutating func variable(for value: LuaLiteral) -> LuaLiteral {
    guard case .picture(let path) = value else { return value }
    if let known = pictures.first(where: { $0.path == path }) { return .word(known.variable) }
    let variable = "picture" + (pictures.isEmpty ? "" : "\(pictures.count + 1)")
    pictures.append((variable, path))
    return .word(variable)
  }
}
