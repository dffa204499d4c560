extension Array where Element == Double {
  /// The smallest value that so many per cent of all are not above (nearest rank). Not for an empty array.
  package func percentile(_ percent: Double) -> Double {
    precondition(!isEmpty && (0...100).contains(percent))
    let rank = Int((percent / 100 * Double(count)).rounded(.up))
    return sorted()[Swift.max(0, rank - 1)]
  }

  /// The middle value, the mean of the two middle ones for an even count. Not for an empty array.
  package var median: Double {
    precondition(!isEmpty)
    let sorted = self.sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
