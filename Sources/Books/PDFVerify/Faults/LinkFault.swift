/// A link that differs from the one that was written. The number is the link's number on the page.
enum LinkFault: FaultKind {
  case address(Int, String, meant: String)
  case place(Int, String, actual: [Double], expected: [Double])
  case missing(String)
  case added(String)
  case annotationAdded(String)

  var text: String {
    switch self {
    case .address(let number, let target, let meant):
      "link \(number) leads to \(FaultText.quoted(target)); it was written to lead to " + FaultText.quoted(meant)
    case .place(let number, let address, let actual, let expected):
      "link \(number) to \(FaultText.quoted(address)) lies at \(FaultText.place(actual)) instead of "
        + FaultText.place(expected)
    case .missing(let address): "the link to \(FaultText.quoted(address)) is missing"
    case .added(let target): "the link to \(FaultText.quoted(target)) was added"
    case .annotationAdded(let kind):
      "the page was written without an annotation of the kind \(kind)"
    }
  }
}
