/// Reports the faults that reading every object found.
struct ObjectCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.objects.faults }
}

/// Reports the files of the folder of sources that could not be read.
struct SourceFolderCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.settings.sources?.faults ?? [] }
}

/// Reports the faults that reading the page tree found.
struct PageTreeCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.tree.faults }
}

/// Reports the fault that reading the XMP packet found.
struct MetadataCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.metadata.faults }
}

/// Reports the fault that reading the expectations found.
struct EmbeddedExpectationsCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.expectationFault.map { [$0] } ?? [] }
}

/// Reports the faults that reading the structure of tags found.
struct TagTreeCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] { document.tags.faults }
}

/// Reports lost and added pages.
struct PageOrderCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    if let alignment = document.alignment { return alignment.faults }
    guard let count = document.expectations?.expected.pages.count, count > 0 else { return [] }
    return [.document(.pageCount(count, actual: 0))]
  }
}

/// Reports a structure of tags in a book that was written without one.
struct AddedTagsCheck: DocumentCheck {
  func check(_ document: DocumentContext) -> [Fault] {
    guard !document.pages.isEmpty, let meant = document.meant else { return [] }
    return document.tags.faults(of: meant)
  }
}
