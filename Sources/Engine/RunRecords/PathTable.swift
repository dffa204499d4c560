import ImagePipeline

/// A dictionary whose keys are paths, which are compared by their bytes; see `RealPaths.Path`.
struct PathTable<Value: Sendable>: Sendable {
  private var values: [RealPaths.Path: Value] = [:]

  subscript(path: String) -> Value? {
    get { values[RealPaths.Path(path)] }
    set { values[RealPaths.Path(path)] = newValue }
  }

  var paths: [String] { values.keys.map(\.text) }
}
