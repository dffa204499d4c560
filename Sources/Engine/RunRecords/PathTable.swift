/// Values by path, compared by the paths' bytes: as `String`s, two names in a folder may be equal, such as an é of one
/// scalar and one of two.
struct PathTable<Value: Sendable>: Sendable {
  private struct Key: Hashable {
    let path: String

    static func == (left: Key, right: Key) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

    func hash(into hasher: inout Hasher) {
      var path = path
      path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private var values: [Key: Value] = [:]

  subscript(path: String) -> Value? {
    get { values[Key(path: path)] }
    set { values[Key(path: path)] = newValue }
  }

  var paths: [String] { values.keys.map(\.path) }
}
