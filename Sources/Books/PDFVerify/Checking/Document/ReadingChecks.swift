struct ObjectCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.objects.faults }
}

/// Reports files in the folder of sources that could not be read, or a folder without files.
struct SourceFolderCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.settings.sources?.faults ?? [] }
}

struct PageTreeCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.tree.faults }
}

struct MetadataCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.metadata.faults }
}

struct EmbeddedExpectationsCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.expectationFault.map { [$0] } ?? [] }
}

struct TagTreeCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.tags.faults }
}

/// Reports lost pages, or a wrong number of pages. `PageChecker` reports pages that were added or moved.
struct PageOrderCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    if let alignment = document.alignment { return alignment.faults }
    guard let count = document.expectations?.expected.pages.count, count > 0 else { return [] }
    return [.document(.pageCount(count, actual: 0))]
  }
}

/// Reports a tag structure in a book that was written without one.
struct AddedTagsCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard !document.pages.isEmpty, let meant = document.meant else { return [] }
    return document.tags.faults(of: meant)
  }
}
