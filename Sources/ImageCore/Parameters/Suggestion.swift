/// "Did you mean": the nearest of a list of names.
public enum Suggestion {
  /// The name nearest to what was written, nil when none is near enough to be a slip.
  ///
  /// Near is a Damerau-Levenshtein distance (restricted: adjacent transpositions) of at most a third of
  /// the length, at least 1 and at most 3, upper and lower case being equal; or one name being the
  /// start of the other.
  public static func nearest(to written: String, in names: [String]) -> String? {
    let target = Array(written.lowercased())
    guard !target.isEmpty else { return nil }
    let limit = max(1, min(3, (target.count + 1) / 3))
    let scored = names.map { (name: $0, distance: distance(target, Array($0.lowercased()))) }
    if let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= limit {
      return best.name
    }
    guard target.count >= 3 else { return nil }
    return names.first { name in
      let name = name.lowercased()
      return name.hasPrefix(written.lowercased()) || written.lowercased().hasPrefix(name)
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
        if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[right.count]
  }
}
