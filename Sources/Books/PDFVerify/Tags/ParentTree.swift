/// The parent tree of a structure: a number tree (PDF 32000-1:2008, 7.9.7) with the elements of each page's marked
/// content and of each annotation.
struct ParentTree: Sendable {
  private(set) var values: [Int: PDFValue] = [:]
  private(set) var faults: [Fault] = []
  private var last = Int.min
  private var visited: Set<Int> = []
  private static let maximumDepth = 32

  mutating func read(_ root: PDFValue?, _ file: PDFFile) {
    guard let root else {
      faults.append(.tags(.broken("it has no parent tree")))
      return
    }
    walk(root, file, depth: 0)
    visited = []
  }

  private mutating func complain(_ reason: String) {
    if faults.count < 8 { faults.append(.tags(.broken("the parent tree \(reason)"))) }
  }

  private mutating func walk(_ node: PDFValue, _ file: PDFFile, depth: Int) {
    if let number = node.reference, !visited.insert(number).inserted {
      return complain("has object \(number) twice")
    }
    guard depth < Self.maximumDepth, let entries = file.resolve(node).dictionary else {
      return complain(node.reference.map { "is broken at object \($0)" } ?? "is broken")
    }
    let before = last
    let pairs = file.resolve(entries["Nums"]).array ?? []
    for index in stride(from: 0, to: pairs.count - 1, by: 2) {
      guard let key = pairs[index].integer, key > last else {
        return complain("has keys that do not rise, after \(last)")
      }
      values[key] = pairs[index + 1]
      last = key
    }
    for kid in file.resolve(entries["Kids"]).array ?? [] { walk(kid, file, depth: depth + 1) }
    guard let limits = file.resolve(entries["Limits"]).array?.compactMap(\.integer) else { return }
    if limits.count != 2 || limits[0] <= before || limits[1] != last {
      complain("states other limits than its keys have, before \(last)")
    }
  }
}
