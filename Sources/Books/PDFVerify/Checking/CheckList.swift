/// A check of the whole document that does not need rendered pages.
protocol DocumentCheck: Sendable {
  func check(_ document: DocumentContext) -> [Fault]
}

/// A check of one page. It may use what earlier checks have added to the result.
protocol PageCheck: Sendable {
  func check(_ page: PageContext, _ result: inout PageResult)
}

/// A check of the whole document that needs the results of all its pages.
protocol ResultCheck: Sendable {
  func check(_ document: DocumentContext, _ pages: inout [PageResult]) -> [Fault]
}

/// All checks, in the order of the faults in a report.
///
/// To add a check, write a file with a type that conforms to one of the protocols above, and list it here with a
/// comment on what it proves, which goes into Docs/Reference/Verification.md.
enum CheckList {
  static let document: [any DocumentCheck] = [
    ObjectCheck(),  // every object is well-formed
    FormCheck(),  // no other reader finds other objects
    SourceFolderCheck(),  // the folder of sources can be read
    PageTreeCheck(),  // the page tree leads to all pages
    OutlineCheck(),  // the outline's entries name each other
    MetadataCheck(),  // the XMP packet is well-formed
    ArchiveCheck(),  // a document that claims PDF/A conforms
    PrintCheck(),  // a document that claims PDF/X conforms
    LinearizationCheck(),  // a linearised file describes itself correctly
    EmbeddedExpectationsCheck(),  // the expectations are there and unchanged
    WrittenDocumentCheck(),  // a book has no entries that imghost never writes
    HeaderCheck(),  // the version is known, and is the expected one
    TagTreeCheck(),  // the structure of tags is sound
    PageOrderCheck(),  // no page was lost, added or moved
    StatementCheck(),  // Info, catalogue, XMP and outline are as written
    AddedTagsCheck(),  // no structure of tags was added
  ]

  static let page: [any PageCheck] = [
    ResourceCheck(),  // names in its content lead to resources
    PageTagCheck(),  // marks, annotations and the parent tree agree
    PageTagOrderCheck(),  // tags are in the order in which they were written
    ContentCheck(),  // the content is as written
    BlankPageCheck(),  // it paints something, upright
    PicturesCheck(),  // each picture is shown as it is stored
    CaptionCheck(),  // texts are there, in their places
    WrittenTagsCheck(),  // tags and alternative texts are as written
    LinkCheck(),  // links are as written
    ExpectationCheck(),  // size, boxes and pictures are as written
    WrittenEntriesCheck(),  // it has no entries that imghost never writes
    RequirementCheck(),  // its size and resolution are the required ones
    SourceCheck(),  // pictures come from the folder of sources
    ArchiveActionCheck(),  // it has no action that PDF/A forbids
    PrintPageCheck(),  // boxes, colours and annotations are those of PDF/X, if it is claimed
  ]

  static let result: [any ResultCheck] = [
    RequirementCheck(),  // it has the required pages and texts
    FontCheck(),  // fonts are embedded, and their text can be searched
    WrittenFontCheck(),  // fonts are as written
  ]
}
