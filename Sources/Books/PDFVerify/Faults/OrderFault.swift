/// A difference from the page order of the written book, such as an added or a moved page. Numbers count from 1.
enum OrderFault: FaultKind {
  case added
  case copied(Int)
  case swapped(Int)
  /// The page was written with this number.
  case moved(Int)
  /// The pages were written with these numbers.
  case lost(ClosedRange<Int>)
  case moreLost(Int)

  var text: String {
    switch self {
    case .added: "the page was added after the book was written"
    case .copied(let page): "the page is a second copy of page \(page)"
    case .swapped(let page): "the page changed places with page \(page)"
    case .moved(let page): "the page was moved; it was written as page \(page)"
    case .lost(let pages) where pages.count == 1: "page \(pages.lowerBound) is missing"
    case .lost(let pages): "pages \(pages.lowerBound) to \(pages.upperBound) are missing"
    case .moreLost(let count):
      "\(FaultText.count(count, "more page")) \(count == 1 ? "is" : "are") missing"
    }
  }
}
