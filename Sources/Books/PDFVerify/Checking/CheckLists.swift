/// A check of the whole document that does not need rendered pages.
///
/// To add one: write a file with a type that conforms, and list it in `DocumentChecks`.
protocol DocumentCheck: Sendable {
  func check(_ document: DocumentContext) -> [Fault]
}

/// A check of one page.
///
/// To add one: write a file with a type that conforms, and list it in `PageChecks`.
protocol PageCheck: Sendable {
  func check(_ page: PageContext, _ result: inout PageResult)
}

/// A check of the whole document that needs the results of all its pages.
///
/// To add one: write a file with a type that conforms, and list it in `ResultChecks`.
protocol ResultCheck: Sendable {
  func check(_ document: DocumentContext, _ pages: inout [PageResult]) -> [Fault]
}

/// The checks of the whole document, in the order in which the report lists their faults.
enum DocumentChecks {
  static let all: [any DocumentCheck] = [
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
}

/// The checks of a page, in the order in which the report lists its faults. Later checks may use what earlier ones add
/// to the result.
enum PageChecks {
  static let all: [any PageCheck] = [
    ResourceCheck(),  // names lead to resources; notes the page's fonts
    PageTagCheck(),  // marks, annotations and the parent tree agree
    PageTagOrderCheck(),  // tags are read in the order in which they were written
    ContentCheck(),  // the content is as written
    BlankPageCheck(),  // the page paints something, upright
    PicturesCheck(),  // each picture is shown as stored; notes pictures
    CaptionCheck(),  // texts are there, in their places
    WrittenTagsCheck(),  // tags and alternative texts are as written
    LinkCheck(),  // links are as written
    ExpectationCheck(),  // size, boxes and pictures are as written
    WrittenEntriesCheck(),  // a page has no entries that imghost never writes
    RequirementCheck(),  // size and resolution are the required ones
    SourceCheck(),  // pictures come from the folder of sources
    ArchiveActionCheck(),  // no action that PDF/A forbids
    PrintPageCheck(),  // boxes, colours and annotations are those of PDF/X, if it is claimed
  ]
}

/// The checks that run last.
enum ResultChecks {
  static let all: [any ResultCheck] = [
    RequirementCheck(),  // number of pages, texts
    FontCheck(),  // fonts are embedded and can be searched
    WrittenFontCheck(),  // fonts are as written
  ]
}
