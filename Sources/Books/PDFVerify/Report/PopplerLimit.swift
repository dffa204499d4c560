/// Keeps poppler's own lines few: of one thing that is missing it has dozens.
struct PopplerLimit {
  /// How many were left out.
  private(set) var omitted = 0
  private var left = 8

  /// The faults of a page, or of the document, without poppler's beyond the first few of all; where nothing else
  /// is as bad as one that is left out, one such stays.
  mutating func kept(_ faults: [Fault]) -> [Fault] {
    var told = Set(faults.filter { !$0.isPoppler }.map(\.severity))
    return faults.filter { fault in
      guard fault.isPoppler else { return true }
      if left == 0, told.contains(fault.severity) || told.contains(.error) {
        omitted += 1
        return false
      }
      left = max(0, left - 1)
      told.insert(fault.severity)
      return true
    }
  }
}

extension Fault {
  /// Whether these are poppler's words.
  fileprivate var isPoppler: Bool {
    switch self {
    case .poppler(.message), .poppler(.error): true
    default: false
    }
  }
}
