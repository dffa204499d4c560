/// Finds the longest strictly increasing subsequence in O(n log n) (M. L. Fredman, "On computing the length of longest
/// increasing subsequences", Discrete Mathematics 11, 1975).
enum LongestRun {
  /// Returns the indices of the subsequence's values.
  static func indices(of values: [Int]) -> [Int] {
    // For each length, the index of the smallest value that ends a run of that length.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = []
    var last = ends.last ?? -1
    while last >= 0 {
      result.append(last)
      last = before[last]
    }
    return result.reversed()
  }
}
