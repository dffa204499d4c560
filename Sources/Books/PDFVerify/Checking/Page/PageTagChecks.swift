/// Compares the page's marked content and annotations with the tag structure.
struct PageTagCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    if !page.isCopy { page.tags.check(&result.faults) }
  }
}

/// Reports a page whose tags are no longer in the written order.
struct PageTagOrderCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    if let fault = page.document.tagOrder[page.index] { result.faults.append(fault) }
  }
}

/// Compares tags and alternative texts with those that were written. Skips copies of pages, and pages with the content
/// of another page, which `ContentCheck` reports.
struct WrittenTagsCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let expected = page.expected, page.contentOwner == nil, !page.isCopy else { return }
    page.tags.check(expected.tags, &result.faults)
    page.tags.check(expected.pictures, &result.faults)
  }
}
