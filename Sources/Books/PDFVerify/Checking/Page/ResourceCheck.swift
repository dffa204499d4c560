/// Checks that the page's resources contain everything that the content refers to, except XObjects, which
/// `PictureChecker` checks. Notes the fonts that the page uses.
struct ResourceCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    let (file, resources, content) = (page.file, page.resources, page.content.reader)
    for (category, names) in content.names.sorted(by: { $0.key < $1.key })
    where category != "XObject" {
      let known = file.resolve(resources[category]).dictionary ?? [:]
      for name in names.sorted() where known[name] == nil {
        result.faults.append(category == "Font" ? .font(.missing(name)) : .content(.missingResource(name)))
      }
    }
    let used = content.names["Font"] ?? []
    for (name, facts) in page.document.fonts.fonts(of: resources).sorted(by: { $0.key < $1.key }) {
      guard let facts else {
        if used.contains(name) { result.faults.append(.font(.notAFont(name))) }
        continue
      }
      // An unused font does no harm. Fonts of forms, whose keys contain spaces, count as used.
      let isUsed = used.contains(name) || name.contains(" ")
      if isUsed, !result.fonts.contains(facts) { result.fonts.append(facts) }
    }
  }
}
