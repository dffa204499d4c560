/// Suggestions for misspelt names ("did you mean").
public enum Suggestion {
  /// Returns the valid name that was probably meant, which is the nearest one; nil if no name is near.
  ///
  /// Ignoring case, a name is near if the written name has at least three characters and one name is a prefix of the
  /// other, or if their restricted Damerau-Levenshtein distance (optimal string alignment) is at most about a third of
  /// the length, at least 1 and at most 3.
  public static func nearest(to written: String, in names: [String]) -> String? {
    // Valid names are shorter, and the time of a comparison grows with the product of both lengths.
    guard written.utf8.count <= 100 else { return nil }
    let target = Array(written.lowercased())
    guard !target.isEmpty else { return nil }
    let limit = Self.limit(target)
    let scored = names.map { (name: $0, distance: distance(target, Array($0.lowercased()))) }
    if let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.name }
    guard target.count >= 3 else { return nil }
    return names.first { name in
      let name = name.lowercased()
      return name.hasPrefix(written.lowercased()) || written.lowercased().hasPrefix(name)
    }
  }

  /// Returns the choice that other programs call by the written name, or else the nearest choice; nil if none is near.
  static func choice(for written: String, in names: [String]) -> String? {
    let meant = choices[written.lowercased()] ?? []
    return meant.first(where: names.contains) ?? nearest(to: written, in: names)
  }

  /// Choices by their names in other programs.
  private static let choices: [String: [String]] = [
    "stretch": ["fill"], "squeeze": ["fill"], "distort": ["fill"], "crop": ["cover"],
    "zoom": ["cover"], "letterbox": ["contain", "inside"], "pad": ["contain", "inside"],
    "fit": ["inside", "contain"], "scale-down": ["inside"], "middle": ["centre"],
    "smart": ["attention"], "auto": ["attention"], "jpg": ["jpeg"],
  ]

  /// Returns the largest distance that counts as a typing mistake.
  private static func limit(_ target: [Character]) -> Int { max(1, min(3, (target.count + 1) / 3)) }

  /// Returns at most `count` near names, the best first. A name is near if it has a whole word in common with the
  /// written one, such as `caption_colour` for `color`, or differs from it by no more than a typing mistake.
  static func ranked(_ written: String, in names: [String], count: Int) -> [String] {
    let target = Array(written.lowercased())
    let words = Self.words(written)
    let scored = names.enumerated().compactMap { index, name -> (String, Int, Int)? in
      let shared = Self.words(name).filter(words.contains).count
      let distance = Self.distance(target, Array(name.lowercased()))
      return shared > 0 || distance <= Self.limit(target) ? (name, distance - 8 * shared, index) : nil
    }
    return scored.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.prefix(count).map(\.0)
  }

  /// Returns the words of a name, with British and American spellings unified.
  private static func words(_ name: String) -> [String] {
    name.lowercased().split(separator: "_").map {
      switch $0 {
      case "color": "colour"
      case "center": "centre"
      default: String($0)
      }
    }
  }

  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a == b ? 0 : 1))
        if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { best = min(best, beforeLast[j - 1] + 1) }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[right.count]
  }
}
