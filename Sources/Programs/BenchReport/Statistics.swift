extension Array where Element == Double {
  /// Returns the smallest value that is at least as large as the given percentage of all values (nearest rank). The
  /// array must not be empty.
  package func percentile(_ percent: Double) -> Double {
    precondition(!isEmpty && (0...100).contains(percent))
    let rank = Int((percent / 100 * Double(count)).rounded(.up))
    return sorted()[Swift.max(0, rank - 1)]
  }

  /// The median, which is the mean of the two middle values for an even count. The array must not be empty.
  package var median: Double {
    precondition(!isEmpty)
    let sorted = self.sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
