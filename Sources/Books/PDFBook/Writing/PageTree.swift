import BookExpectations

/// A page tree (PDF 32000-1:2008, 7.7.3) or number tree that is built incrementally, with one open node per level.
///
/// A full node is written only when another child arrives, because only then is it certain that the node is not the
/// last of its level. Thus a tree of any size is as shallow as possible.
struct PageTree {
  /// The maximum number of children of a node.
  let fanOut: Int

  init(fanOut: Int = 32) { self.fanOut = fanOut }

  /// A node that is ready to be written.
  struct Node {
    let object: Int
    /// The parent's object; nil for the root.
    let parent: Int?
    let children: [Int]
    /// The number of leaves of the tree (pages or others) before this node, and the number of leaves below it.
    let first: Int
    let count: Int
    /// Whether the node's children are leaves of the tree (pages or others).
    let isLeaf: Bool

    func appendDictionary(to text: inout UTF8Text) {
      text.append("<</Type/Pages")
      if let parent { text += "/Parent \(parent) 0 R" }
      text.append("/Kids[")
      for (index, child) in children.enumerated() {
        if index > 0 { text.append(" ") }
        text.append(child)
        text.append(" 0 R")
      }
      text += "]/Count \(count)>>"
    }
  }

  private struct Level {
    let object: Int
    let first: Int
    var children: [Int] = []
    var count = 0
  }
  private var levels: [Level] = []
  private(set) var pageCount = 0

  /// Adds a page. Returns the object of its parent, and the nodes that are complete and can be written.
  mutating func add(page: Int, reserve: () -> Int) -> (parent: Int, full: [Node]) {
    var full: [Node] = []
    let parent = add(page, pageCount, count: 1, level: 0, reserve: reserve, full: &full)
    pageCount += 1
    return (parent, full)
  }

  /// Returns the nodes that are still open, from the lowest level to the root, which is last. At least one page must
  /// have been added.
  mutating func finish(reserve: () -> Int) -> [Node] {
    var nodes: [Node] = []
    var level = 0
    while level < levels.count - 1 {
      nodes.append(contentsOf: close(level, reserve: reserve))
      level += 1
    }
    return nodes + [node(level, parent: nil)]
  }

  /// Adds a child to the open node of a level, which is replaced first if it is full. Returns the node's object.
  private mutating func add(_ child: Int, _ first: Int, count: Int, level: Int, reserve: () -> Int, full: inout [Node])
    -> Int
  {
    if level == levels.count { levels.append(Level(object: reserve(), first: first)) }
    if levels[level].children.count == fanOut {
      full += close(level, reserve: reserve)
      levels[level] = Level(object: reserve(), first: first)
    }
    levels[level].children.append(child)
    levels[level].count += count
    return levels[level].object
  }

  private mutating func close(_ level: Int, reserve: () -> Int) -> [Node] {
    let open = levels[level]
    var nodes: [Node] = []
    let parent = add(open.object, open.first, count: open.count, level: level + 1, reserve: reserve, full: &nodes)
    return [node(level, parent: parent)] + nodes
  }

  private func node(_ level: Int, parent: Int?) -> Node {
    let open = levels[level]
    return Node(
      object: open.object, parent: parent, children: open.children, first: open.first, count: open.count,
      isLeaf: level == 0)
  }
}
