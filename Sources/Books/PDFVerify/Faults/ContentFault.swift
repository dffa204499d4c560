/// A page's content that is damaged, malformed or changed.
enum ContentFault: FaultKind {
  case missing
  /// The page declares that it has no content.
  case empty
  case filter(String)
  case damaged
  case malformed(at: Int)
  case unknownOperator(String)
  case unbalanced(String, String, Int)
  case operands(String)
  case outsideText(String)
  case marksCrossText
  /// The content exceeds a limit for rendering with poppler.
  case limit(String)
  /// `q` is nested more deeply than readers are required to support.
  case deepNesting(Int)
  case missingResource(String)
  case changed
  case ofPage(Int)

  var severity: Severity {
    switch self {
    case .empty: .note
    case .filter, .deepNesting: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .missing: "the page's content is missing"
    case .empty: "the page has no content"
    case .filter(let name): "the page's content is compressed with \(name) and was not checked"
    case .damaged: "the page's compressed content is damaged"
    case .malformed(let offset): "the page's content is malformed at its byte \(offset)"
    case .unknownOperator(let name): "the page's content has the unknown operator '\(name)'"
    case .unbalanced(let first, let second, let count):
      "the page's content has \(count) '\(first)' without '\(second)'"
    case .operands(let name):
      "the page's content gives the operator '\(name)' operands it does not take"
    case .outsideText(let name): "the page's content has '\(name)' outside 'BT' and 'ET'"
    case .marksCrossText:
      "the page's content has marks that begin outside a text object and end inside it"
    case .limit(let what): "the page was not rendered: its content \(what)"
    case .deepNesting(let depth):
      "the page's content nests 'q' \(depth) deep; readers need not support more than 28"
    case .missingResource(let name): "the page draws '\(name)', which its resources do not have"
    case .changed: "the page's content was changed after it was written"
    case .ofPage(let page): "the page has the content meant for page \(page)"
    }
  }
}
