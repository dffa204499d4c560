/// A page tree that does not lead to all pages (PDF 32000-1:2008, 7.7.3).
enum TreeFault: FaultKind {
  case noCatalogue
  case noPageTree
  case noPages
  case node(object: Int)
  case pageTwice(object: Int)
  case parent(object: Int, expected: Int)
  case count(object: Int, stated: Int?, actual: Int)

  var text: String {
    switch self {
    case .noCatalogue: "there is no document catalogue"
    case .noPageTree: "the document catalogue has no page tree"
    case .noPages: "the document has no pages"
    case .node(let object): "the page tree is broken at object \(object)"
    case .pageTwice(let object):
      "the page tree has object \(object) twice; each page must be an object of its own"
    case .parent(let object, let expected):
      "object \(object) of the page tree does not name its parent, object \(expected)"
    case .count(let object, let stated, let actual):
      "object \(object) of the page tree counts \(stated.map { "\($0)" } ?? "no") pages; "
        + "there \(actual == 1 ? "is" : "are") \(actual)"
    }
  }
}
