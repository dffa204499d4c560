/// The labels of blocks: the part of a name that there is room for, beginning after the part that all names share.
struct BlockLabels {
  /// The beginning that all names share.
  private let shared: String

  /// - Parameter names: the names of all blocks; only those of files count.
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

  /// Returns ever shorter forms of a name: whole, without its extension, and without the shared beginning.
  func texts(_ name: String) -> [String] {
    var texts = [name]
    guard let stem = Self.stem(name) else { return texts }
    texts.append(stem)
    if shared.count > 1, stem.count > shared.count, stem.hasPrefix(shared) {
      texts.append(String(stem.dropFirst(shared.count)))
    }
    return texts
  }

  /// The name without its extension; nil if it has none.
  private static func stem(_ name: String) -> String? {
    guard let point = name.lastIndex(of: "."), point > name.startIndex,
      name.distance(from: point, to: name.endIndex) <= 5
    else { return nil }
    return String(name[..<point])
  }
}
