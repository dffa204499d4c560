/// Compares the page's marked content and annotations with the structure of tags.
struct PageTagCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    if !page.isCopy { page.tags.check(&result.faults) }
  }
}

/// Reports a page whose tags are not read in the order in which they were written.
struct PageTagOrderCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    if let fault = page.document.tagOrder[page.index] { result.faults.append(fault) }
  }
}

/// Compares tags and alternative texts with those that were written. A page with another page's content is reported
/// only as such.
struct WrittenTagsCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let expected = page.expected, page.contentOwner == nil, !page.isCopy else { return }
    page.tags.check(expected.tags, &result.faults)
    page.tags.check(expected.pictures, &result.faults)
  }
}
