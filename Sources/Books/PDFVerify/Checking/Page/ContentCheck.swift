/// Compares the page's content with what was written.
struct ContentCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard page.isChanged else { return }
    result.faults.append(page.contentOwner.map { .content(.ofPage($0)) } ?? .content(.changed))
  }
}
