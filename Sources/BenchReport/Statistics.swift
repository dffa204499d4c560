extension Array where Element == Double {
  /// The middle value, the mean of the two middle ones for an even count. Not for an empty array.
  public var median: Double {
    precondition(!isEmpty)
    let sorted = self.sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
