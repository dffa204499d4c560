/// Reports a page that paints nothing, unless it was written without pictures, and a book page that was rotated.
struct BlankPageCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    if !page.content.reader.paints, page.expected?.pictures.isEmpty != true {
      result.faults.append(.page(.blank))
    }
    if page.geometry.isTurned, page.expected != nil {
      result.faults.append(.page(.notAsWritten("it is rotated")))
    }
  }
}
