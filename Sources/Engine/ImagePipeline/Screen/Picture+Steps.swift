import ImageCore

/// A picture's steps, for people who look at them.
extension Picture {
  /// The pictures that lead to this one and itself, each after its inputs.
  package var stepsInOrder: [Picture] { ScreenTargets.order(of: self) }

  /// The picture of the file that this one begins with; nil for a canvas.
  package var start: Picture? {
    let root = root
    if case .source = root.step { return root }
    return nil
  }

  /// The last step as a script writes it: its name, and its file or arguments.
  package var stepText: (name: String, detail: String) {
    switch step {
    case .invalid: ("invalid", "")
    case .source(let file, _, _):
      ("open", file.path + (file.selection.page > 1 ? ", page \(file.selection.page)" : ""))
    case .canvas(let layout, let colour):
      ("canvas", "\(layout.width) x \(layout.height), \(ParameterValue.colour(colour).text)")
    case .operation(let name, _, let arguments):
      (name, arguments.given.map { "\($0.name) = \($0.value.text)" }.joined(separator: ", "))
    }
  }
}
