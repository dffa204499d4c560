import ImageCore

/// Finds the function that an option belongs to, for scripts that give it to another.
enum OptionHome {
  /// Returns the function that takes an option of this name, as scripts write it; nil for none.
  static func call(_ option: String, _ environment: Environment) -> String? {
    let calls: [(String, [ParameterDescriptor])] = [
      ("img.verify", VerifyParameters.all),
      ("save", SinkParameters.save + environment.allCodecs.flatMap(\.saveParameters)),
      ("img.book", environment.book.parameters),
      ("img.open", SourceParameters.open),
      ("img.glob", SourceParameters.glob),
    ]
    return calls.first { $0.1.contains { $0.name == option } }?.0
  }
}
