/// Values by path, compared by the paths' bytes: as `String`s, two names in a folder may be equal, such as an é of one
/// scalar and one of two.
struct PathTable<Value: Sendable>: Sendable {
  private var values: [[UInt8]: (path: String, value: Value)] = [:]

  subscript(path: String) -> Value? {
    get { values[Array(path.utf8)]?.value }
    set { values[Array(path.utf8)] = newValue.map { (path, $0) } }
  }

  var paths: [String] { values.values.map(\.path) }
}
