/// A place in the user's script, or in a module it required.
public struct ScriptLine: Sendable, Hashable {
  /// The file as it was given to ``LuaState/run(source:name:arguments:)``, e.g. `photobook.lua`.
  public let file: String
  /// Counted from 1.
  public let line: Int

  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

extension ScriptLine: CustomStringConvertible {
  /// `photobook.lua:7`
  public var description: String { "\(file):\(line)" }
}
