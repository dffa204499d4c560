import ImageCore
import Platform
import Testing

@testable import PDFVerify

/// The sentence and the severity of every fault.
@Suite struct FaultTextTests {
  typealias Row = (fault: Fault, severity: Severity, text: String)

  static let file: [Row] = [
    (.file(.unreadable("no such file")), .error, "the file cannot be read: no such file"),
    (.file(.empty), .error, "the file is empty"),
    (.file(.notAPDF), .error, "the file is not a PDF; it does not begin with %PDF-"),
    (.file(.truncated), .error, "the file is truncated; its end is missing"),
    (.file(.trailing(1)), .warning, "1 byte follows the end of the PDF (%%EOF)"),
    (
      .file(.trailing(1_025)), .error,
      "1025 bytes follow the end of the PDF (%%EOF); readers accept at most 1,024: cut them off"
    ),
    (.file(.added(2)), .error, "2 bytes follow the end of the PDF (%%EOF), which imghost did not write"),
    (.file(.failure("it crashed")), .error, "it crashed"),
    (
      .encryption(.encrypted), .warning,
      "the file is encrypted; its pages were only rendered, because qpdf is not on the PATH"
    ),
    (
      .encryption(.decrypted), .note, "the file is encrypted; the copy that qpdf decrypted was checked"
    ),
    (
      .encryption(.locked), .error,
      "the file needs a password; nothing was checked: give it with --password-file, or as 'password' " + "in a script"
    ),
    (
      .encryption(.wrongPassword), .error, "the password does not open the file; nothing was checked"
    ),
    (
      .encryption(.lockedWithoutProgram), .error,
      "the file needs a password, and only qpdf can use it, which is not on the PATH"
    ),
    (.encryption(.qpdf("odd xref")), .error, "qpdf says while decrypting: odd xref"),
    (
      .linearization(.wrong("has no length (L)")), .error, "the linearisation dictionary has no length (L)"
    ),
    (
      .linearization(.lost(1)), .warning,
      "the file is no longer linearised: 1 byte was added to it"
    ),
    (
      .linearization(.lost(2)), .warning, "the file is no longer linearised: 2 bytes were added to it"
    ),
    (
      .header(.unknown("9.9")), .error, "the header states the version '9.9', which PDF does not have (1.0 to 1.7, 2.0)"
    ),
    (
      .header(.unknownInCatalogue("9.9")), .error,
      "the catalogue states the version '9.9', which PDF does not have (1.0 to 1.7, 2.0)"
    ),
    (
      .header(.tooOld("1.4")), .error,
      "the file states PDF 1.4 and has a cross-reference stream, which came with PDF 1.5"
    ),
    (
      .header(.changed("1.7", meant: "1.4")), .error, "the file states PDF 1.7; it was written as PDF 1.4"
    ),
    (
      .header(.lowered("1.3", meant: "1.4")), .warning,
      "the file states PDF 1.3 and was written as PDF 1.4; readers ignore that"
    ),
  ]

  static let form: [Row] = [
    (FormFault.header, "the file does not begin with the two lines of a header"),
    (.stray(at: 9), "byte 9 belongs to no object"),
    (.comment(at: 9), "a comment begins at byte 9"),
    (.whiteSpace(at: 9), "there is unusual white space at byte 9"),
    (.spelling("name", at: 9), "the name at byte 9 is spelled in an unusual way"),
    (.tooDeep(at: 9), "the value at byte 9 is nested too deeply"),
    (.doubledKey("Root", at: 9), "the dictionary at byte 9 has the entry 'Root' twice"),
    (.nullEntry("Lang", at: 9), "the entry 'Lang' at byte 9 is null, which imghost never writes"),
    (.nullObject(7), "object 7 is null, which imghost never writes"),
    (.reference(at: 9), "the reference at byte 9 leads to no object of this file"),
    (.objectEnd(7), "object 7 does not end as it should"),
    (.doubledObject(7), "object 7 is in the file twice"),
    (.streamLength(7), "the stream of object 7 does not say itself how long it is"),
    (.externalStream(7), "the stream of object 7 refers to another file"),
    (.table(at: 9), "the cross-reference at byte 9 is written in an unusual way"),
    (.revisions(2), "the file was changed after it was written; it has 2 cross-references"),
    (.chain, "its cross-references do not lead to each other as those of a linearised file"),
    (.trailerKey("XRefStm"), "the trailer has the entry 'XRefStm', which imghost never writes"),
    (.trailerValue("Root"), "the trailer's entry 'Root' is not as imghost and qpdf write it"),
    (.entry(7), "the cross-reference has no entry for object 7, or more than one"),
    (.place(7, stated: 9), "object 7 does not begin at byte 9"),
    (.size, "the trailer states another number of objects than there are"),
    (.objectStream(7), "the object stream in object 7 is not the one that the cross-reference describes"),
    (.unused(7), "nothing in the file uses object 7"),
  ].map { (.form($0.0), .error, "readers may show another document: " + $0.1) }

  static let table: [Row] = [
    (
      .table(.redefined(7)), .error,
      "the cross-reference leads to two objects 7, which differ; readers may take either"
    ),
    (
      .table(.doubledTrailerKey("Root")), .error,
      "the trailer has the entry 'Root' twice with different values; readers may take either"
    ),
    (
      .table(.start(nil)), .error, "the end of the file does not say where the cross-reference table is"
    ),
    (
      .table(.start(9)), .error,
      "the cross-reference table is missing at byte 9"
    ),
    (.table(.malformed(9)), .error, "the cross-reference table is malformed at byte 9"),
    (
      .table(.objectStream(object: 4)), .error, "the object stream in object 4 is missing or damaged"
    ),
    (
      .table(.objectStreamMember(object: 4, stream: 5)), .error,
      "the cross-reference table puts object 4 into the object stream 5, which does not contain it"
    ),
    (
      .table(.offset(object: 4, stated: 10, actual: 20)), .error,
      "the cross-reference table puts object 4 at byte 10; it is at byte 20"
    ),
    (
      .table(.offset(object: 4, stated: 10, actual: nil)), .error,
      "the cross-reference table puts object 4 at byte 10; there is no such object"
    ),
    (.table(.moreOffsets(1)), .warning, "1 more object is not where the table puts it"),
    (.table(.moreOffsets(2)), .warning, "2 more objects are not where the table puts them"),
    (
      .table(.size(stated: 5, actual: 6)), .error, "the trailer counts 5 objects; the cross-reference table has 6"
    ),
    (
      .table(.streamLength(object: 4, stated: 5, actual: 6)), .error,
      "the stream of object 4 is 6 bytes long; its Length says 5"
    ),
    (
      .table(.streamLength(object: 4, stated: nil, actual: nil)), .error,
      "the stream of object 4 is an unknown number of bytes long; its Length says nothing"
    ),
    (.tree(.noCatalogue), .error, "there is no document catalogue"),
    (.tree(.noPageTree), .error, "the document catalogue has no page tree"),
    (.tree(.noPages), .error, "the document has no pages"),
    (.tree(.node(object: 4)), .error, "the page tree is broken at object 4"),
    (
      .tree(.pageTwice(object: 4)), .error, "the page tree has object 4 twice; each page must be an object of its own"
    ),
    (
      .tree(.parent(object: 4, expected: 2)), .error, "object 4 of the page tree does not name its parent, object 2"
    ),
    (
      .tree(.count(object: 2, stated: 3, actual: 1)), .error, "object 2 of the page tree counts 3 pages; there is 1"
    ),
    (
      .tree(.count(object: 2, stated: nil, actual: 4)), .error, "object 2 of the page tree counts no pages; there are 4"
    ),
  ]

  static let structure: [Row] = [
    (.structure(.unreadable(4), isError: true), .error, "object 4 is malformed"),
    (.structure(.endOfObject(4)), .warning, "object 4 does not end with 'endobj'"),
    (
      .structure(.doubledKey(4, "Type")), .warning,
      "object 4 has the entry 'Type' twice with different values; readers may take either"
    ),
    (
      .structure(.streamKeyword(4)), .warning,
      "'stream' of object 4 is not followed by an end of line of LF, or of CR and LF"
    ),
    (
      .structure(.streamEnd(4, more: 1)), .warning, "the stream of object 4 is 1 byte longer than its Length says"
    ),
    (
      .structure(.tableEntry(4)), .warning,
      "the entries of the cross-reference table are not 20 bytes long before that of object 4"
    ),
    (
      .structure(.generation(4, stated: 1, actual: 0)), .warning,
      "the cross-reference table gives object 4 the generation 1; it has 0"
    ),
    (
      .structure(.size(stated: 1, actual: 2)), .warning, "the trailer counts 1 object; the cross-reference table has 2"
    ),
    (
      .structure(.noSize), .warning, "the trailer does not say how many objects there are (Size)"
    ),
    (
      .structure(.type("the catalogue", expected: "Catalog", found: nil)), .warning,
      "the catalogue has no Type; it must be 'Catalog'"
    ),
    (
      .structure(.type("the catalogue", expected: "Catalog", found: "Page")), .warning,
      "the catalogue has the Type 'Page' instead of 'Catalog'"
    ),
    (
      .structure(.rootParent(2)), .warning,
      "the root of the page tree, object 2, has a Parent, which only nodes below it have"
    ),
    (
      .structure(.role(4, "Sea")), .warning,
      "the element in object 4 of the tagged document is a 'Sea', which readers do not know"
    ),
    (
      .structure(.outline(0, "refers to object 3, which is not an outline entry or is already used")), .warning,
      "the outline refers to object 3, which is not an outline entry or is already used"
    ),
    (
      .structure(.outline(2, "names none as its Last; it is object 3")), .warning,
      "entry 2 of the outline names none as its Last; it is object 3"
    ),
    (
      .structure(.more(1)), .warning, "1 more fault of the file's structure is of these kinds"
    ),
    (
      .structure(.more(2)), .warning, "2 more faults of the file's structure are of these kinds"
    ),
  ]

  static let poppler: [Row] = [
    (
      .poppler(.refuses("it has no page 2")), .error, "poppler cannot open the file: it has no page 2"
    ),
    (.poppler(.message("Unknown font")), .warning, "poppler says: Unknown font"),
    (.poppler(.error("Syntax error")), .error, "poppler says: Syntax error"),
    (.poppler(.more(1)), .warning, "poppler says 1 more line"),
    (.poppler(.more(2)), .warning, "poppler says 2 more lines"),
    (
      .poppler(.pageCount(own: 2, poppler: 1)), .error,
      "poppler counts 1 page; the page tree has 2"
    ),
  ]

  static let document: [Row] = [
    (
      .archive(.intentMissing(1)), .warning,
      "the document claims PDF/A-1 but has no output intent, which says what its colours mean"
    ),
    (
      .archive(.intentLost(1)), .error,
      "the document claims PDF/A-1 but has no output intent, which says what its colours mean"
    ),
    (
      .archive(.identifierMissing(1)), .error,
      "the document claims PDF/A-1 but its trailer has no ID, which PDF/A requires"
    ),
    (
      .archive(.action("Launch", part: 1)), .error, "the page has an action of the kind Launch, which PDF/A-1 forbids"
    ),
    (
      .archive(.nonconforming("1b", "it is encrypted, which PDF/A forbids")), .error,
      "the document claims PDF/A-1b but does not conform: it is encrypted, which PDF/A forbids"
    ),
    (
      .archive(.lost("1b", "it is encrypted, which PDF/A forbids")), .error,
      "the document no longer conforms to PDF/A-1b: it is encrypted, which PDF/A forbids"
    ),
    (
      .print(.nonconforming("PDF/X-4", "it is encrypted", part: "ISO 15930-7")), .error,
      "the document claims PDF/X-4 but does not conform: it is encrypted (ISO 15930-7)"
    ),
    (
      .document(.metadataMalformed("it is missing")), .error,
      "the document's metadata (XMP) is not well-formed: it is missing"
    ),
    (
      .document(.metadata(isThere: false, isMeant: true)), .error, "the XMP metadata is missing"
    ),
    (
      .document(.metadata(isThere: true, isMeant: false)), .error, "XMP metadata was added after the book was written"
    ),
    (
      .document(.metadata(isThere: true, isMeant: true)), .error,
      "the XMP metadata was changed after the book was written"
    ),
    (
      .document(.metadata(isThere: true, isMeant: true, changes: ["a", "b"])), .error,
      "the XMP metadata was changed after the book was written: a; b"
    ),
    (
      .document(.info("Title", found: "Sea", meant: "Lake")), .error, "the title is 'Sea'; it was written as 'Lake'"
    ),
    (
      .document(.info("Title", found: nil, meant: "Lake")), .error, "the title is missing; it was written as 'Lake'"
    ),
    (
      .document(.info("Own", found: "Sea", meant: nil)), .error,
      "the entry 'Own' of the Info dictionary is 'Sea'; it was written without one"
    ),
    (
      .document(.entry("Lang", found: "de", meant: "en")), .error,
      "the document's language is 'de'; it was written as 'en'"
    ),
    (
      .document(.entry("Own", found: "de", meant: nil)), .error,
      "the catalogue's entry 'Own' is 'de'; it was written without one"
    ),
    (
      .document(.entry("OutputIntents", found: "a", meant: "b")), .error,
      "the output intent, which says what colours mean, was changed after it was written"
    ),
    (
      .document(.entry("OutputIntents", found: nil, meant: "b")), .error,
      "the output intent, which says what colours mean, is missing"
    ),
    (
      .document(.entry("OutputIntents", found: "a", meant: nil)), .error,
      "there is an output intent, which says what colours mean; the book was written without one"
    ),
    (
      .document(.notAsWritten("the outline has the entry 'X', which imghost never writes")), .error,
      "the document is not as it was written: the outline has the entry 'X', which imghost never writes"
    ),
    (.document(.outlineMissing), .error, "the outline is missing"),
    (.document(.outlineCount(2, actual: 1)), .error, "the outline has 1 entry instead of 2"),
    (
      .document(
        .outlineEntry(1, found: .init(depth: 0, page: 0, title: "Sea"), meant: .init(depth: 1, page: 2, title: "Sea"))),
      .error, "entry 1 of the outline is 'Sea' for no page; it was written as 'Sea' for page 2 on level 2"
    ),
    (.document(.pageCount(2, actual: 1)), .error, "the document has 1 page instead of 2"),
    (.document(.textMissing("Sea")), .error, "the text 'Sea' is nowhere in the document"),
    (
      .document(.textEarlier("Sea", page: 2)), .error,
      "the text 'Sea' is on page 2, but not after the texts that it should follow"
    ),
    (
      .expectations(.damaged), .error, "the expectations that imghost wrote into the file are missing or damaged"
    ),
    (
      .expectations(.unknownVersion), .error, "the expectations in the file have a version that is unknown here"
    ),
    (
      .expectations(.changed), .error, "the expectations that imghost wrote into the file were changed"
    ),
    (
      .expectations(.notFound(areRequired: false)), .note,
      "no expectations found; checked structure, fonts and rendering only"
    ),
    (
      .expectations(.notFound(areRequired: true)), .error,
      "no expectations found: nothing in the file says what its pages should show, which 'sealed' " + "requires"
    ),
    (
      .expectations(.lost), .error,
      "the file names imghost as its producer, but its expectations are missing: another program " + "rewrote it"
    ),
    (.order(.added), .error, "the page was added after the book was written"),
    (.order(.copied(2)), .error, "the page is a second copy of page 2"),
    (.order(.swapped(2)), .error, "the page changed places with page 2"),
    (.order(.moved(2)), .error, "the page was moved; it was written as page 2"),
    (.order(.lost(2...2)), .error, "page 2 is missing"),
    (.order(.lost(2...3)), .error, "pages 2 to 3 are missing"),
    (.order(.moreLost(1)), .error, "1 more page is missing"),
    (.order(.moreLost(2)), .error, "2 more pages are missing"),
  ]

  static let page: [Row] = [
    (.page(.mediaBox("is missing")), .error, "the MediaBox is missing"),
    (.page(.cropBox), .error, "the CropBox is not a rectangle inside the MediaBox"),
    (
      .page(.userUnit(2, PageSize(width: 20_000, height: 72), meant: nil)), .warning,
      "the page's UserUnit is 2, which makes it 20000 x 72 points; without one, sides end at 14,400"
    ),
    (
      .page(.userUnit(1, PageSize(width: 10_000, height: 36), meant: PageSize(width: 20_000, height: 72))), .error,
      "the page's UserUnit is missing, which makes it 10000 x 36 points instead of 20000 x 72"
    ),
    (.page(.rotation(45)), .error, "the page's Rotate is 45; it must be a multiple of 90"),
    (
      .page(.rotation(nil)), .error, "the page's Rotate is not a number; it must be a multiple of 90"
    ),
    (.page(.box("TrimBox", "is not a rectangle")), .error, "the TrimBox is not a rectangle"),
    (.page(.blank), .warning, "the page is blank"),
    (
      .page(.memory(2_000_001, limit: 1_000_000)), .error,
      "the page was not compared: rendering it takes about 3 MB, and 1 MB may be used; allow more with " + "--memory"
    ),
    (
      .page(.scaled(2_000_001, limit: 1_000_000)), .note,
      "the page was compared at a smaller scale: at its pictures' own scale, rendering takes about "
        + "3 MB, and 1 MB may be used"
    ),
    (
      .page(.notAsWritten("it is rotated")), .error, "the page is not as it was written: it is rotated"
    ),
    (
      .page(.size(PageSize(width: 72, height: 48), actual: PageSize(width: 144, height: 96), unit: 2)), .error,
      "the page is 144 x 96 points instead of 72 x 48; its UserUnit is 2"
    ),
    (
      .page(.size(PageSize(width: 20_000, height: 8), actual: PageSize(width: 9, height: 8), unit: 1)), .error,
      "the page is 9 x 8 points instead of 20000 x 8; it was written with a UserUnit, which is missing"
    ),
    (
      .page(.boxes([], actual: [1, 2, 3, 4, 5, 6, 7, 8])), .error,
      "there are a TrimBox and a BleedBox, (1, 2, 3, 4) and (5, 6, 7, 8); the page was written without"
    ),
    (
      .page(.boxes([1, 2, 3, 4, 5, 6, 7, 8], actual: [])), .error,
      "the TrimBox and the BleedBox are missing; they were written as (1, 2, 3, 4) and (5, 6, 7, 8)"
    ),
    (
      .page(.boxes([1, 2, 3, 4, 5, 6, 7, 8], actual: [1, 2, 3, 4, 5, 6, 7, 9])), .error,
      "the TrimBox and the BleedBox are (1, 2, 3, 4) and (5, 6, 7, 9) instead of (1, 2, 3, 4) and " + "(5, 6, 7, 8)"
    ),
    (.page(.pictureCount(2, actual: 1)), .error, "the page shows 1 picture instead of 2"),
    (.content(.missing), .error, "the page's content is missing"),
    (.content(.empty), .note, "the page has no content"),
    (
      .content(.filter("LZWDecode")), .warning, "the page's content is compressed with LZWDecode and was not checked"
    ),
    (.content(.damaged), .error, "the page's compressed content is damaged"),
    (.content(.malformed(at: 9)), .error, "the page's content is malformed at its byte 9"),
    (
      .content(.unknownOperator("xx")), .error, "the page's content has the unknown operator 'xx'"
    ),
    (.content(.unbalanced("q", "Q", 2)), .error, "the page's content has 2 'q' without 'Q'"),
    (
      .content(.operands("cm")), .error, "the page's content gives the operator 'cm' operands it does not take"
    ),
    (.content(.outsideText("Tj")), .error, "the page's content has 'Tj' outside 'BT' and 'ET'"),
    (
      .content(.marksCrossText), .error,
      "the page's content has marks that begin outside a text object and end inside it"
    ),
    (
      .content(.limit("has more than 9 operators")), .error,
      "the page was not rendered: its content has more than 9 operators"
    ),
    (
      .content(.deepNesting(30)), .warning,
      "the page's content nests 'q' 30 deep; readers need not support more than 28"
    ),
    (
      .content(.missingResource("P1")), .error, "the page draws 'P1', which its resources do not have"
    ),
    (.content(.changed), .error, "the page's content was changed after it was written"),
    (.content(.ofPage(2)), .error, "the page has the content meant for page 2"),
  ]

  static let tags: [Row] = [
    (
      .tags(.broken("it has no parent tree")), .error,
      "the structure of the tagged document is broken: it has no parent tree"
    ),
    (
      .tags(.pageBroken("the content has MCID 1 2 times")), .error,
      "the page's part of the structure is broken: the content has MCID 1 2 times"
    ),
    (.tags(.noAlternative(1, page: 0)), .warning, "a figure has no alternative text"),
    (.tags(.noAlternative(1, page: 2)), .warning, "a figure on page 2 has no alternative text"),
    (.tags(.noAlternative(3, page: 0)), .warning, "3 figures have no alternative text"),
    (
      .tags(.noAlternative(3, page: 2)), .warning, "3 figures have no alternative text, the first on page 2"
    ),
    (
      .tags(.structure("the book was written without tags")), .error,
      "the structure of tags is not as it was written: the book was written without tags"
    ),
    (
      .tags(.changed), .error,
      "the page's tags are not as they were written: types, order, texts or places of their elements"
    ),
    (
      .tags(.order(after: 2)), .error, "the page's tags come after those of page 2; they were written elsewhere"
    ),
    (
      .tags(.order(after: nil)), .error,
      "the page's tags come first; they were written elsewhere"
    ),
    (.tags(.unowned(3)), .warning, "no element of the structure has the page's MCID 3"),
    (.tags(.untagged), .warning, "the page has content that is neither tagged nor an artifact"),
    (
      .tags(.alternative(2, expected: "a sea", found: nil)), .error,
      "the alternative text 'a sea' of picture 2 is missing"
    ),
    (
      .tags(.alternative(2, expected: "a sea", found: "a lake")), .error,
      "the alternative text of picture 2 is 'a lake' instead of 'a sea'"
    ),
    (
      .font(.missing("F1")), .error, "the page sets text in font 'F1', which its resources do not have"
    ),
    (.font(.notAFont("F1")), .error, "the page's font 'F1' is not a font"),
    (
      .font(.standard("Helvetica")), .note,
      "the font Helvetica is not embedded; readers use their own, or a similar one"
    ),
    (
      .font(.notEmbedded("Garamond")), .error, "the font Garamond is not embedded; readers may show another"
    ),
    (
      .font(.notEmbeddedInArchive("Garamond", part: 1)), .error,
      "the font Garamond is not embedded, which PDF/A-1 requires"
    ),
    (
      .font(.damaged("Garamond", "its program is missing")), .error,
      "the font Garamond cannot be used: its program is missing"
    ),
    (
      .font(.notSearchable("Garamond")), .warning,
      "text in the font Garamond cannot be searched: the font has no map from glyphs to characters (ToUnicode)"
    ),
    (.font(.changed("Garamond")), .error, "the font Garamond is not as it was written"),
    (.font(.added("Garamond")), .error, "the book was written without the font Garamond"),
    (
      .font(.lost("Garamond")), .error, "the font Garamond, which the book was written with, is no longer used"
    ),
  ]

  static let pictures: [Row] = [
    (
      .picture(2, .bitsStated(4, actual: 8)), .error,
      "picture 2 states 4 bits for each colour component; its data has 8"
    ),
    (
      .picture(2, .ambiguousColours), .error,
      "some readers take picture 2 for RGB and others for YCbCr: it has neither an Adobe marker nor a ColorTransform"
    ),
    (.picture(1, .notAnImage), .error, "picture 1 is not a valid image object"),
    (.picture(1, .form), .warning, "item 1 is a form, whose contents were not compared"),
    (.picture(1, .angle), .warning, "picture 1 lies at an angle and was not compared"),
    (.picture(1, .oddClip), .warning, "picture 1 is clipped by a shape and was not compared"),
    (
      .picture(1, .notDecoded("it is damaged")), .error, "picture 1 cannot be decoded: it is damaged"
    ),
    (
      .picture(1, .notCompared("too little of it can be seen")), .warning,
      "picture 1 was not compared exactly: too little of it can be seen"
    ),
    (
      .picture(1, .foreign("its mask is odd")), .warning, "picture 1 was not compared exactly: its mask is odd"
    ),
    (
      .picture(1, .moreRows), .note, "the compressed data of picture 1 goes on after its last row; no reader shows that"
    ),
    (
      .picture(1, .opacityInData), .warning,
      "picture 1 has opacity in its JPEG 2000 data, which poppler does not show: only its colours were " + "compared"
    ),
    (
      .picture(1, .sizeStated(width: 2, height: 3, actualWidth: 4, actualHeight: 5)), .error,
      "picture 1 states 2x3 pixels; its data has 4x5"
    ),
    (
      .picture(1, .componentsStated(1, actual: 3)), .error, "picture 1 states 1 colour component; its data has 3"
    ),
    (.picture(1, .blank), .error, "the page is blank where picture 1 should be"),
    (
      .picture(1, .pixels(different: 2, of: 9, most: 7, x: 3, y: 4)), .error,
      "picture 1 is not shown as it is stored: 2 of 9 pixels differ, by up to 7, the first at (3, 4)"
    ),
    (
      .picture(1, .magnifiedPixels(share: 0.25, most: 7, x: 3, y: 4)), .error,
      "picture 1 is not shown as it is stored: 25% of its visible part differs, by up to 7, the first "
        + "at its pixel (3, 4)"
    ),
    (
      .picture(1, .unlikeStored(decibels: 20)), .error,
      "picture 1 is not shown as it is stored: 20 dB, at least 25 are needed"
    ),
    (.picture(1, .invisible), .error, "picture 1 lies outside what the page shows"),
    (
      .writtenPicture(1, .resolution(72.25, least: 300, unit: 1)), .error,
      "picture 1 has 72.3 pixels per inch; at least 300 are wanted"
    ),
    (
      .writtenPicture(1, .pixelSize(width: 2, height: 3, actualWidth: 4, actualHeight: 5)), .error,
      "picture 1 has 4x5 pixels instead of 2x3"
    ),
    (
      .writtenPicture(1, .place([0, 0, 9, 9], actual: [1, 0, 9, 9], pixels: 1.5)), .error,
      "picture 1 lies at (1, 0, 9, 9) instead of (0, 0, 9, 9), 1.5 of its pixels off"
    ),
    (
      .writtenPicture(1, .orientation(1, actual: 6)), .error, "picture 1 is turned as EXIF orientation 6 instead of 1"
    ),
    (.writtenPicture(1, .ofOtherPage(2)), .error, "picture 1 is the one meant for page 2"),
    (
      .writtenPicture(1, .ofOtherPlace(2)), .error, "picture 1 is the one meant for picture 2 of this page"
    ),
    (
      .writtenPicture(1, .otherBytes()), .error, "the stored bytes of picture 1 are not those that were written"
    ),
    (
      .writtenPicture(1, .otherBytes(orOf: ["soft mask"])), .error,
      "the stored bytes of picture 1 or of its soft mask are not those that were written"
    ),
    (
      .writtenPicture(1, .addition("a soft mask")), .error, "picture 1 was given a soft mask after it was written"
    ),
    (
      .writtenPicture(1, .repacked), .error,
      "picture 1 was repacked by another program, so that its pixels cannot be proven to be the written "
        + "ones; have the book rewritten with its pictures' data unchanged"
    ),
    (
      .writtenPicture(1, .unlike(decibels: 20)), .error,
      "picture 1 does not look as meant: 20 dB, at least 25 are needed"
    ),
    (
      .writtenPicture(1, .moreLike(page: 2, decibels: 30, meant: 20)), .error,
      "picture 1 looks more like page 2 (30 dB) than as meant (20 dB)"
    ),
    (.source(.unknown(1, folder: "in")), .error, "picture 1 is not made from a file in in"),
    (
      .source(.unnoted(1, folder: "in")), .error,
      "picture 1 is not one of the files in in, and the book does not say what its pictures were made " + "from"
    ),
    (
      .source(.missing(1, 1, of: 3, folder: "in")), .error, "picture 1 was made from 3 files, 1 of which is not in in"
    ),
    (
      .source(.missing(1, 2, of: 3, folder: "in")), .error, "picture 1 was made from 3 files, 2 of which are not in in"
    ),
    (
      .source(.drawn(1)), .warning, "picture 1 was drawn by the script, not made from a file, so no folder can prove it"
    ),
    (
      .source(.partlyDrawn(1)), .note,
      "picture 1 is partly drawn by the script; its files are there, but cannot prove that part"
    ),
    (
      .source(.unread("a.jpg", folder: "in", reason: "denied")), .warning,
      "'a.jpg' in in cannot be read, and may be where a picture comes from: denied"
    ),
    (.source(.moreUnread(2, folder: "in")), .warning, "2 more files in in cannot be read"),
    (
      .source(.noFiles(folder: "in")), .warning, "in contains no files that a picture could come from"
    ),
  ]

  static let texts: [Row] = [
    (.caption(.lost("Sea")), .error, "the text 'Sea' is missing"),
    (.caption(.place("Sea")), .error, "the text 'Sea' is not where it was put"),
    (.caption(.cut("Sea")), .error, "the page's edge cuts the text 'Sea'"),
    (.caption(.outside("Sea")), .error, "the text 'Sea' lies outside what the page shows"),
    (.caption(.reads("Sea", found: "Lake")), .error, "the text 'Sea' reads 'Lake'"),
    (
      .caption(.ofOther("Sea", found: "Lake", page: 2)), .error,
      "where the text 'Sea' should be is 'Lake', which belongs on page 2"
    ),
    (
      .caption(.ofOther("Sea", found: "Lake", page: nil)), .error,
      "where the text 'Sea' should be is 'Lake', which belongs elsewhere on this page"
    ),
    (
      .link(.address(1, "http://a", meant: "http://b")), .error,
      "link 1 leads to 'http://a'; it was written to lead to 'http://b'"
    ),
    (
      .link(.place(1, "http://a", actual: [1, 2, 3, 4], expected: [5, 6, 7, 8])), .error,
      "link 1 to 'http://a' lies at (1, 2, 3, 4) instead of (5, 6, 7, 8)"
    ),
    (.link(.missing("http://a")), .error, "the link to 'http://a' is missing"),
    (.link(.added("http://a")), .error, "the link to 'http://a' was added"),
    (
      .link(.annotationAdded("Text")), .error, "the page was written without an annotation of the kind Text"
    ),
  ]

  static let rows = file + form + table + structure + poppler + document + page + tags + pictures + texts

  @Test func everyFaultReadsWell() {
    for row in Self.rows {
      #expect(row.fault.text == row.text)
      #expect(row.fault.severity == row.severity, "\(row.text)")
    }
  }

  @Test func namesTheFileOfAPicture() {
    let fault = Fault.writtenPicture(2, .ofOtherPlace(1))
    #expect(
      fault.text(naming: ["a.jpg", "b.jpg"])
        == "picture 2 (b.jpg) is the one meant for picture 1 of this page")
    #expect(fault.text(naming: ["a.jpg"]) == fault.text)
  }

  /// Reads the cases from the sources, so that a new one without a row fails.
  @Test func everyFaultHasARow() throws {
    let folder = "\(#filePath)".replacing(
      "Tests/PDFVerifyTests/FaultTextTests.swift", with: "Sources/Books/PDFVerify/Faults/")
    var source = ""
    for name in try #require(folderNames(folder)) where name.hasSuffix(".swift") {
      source += String(decoding: try InputFile(path: folder + name).bytes(at: 0, count: 1 << 16), as: UTF8.self)
    }
    let tested = Set(Self.rows.map { Self.name($0.fault) })
    let fault = Self.cases(of: "Fault", in: source)
    #expect(!fault.isEmpty)
    for (kind, type) in fault {
      let cases = Self.cases(of: type, in: source)
      #expect(!cases.isEmpty, "\(type)")
      for (name, _) in cases { #expect(tested.contains("\(kind).\(name)"), "\(type).\(name) has no row") }
    }
  }

  /// Returns `page.blank` for `.page(.blank)`.
  private static func name(_ fault: Fault) -> String {
    let (kind, value) = Mirror(reflecting: fault).children.first!
    let isWrapped = Mirror(reflecting: value).displayStyle == .tuple
    let inner =
      isWrapped
      ? Mirror(reflecting: value).children.map(\.value).first { !($0 is Int || $0 is Bool) } ?? value
      : value
    let name = Mirror(reflecting: inner).children.first?.label ?? "\(inner)"
    return "\(kind ?? "").\(name)"
  }

  /// Returns the names of an enum's cases with the last type among their values.
  private static func cases(of name: String, in source: String) -> [(name: String, type: String)] {
    let body = source.split(separator: "\n").drop { !$0.hasPrefix("enum \(name):") }.prefix { $0 != "}" }
    return body.compactMap { line in
      guard let match = line.firstMatch(of: #/^  case (\w+)(.*)$/#) else { return nil }
      let type = match.2.firstMatch(of: #/(\w+Fault)/#)?.1 ?? ""
      return (String(match.1), String(type))
    }
  }
}
