/// Compares the order in which a tagged document's pages are read with the order in which they were written.
enum TagOrder {
  /// Returns faults by page, from 0.
  ///
  /// - Parameters:
  ///   - order: objects of pages as they are read.
  ///   - counterparts: by page: which one it was written as.
  static func faults(_ order: [Int], _ pages: [PageRecord], _ counterparts: [Int?]) -> [Int: Fault] {
    let numbers = Dictionary(pages.enumerated().map { ($0.element.object, $0.offset) }, uniquingKeysWith: { $1 })
    let known = order.compactMap { numbers[$0] }.filter { counterparts[$0] != nil }
    let inOrder = Set(LongestRun.indices(of: known.map { counterparts[$0]! }))
    var faults: [Int: Fault] = [:]
    for index in known.indices where !inOrder.contains(index) {
      faults[known[index]] = .tags(.order(after: index > 0 ? known[index - 1] + 1 : nil))
    }
    return faults
  }
}
