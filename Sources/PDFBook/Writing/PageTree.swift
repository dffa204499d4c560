/// The page tree (PDF 32000-1:2008, 7.7.3) as it grows: at most 32 open nodes' worth of children a level.
///
/// A node is written only when a further child shows that it is full and not the last, so that a book of
/// any length has the shallowest tree.
struct PageTree {
  static let fanOut = 32

  /// A node to be written.
  struct Node {
    let object: Int
    /// nil for the root.
    let parent: Int?
    let children: [Int]
    /// Pages below.
    let count: Int

    var dictionary: String {
      let kids = children.map { "\($0) 0 R" }.joined(separator: " ")
      let parent = parent.map { "/Parent \($0) 0 R" } ?? ""
      return "<</Type/Pages\(parent)/Kids[\(kids)]/Count \(count)>>"
    }
  }

  private struct Level {
    var object: Int
    var children: [Int] = []
    var count = 0
  }
  private var levels: [Level] = []

  /// Makes room for a page and gives its parent's number and the nodes that became full.
  mutating func add(page: Int, reserve: () -> Int) -> (parent: Int, full: [Node]) {
    var full: [Node] = []
    let parent = add(page, count: 1, level: 0, reserve: reserve, full: &full)
    return (parent, full)
  }

  /// The nodes still open, leaves first, the root last. At least one page was added.
  mutating func finish(reserve: () -> Int) -> [Node] {
    var nodes: [Node] = []
    var level = 0
    while level < levels.count - 1 {
      nodes.append(contentsOf: close(level, reserve: reserve))
      level += 1
    }
    let root = levels[level]
    nodes.append(
      Node(object: root.object, parent: nil, children: root.children, count: root.count))
    return nodes
  }

  /// Adds a child to the open node of a level, closing that first if it is full.
  private mutating func add(
    _ child: Int, count: Int, level: Int, reserve: () -> Int, full: inout [Node]
  ) -> Int {
    if level == levels.count { levels.append(Level(object: reserve())) }
    if levels[level].children.count == Self.fanOut {
      full += close(level, reserve: reserve)
      levels[level] = Level(object: reserve())
    }
    levels[level].children.append(child)
    levels[level].count += count
    return levels[level].object
  }

  private mutating func close(_ level: Int, reserve: () -> Int) -> [Node] {
    let node = levels[level]
    var nodes: [Node] = []
    let parent = add(
      node.object, count: node.count, level: level + 1, reserve: reserve, full: &nodes)
    return [
      Node(object: node.object, parent: parent, children: node.children, count: node.count)
    ] + nodes
  }
}
