/// Compares the page's content with the written one.
struct ContentCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard page.isChanged else { return }
    result.faults.append(page.contentOwner.map { .content(.ofPage($0)) } ?? .content(.changed))
  }
}
