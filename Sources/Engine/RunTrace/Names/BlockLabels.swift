/// What is written on a block: as much of its name as there is room for, and what tells it from the others
/// rather than what it shares with them.
struct BlockLabels {
  /// How all names begin.
  private let shared: String

  /// - Parameter names: of all blocks; those of files count.
  init(_ names: Set<String>) {
    let names = names.filter { Self.stem($0) != nil }
    guard names.count > 1, var shared = names.first else {
      self.shared = ""
      return
    }
    for name in names where !name.hasPrefix(shared) {
      shared = String(zip(shared, name).prefix { $0 == $1 }.map(\.0))
    }
    self.shared = shared
  }

  /// The same name shorter and shorter: whole, without its extension, without how all begin.
  func texts(_ name: String) -> [String] {
    var texts = [name]
    guard let stem = Self.stem(name) else { return texts }
    texts.append(stem)
    if shared.count > 1, stem.count > shared.count, stem.hasPrefix(shared) {
      texts.append(String(stem.dropFirst(shared.count)))
    }
    return texts
  }

  /// The name without its extension; nil where it has none.
  private static func stem(_ name: String) -> String? {
    guard let point = name.lastIndex(of: "."), point > name.startIndex,
      name.distance(from: point, to: name.endIndex) <= 5
    else { return nil }
    return String(name[..<point])
  }
}
