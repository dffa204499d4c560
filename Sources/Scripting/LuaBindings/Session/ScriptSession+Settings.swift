import ImageCore
import ImagePipeline

/// Settings that were not given, and EXIF fields that a picture has not: whatever goes wrong without them names them.
extension ScriptSession {
  /// An error of Lua's with what settings or the sandbox have to do with it.
  func explained(_ message: String, at position: ScriptPosition) -> String {
    let clause = absenceBehind(message, at: position)
    if !clause.isEmpty { return message + clause }
    guard message.contains("nil"), let name = Self.variable(in: message) else { return message }
    return SandboxAdvice.text(name).map { "\(message); \($0)" } ?? message
  }

  /// A clause that names the absent setting or field that caused a mistake or an error; empty if there is none.
  func absenceBehind(_ message: String, at position: ScriptPosition?) -> String {
    let settings = absent(absentSettings, behind: message, at: position)
    if !settings.isEmpty { return "; " + absence(of: settings) }
    let fields = absent(absentFields, behind: message, at: position)
    return fields.isEmpty ? "" : "; " + absence(ofFields: fields, message)
  }

  /// The names that a mistake or an error comes from.
  ///
  /// Those count that its line asked for in vain, and those that a variable was to hold which the error, or else its
  /// line, names. One that has another value beside it, `img.settings.n or 3`, does not.
  private func absent(
    _ absent: [String: ScriptPosition?], behind message: String, at position: ScriptPosition?
  ) -> [String] {
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
    return "the picture has no EXIF field\(names.count == 1 ? "" : "s") \(listed); "
      + "write (exif.\(printable(names[0])) or \(isNumber ? "0" : "\"\""))"
  }

  /// Whether something that was not given can be behind it.
  private func isOfNil(_ message: String) -> Bool {
    callHasNil || message.contains("nil") || message.hasSuffix("' is missing")
      || message.hasPrefix("'for' ") || message == "assertion failed!"
      || message.hasSuffix("must be a string") || message.hasPrefix("give it ")
  }

  private func absence(of names: [String]) -> String {
    let told = names.map { name in
      let near = Suggestion.nearest(to: name, in: unusedSettings)
      return "'\(printable(name))'" + (near.map { " ('\(printable($0))' is)" } ?? "")
    }
    return (names.count == 1 ? "the setting " : "the settings ") + told.joined(separator: ", ")
      + (names.count == 1 ? " is" : " are") + " not given, add "
      + names.map { "--set \(printable($0))=VALUE" }.joined(separator: " ")
  }

  // MARK: - lines

  private func line(at position: ScriptPosition) -> String {
    let lines = sources[position.file]?
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let lines, lines.indices.contains(position.line - 1) else { return "" }
    return String(decoding: lines[position.line - 1], as: UTF8.self)
  }

  private static func words(_ line: String) -> [String] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }

  /// The variable or field that an error of Lua's ends with: `dir` of `a nil value (field 'dir')`.
  private static func variable(in message: String) -> String? {
    guard message.contains("a nil value ("), message.hasSuffix("')") else { return nil }
    return message.dropLast(2).split(separator: "'").last.map(String.init)
  }

  /// What stands before and after each place where a line names a setting: `.w`, `["w"]`.
  private static func places(of setting: String, in line: String)
    -> [(before: Substring, after: Substring)]
  {
    line.ranges(of: setting).compactMap { place in
      let (before, after) = (line[..<place.lowerBound], line[place.upperBound...])
      guard let last = before.last, ".\"'".contains(last),
        !(after.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false)
      else { return nil }
      return (before, after)
    }
  }

  /// Whether `or` follows the setting wherever a line names it.
  private static func hasDefault(_ setting: String, in line: String) -> Bool {
    let places = places(of: setting, in: line)
    return !places.isEmpty
      && places.allSatisfy { place in
        let rest = place.after.drop { $0.isWhitespace || "\"')]".contains($0) }
        return rest.hasPrefix("or") && !(rest.dropFirst(2).first?.isLetter ?? false)
      }
  }

  /// The variable that a line gives a setting to: `n` of `local m, n = 1, tonumber(img.settings.count)`.
  private static func assigned(_ setting: String, in line: String) -> String? {
    let assignment = /([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)([^=]*)$/
    guard let before = places(of: setting, in: line).first?.before,
      let match = before.firstMatch(of: assignment)
    else { return nil }
    let names = words(String(match.1))
    return names.dropFirst(match.2.count { $0 == "," }).first ?? names.last
  }
}
