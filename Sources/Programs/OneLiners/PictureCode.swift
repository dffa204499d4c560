import ImageCore
import ImagePipeline

/// Pictures as script code: the files to open, and the operations on them.
///
/// Each picture that `name` is called with gets an entry in the table `p`, and so does each picture that is an argument
/// of an operation.
package struct PictureCode {
  /// The reason why a script cannot produce a picture.
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  /// The lines so far, which produce the pictures.
  package private(set) var lines: [String] = []
  /// The operations that are methods of pictures; all others, except `img.text`, are plugins.
  private let methods: Set<String>
  /// Returns whether a plugin generates pictures without an input.
  private let isSource: (String) -> Bool
  private var numbers: [ObjectIdentifier: Int] = [:]

  /// The maximum depth of pictures that are arguments, which is 2 in `a:composite(b:composite(c))`.
  private static let mostDepth = 100

  package init(methods: Set<String>, isSource: @escaping (String) -> Bool) {
    (self.methods, self.isSource) = (methods, isSource)
  }

  /// Returns the variable of a picture, and adds the lines that produce the picture if there are none yet.
  package mutating func name(_ picture: Picture) throws(Problem) -> String { try name(picture, depth: 0) }

  private mutating func name(_ picture: Picture, depth: Int) throws(Problem) -> String {
    if let known = numbers[ObjectIdentifier(picture)] { return "p[\(known)]" }
    guard depth < Self.mostDepth else {
      throw Problem(description: "a picture is made of pictures inside each other, too many for a plan")
    }
    var chain: [Picture] = []
    var code: String?
    var next = picture
    while code == nil {
      if let known = numbers[ObjectIdentifier(next)] {
        code = "p[\(known)]"
      } else if let start = try start(next) {
        code = start
      } else {
        chain.append(next)
        next = next.inputs[0]
      }
    }
    var text = code ?? ""
    for step in chain.reversed() { text += try call(step, depth) }
    let number = numbers.count + 1
    numbers[ObjectIdentifier(picture)] = number
    lines.append("p[\(number)] = \(text)")
    return "p[\(number)]"
  }

  /// Returns the code of a picture that has no input picture; nil for an operation on another picture.
  private mutating func start(_ picture: Picture) throws(Problem) -> String? {
    switch picture.step {
    case .source(let file, let orient, let acceptsDamage):
      var options: [(name: String, value: ParameterValue)] = []
      if file.selection.page != 1 { options.append(("page", .integer(file.selection.page))) }
      if !orient { options.append(("orient", .boolean(false))) }
      if acceptsDamage { options.append(("damaged", .text("accept"))) }
      if file.readsSidecar { options.append(("sidecar", .boolean(true))) }
      options += file.selection.options.named
      let table = options.isEmpty ? "" : ", " + (try Self.table(options))
      return "img.open(\(LuaLiteral.quoted(file.path))\(table))"
    case .canvas(let layout, let colour):
      let background = try Self.literal(.colour(colour))
      return "img.canvas(\(layout.width), \(layout.height), { background = \(background) })"
    case .operation(let name, _, let arguments):
      if name == "img.text" { return "img.text\(try Self.table(arguments.given))" }
      guard !methods.contains(name), isSource(name) else { return nil }
      return "img.plugin(\(LuaLiteral.quoted(name)), \(try Self.table(arguments.given)))"
    case .invalid: throw Problem(description: "a picture has mistakes")
    }
  }

  private mutating func call(_ picture: Picture, _ depth: Int) throws(Problem) -> String {
    guard case .operation(let name, _, let arguments) = picture.step else { return "" }
    var fields: [String] = []
    for (field, value) in arguments.given {
      guard case .picture(let index) = value else {
        fields.append(LuaLiteral.field(field, .word(try Self.literal(value))))
        continue
      }
      fields.append(LuaLiteral.field(field, .word(try self.name(picture.inputs[index], depth: depth + 1))))
    }
    let table = fields.isEmpty ? "{}" : "{ \(fields.joined(separator: ", ")) }"
    if methods.contains(name) { return ":\(name)\(table)" }
    return ":plugin(\(LuaLiteral.quoted(name)), \(table))"
  }

  /// Returns options as a table.
  package static func table(_ options: [(name: String, value: ParameterValue)]) throws(Problem) -> String {
    var fields: [String] = []
    for (name, value) in options { fields.append(LuaLiteral.field(name, .word(try literal(value)))) }
    return fields.isEmpty ? "{}" : "{ \(fields.joined(separator: ", ")) }"
  }

  /// Returns a literal that Lua parses to the same value.
  package static func literal(_ value: ParameterValue) throws(Problem) -> String {
    switch value {
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .number(let value):
      guard value.isFinite else { throw Problem(description: "a number is not finite") }
      return "\(value)"
    case .text(let text): return LuaLiteral.quoted(text)
    case .list(let items):
      var texts: [String] = []
      for item in items { texts.append(try literal(item)) }
      return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
    case .fields(let fields): return try table(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    case .colour(let colour):
      if Colour(.text(colour.hexadecimal)) == colour { return LuaLiteral.quoted(colour.hexadecimal) }
      let parts = [colour.red, colour.green, colour.blue] + (colour.alpha == 1 ? [] : [colour.alpha])
      return "{ \(parts.map { "\($0 * 255)" }.joined(separator: ", ")) }"
    case .picture, .jobs, .other: throw Problem(description: "\(value.typeName) cannot be written")
    }
  }
}
