/// A place in the user's script, or in a module it required.
package struct ScriptLine: Sendable, Hashable {
  /// The file as it was given to ``LuaState/run(source:name:arguments:)``, e.g. `photobook.lua`.
  package let file: String
  /// Counted from 1.
  package let line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

extension ScriptLine: CustomStringConvertible {
  /// `photobook.lua:7`
  package var description: String { "\(file):\(line)" }
}
