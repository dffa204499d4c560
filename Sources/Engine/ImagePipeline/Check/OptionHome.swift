import ImageCore

/// Finds the function that takes an option, for messages about scripts that pass the option to another function.
enum OptionHome {
  /// Returns the function that takes an option of this name, as scripts write it, such as `img.verify`; nil if none
  /// does.
  ///
  /// - Parameter isSaving: whether the option was given to `save` or another function with options of file formats. It
  ///   may then belong to other formats.
  static func call(_ option: String, _ environment: Environment, isSaving: Bool = false) -> String? {
    let calls: [(String, [ParameterDescriptor])] =
      [
        ("img.verify", VerifyParameters.all),
        ("save", SinkParameters.save),
        (isSaving ? formats(taking: option, environment) : "save", environment.allCodecs.flatMap(\.saveParameters)),
      ] + environment.sinks.map { ("img." + $0.kind.rawValue, $0.parameters) }
      + [("img.open", SourceParameters.open), ("img.glob", SourceParameters.glob)]
    return calls.first { $0.1.contains { $0.name == option } }?.0
  }

  /// Returns a phrase such as `save of .jpg and .webp files`, with the extensions of the formats that have the option.
  private static func formats(taking option: String, _ environment: Environment) -> String {
    let codecs = environment.allCodecs.filter { codec in codec.saveParameters.contains { $0.name == option } }
    let endings = codecs.compactMap(\.extensions.first).map { "." + $0 }
    guard let last = endings.last else { return "save" }
    let others = endings.dropLast().joined(separator: ", ")
    return "save of \(others.isEmpty ? "" : others + " and ")\(last) files"
  }
}
