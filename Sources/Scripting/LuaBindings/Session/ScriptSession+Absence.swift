import ImageCore
import ImagePipeline

/// Missing settings and metadata fields. Errors that they cause name them.
extension ScriptSession {
  /// Returns an error message of Lua with a clause about its cause: a missing setting or field, or the sandbox.
  func explained(_ message: String, at position: ScriptPosition) -> String {
    let clause = absenceBehind(message, at: position)
    if !clause.isEmpty { return message + clause }
    if message.contains("no module '\(Self.testModule)'") {
      return "require: '\(Self.testModule)' is for tests; run this file with 'imghost test'"
    }
    guard message.contains("nil"), let name = Self.variable(in: message) else { return message }
    return SandboxAdvice.text(name).map { "\(message); \($0)" } ?? message
  }

  /// Returns a clause that names the missing settings or fields that caused a mistake or an error; empty if there are
  /// none.
  func absenceBehind(_ message: String, at position: ScriptPosition?) -> String {
    let settings = absent(absentSettings, behind: message, at: position)
    if !settings.isEmpty { return "; " + absence(of: settings) }
    let fields = absent(absentFields, behind: message, at: position)
    return fields.isEmpty ? "" : "; " + absence(ofFields: fields, message)
  }

  /// Returns the missing names that may have caused a mistake or an error.
  ///
  /// A name counts if the line of the error reads it. It also counts if a variable holds its value, and the error or
  /// its line names that variable. A name with a default, such as `img.settings.n or 3`, does not count.
  private func absent(_ absent: [String: ScriptPosition?], behind message: String, at position: ScriptPosition?)
    -> [String]
  {
    guard !absent.isEmpty, let position, isOfNil(message) else { return [] }
    let variable = Self.variable(in: message)
    let words = variable.map { [$0] } ?? Self.words(line(at: position))
    return absent.filter { name, asked in
      guard let asked else { return false }
      let line = line(at: asked)
      if Self.hasDefault(name, in: line) { return false }
      if variable == nil || variable == name, asked == position { return true }
      return Self.assigned(name, in: line).map(words.contains) ?? false
    }.keys.sorted()
  }

  private func absence(ofFields names: [String], _ message: String) -> String {
    let isNumber = message.contains("arithmetic") || message.contains("compare")
    let listed = names.map { "'\(printable($0))'" }.joined(separator: ", ")
    let block = absentBlocks[names[0]] ?? "exif"
    let key = names[0].contains { !($0.isLetter || $0.isNumber || $0 == "_") }
    let field = key ? "[\"\(printable(names[0]))\"]" : ".\(printable(names[0]))"
    return "the picture has no \(block.uppercased()) field\(names.count == 1 ? "" : "s") \(listed); "
      + "write (\(block)\(field) or \(isNumber ? "0" : "\"\""))"
  }

  /// Returns whether a missing value can cause this message.
  private func isOfNil(_ message: String) -> Bool {
    callHasNil || message.contains("nil") || message.hasSuffix("' is missing")
      || message.hasPrefix("'for' ") || message == "assertion failed!"
      || message.hasSuffix("must be a string") || message.hasPrefix("give it ")
  }

  private func absence(of names: [String]) -> String {
    let listed = names.map { name in
      let near = Suggestion.nearest(to: name, in: unusedSettings)
      return "'\(printable(name))'" + (near.map { " ('\(printable($0))' is)" } ?? "")
    }
    return (names.count == 1 ? "setting " : "settings ") + listed.joined(separator: ", ")
      + (names.count == 1 ? " is" : " are") + " not set; add "
      + names.map { "--set \(printable($0))=VALUE" }.joined(separator: " ")
  }

  // MARK: - lines

  /// Returns the text of a line of the script or of its modules; nil if the file is not known.
  package func line(_ position: ScriptPosition) -> String? {
    guard sources[position.file] != nil else { return nil }
    return line(at: position)
  }

  private func line(at position: ScriptPosition) -> String {
    let lines = sources[position.file]?.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let lines, lines.indices.contains(position.line - 1) else { return "" }
    return String(decoding: lines[position.line - 1], as: UTF8.self)
  }

  private static func words(_ line: String) -> [String] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }

  /// Returns the variable or field at the end of an error of Lua: `dir` in `a nil value (field 'dir')`.
  private static func variable(in message: String) -> String? {
    guard message.contains("a nil value ("), message.hasSuffix("')") else { return nil }
    return message.dropLast(2).split(separator: "'").last.map(String.init)
  }

  /// Returns the text before and after each place where a line names a setting: `.w`, `["w"]`.
  private static func places(of setting: String, in line: String) -> [(before: Substring, after: Substring)] {
    line.ranges(of: setting).compactMap { place in
      let (before, after) = (line[..<place.lowerBound], line[place.upperBound...])
      guard let last = before.last, ".\"'".contains(last),
        !(after.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false)
      else { return nil }
      return (before, after)
    }
  }

  /// Returns whether `or` follows the setting wherever a line names it.
  private static func hasDefault(_ setting: String, in line: String) -> Bool {
    let places = places(of: setting, in: line)
    return !places.isEmpty
      && places.allSatisfy { place in
        let rest = place.after.drop { $0.isWhitespace || "\"')]".contains($0) }
        return rest.hasPrefix("or") && !(rest.dropFirst(2).first?.isLetter ?? false)
      }
  }

  /// Returns the variable to which a line assigns a setting: `n` in `local m, n = 1, tonumber(img.settings.count)`.
  private static func assigned(_ setting: String, in line: String) -> String? {
    let assignment = /([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)([^=]*)$/
    guard let before = places(of: setting, in: line).first?.before, let match = before.firstMatch(of: assignment)
    else { return nil }
    let names = words(String(match.1))
    return names.dropFirst(match.2.count { $0 == "," }).first ?? names.last
  }
}
