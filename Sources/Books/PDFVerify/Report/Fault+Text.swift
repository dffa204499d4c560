extension Fault: CustomStringConvertible {
  /// One sentence without its full stop; the page is named by whoever prints it.
  var description: String {
    documentText ?? treeText ?? pageText ?? tagText ?? fontText ?? pictureText
      ?? expectationText ?? orderText ?? ownText
      ?? preconditionFailure("a fault without a sentence")
  }

  private var documentText: String? {
    switch self {
    case .unreadable(let reason): "the file cannot be read: \(reason)"
    case .empty: "the file is empty"
    case .notAPDF: "the file is not a PDF; it does not begin with %PDF-"
    case .header(let fault): fault.description
    case .linearization(let what): "what the file says of its linearisation \(what)"
    case .linearizationLost(let count):
      "the file is linearised no more: \(count) byte\(count == 1 ? " was" : "s were") added to it"
    case .truncated: "the end of the file is missing; it is truncated"
    case .trailing(let count):
      "\(count) \(count == 1 ? "byte" : "bytes") after the end of the PDF (%%EOF) "
        + "\(count == 1 ? "is" : "are") no part of it"
        + (count > Self.toleratedTrailing ? "; readers pass over 1,024 at most: cut them off" : "")
    case .encrypted:
      "the file is encrypted; its pages were only rendered, as the program qpdf is not on the PATH"
    case .decrypted: "the file is encrypted; what qpdf decrypted was checked"
    case .locked:
      "the file opens with a password only; nothing was checked: give it with --password-file, "
        + "or as 'password' in a script"
    case .wrongPassword: "the password that was given does not open the file; nothing was checked"
    case .lockedWithoutProgram:
      "the file opens with a password only, which takes the program qpdf; it is not on the PATH"
    case .qpdf(let message): "qpdf says while decrypting: \(message)"
    case .startOffset(let offset?):
      "the cross-reference table should begin at byte \(offset), but there is none"
    case .startOffset(nil): "the end of the file does not say where the cross-reference table is"
    case .tableMalformed(let offset):
      "the cross-reference table cannot be understood at byte \(offset)"
    case .objectStream(let object):
      "the object stream in object \(object) is missing or damaged"
    case .objectStreamMember(let object, let stream):
      "the cross-reference table puts object \(object) into the object stream \(stream), which does not "
        + "hold it"
    case .offset(let object, let stated, let actual?):
      "the cross-reference table puts object \(object) at byte \(stated); it is at byte \(actual)"
    case .offset(let object, let stated, nil):
      "the cross-reference table puts object \(object) at byte \(stated); there is no such object"
    case .moreOffsets(let count): "\(count) more objects are not where the table puts them"
    case .size(let stated, let actual):
      StructureFault.size(stated: stated, actual: actual).description
    case .structure(let fault, _): fault.description
    case .popplerRefuses(let reason): "poppler cannot open the file: \(reason)"
    case .poppler(let message), .popplerError(let message): "poppler says: \(message)"
    case .morePoppler(let count):
      "poppler says \(count) more line\(count == 1 ? "" : "s")"
    case .failure(let reason): reason
    default: nil
    }
  }

  private var treeText: String? {
    switch self {
    case .noCatalogue: "there is no document catalogue"
    case .noPageTree: "the document catalogue has no page tree"
    case .noPages: "the document has no pages"
    case .treeNode(let object): "the page tree is broken at object \(object)"
    case .pageTwice(let object):
      "the page tree has object \(object) twice; each page must be an object of its own"
    case .parent(let object, let expected):
      "object \(object) of the page tree does not name its parent, object \(expected)"
    case .count(let object, let stated, let actual):
      "object \(object) of the page tree counts \(stated.map { "\($0)" } ?? "no") pages; "
        + "there are \(actual)"
    case .popplerPages(let own, let poppler):
      "poppler counts \(poppler) pages; the page tree has \(own)"
    case .metadata(let reason): "the document's metadata (XMP) is not well-formed: \(reason)"
    case .archiveIntent(let part), .archiveIntentLost(let part):
      "the document claims PDF/A-\(part) but has no output intent, which says what its colours mean"
    case .archiveIdentifier(let part):
      "the document claims PDF/A-\(part) but its trailer has no ID, which that demands"
    case .archiveBroken(let claim, let reason):
      "the document claims PDF/A-\(claim) and is none: \(reason)"
    case .archiveLost(let claim, let reason): "no PDF/A-\(claim) any more: \(reason)"
    case .archiveAction(let kind, let part):
      "the page has an action of the kind \(kind), which PDF/A-\(part) forbids"
    default: nil
    }
  }

  private var pageText: String? {
    switch self {
    case .pageBox(let reason): "the MediaBox \(reason)"
    case .userUnit(let unit, let size, let meant):
      "the page's UserUnit \(unit == 1 ? "is missing" : "is " + ReportNumber.text(unit, decimals: 4)), "
        + "which makes it \(Self.size(size.width, size.height)) points"
        + (meant.map { " instead of " + Self.size($0.width, $0.height) }
          ?? "; without one, sides end at 14,400")
    case .cropBox: "the CropBox is not a rectangle inside the MediaBox"
    case .rotation(let degrees):
      "the page's Rotate is \(degrees.map { ReportNumber.text($0, decimals: 2) } ?? "no number"); "
        + "it must be a multiple of 90"
    case .box(let name, let reason): "the \(name) \(reason)"
    case .popplerSize(let width, let height, let ownWidth, let ownHeight):
      "poppler measures \(Self.size(width, height)) points; the page's box is "
        + Self.size(ownWidth, ownHeight)
    case .streamLength(let object, let stated, let actual):
      "the stream of object \(object) is \(actual.map { "\($0)" } ?? "an unknown number of") "
        + "bytes long; its Length says \(stated.map { "\($0)" } ?? "nothing")"
    case .contentMissing: "the page's content is missing"
    case .noContent: "the page has no content"
    case .contentFilter(let name):
      "the page's content is compressed with \(name) and was not checked"
    case .contentDamaged: "the page's compressed content is damaged"
    case .contentMalformed(let offset):
      "the page's content cannot be understood at its byte \(offset)"
    case .unknownOperator(let name): "the page's content has the unknown operator '\(name)'"
    case .unbalanced(let first, let second, let count):
      "the page's content has \(count) '\(first)' without '\(second)'"
    case .contentLimit(let what): "the page's content \(what), so that it was not rendered"
    case .pageMemory(let bytes, let limit):
      "rendering the page takes about \(Self.megabytes(bytes)) of memory, and \(Self.megabytes(limit)) may "
        + "be used, so that it was not compared; allow more with --memory"
    case .pageScaled(let bytes, let limit):
      "rendering the page at its pictures' own scale takes about \(Self.megabytes(bytes)) of memory, and "
        + "\(Self.megabytes(limit)) may be used, so that it was compared at a smaller one"
    case .missingResource(let name): "the page draws '\(name)', which its resources do not have"
    case .operands(let name):
      "the page's content gives the operator '\(name)' operands it does not take"
    case .outsideText(let name): "the page's content has '\(name)' outside 'BT' and 'ET'"
    case .limit(let text): text
    case .blank: "the page is blank"
    default: nil
    }
  }

  private var tagText: String? {
    switch self {
    case .tags(let reason): "the structure of the tagged document is broken: \(reason)"
    case .pageTags(let reason): "the page's part of the structure is broken: \(reason)"
    case .noAlternative(let count, let page):
      count == 1
        ? "a figure\(page > 0 ? " on page \(page)" : "") has no alternative text"
        : "\(count) figures have no alternative text"
          + (page > 0 ? ", the first on page \(page)" : "")
    case .tagStructure(let reason): "the structure of tags is not as it was written: \(reason)"
    case .tagsChanged:
      "the page's tags are not as they were written: types, order, texts or places of their elements"
    case .tagOrder(let page?):
      "the page's tags are read after those of page \(page), and not where they were written"
    case .tagOrder(nil): "the page's tags are read first, and not where they were written"
    case .unowned(let mark): "no element of the structure has the page's MCID \(mark)"
    case .untagged: "the page paints what is neither tagged nor an artifact"
    case .marksCrossText: "the page's content has marks that begin outside of a text and end in it"
    case .alternative(let number, let expected, nil):
      "the alternative text \(Self.quoted(expected)) of picture \(number) is missing"
    case .alternative(let number, let expected, let found?):
      "the alternative text of picture \(number) is \(Self.quoted(found)) instead of "
        + Self.quoted(expected)
    default: nil
    }
  }

  private var fontText: String? {
    switch self {
    case .missingFont(let name):
      "the page sets text in font '\(name)', which its resources do not have"
    case .notAFont(let name): "what the page calls font '\(name)' is no font"
    case .fontStandard(let name):
      "the font \(name) is not embedded; readers bring it or something like it"
    case .fontMissing(let name):
      "the font \(name) is not embedded, so that readers may show another"
    case .fontMissingInArchive(let name, let part):
      "the font \(name) is not embedded, which PDF/A-\(part) demands"
    case .fontDamaged(let name, let reason): "the font \(name) cannot be used: \(reason)"
    case .fontChanged(let name): "the font \(name) is not as it was written"
    case .fontAdded(let name): "there is the font \(name), which the book was written without"
    case .fontLost(let name): "the font \(name), which the book was written with, is used no more"
    case .fontNotSearchable(let name):
      "text in the font \(name) cannot be searched: nothing says which characters its glyphs are"
    default: nil
    }
  }

  private var pictureText: String? {
    switch self {
    case .notAnImage(let number): "picture \(number) is not a valid image object"
    case .form(let number): "item \(number) is a form; what it shows was not compared"
    case .angle(let number): "picture \(number) lies at an angle and was not compared"
    case .oddClip(let number):
      "picture \(number) is clipped by a shape and was not compared"
    case .notDecoded(let number, let reason): "picture \(number) cannot be decoded: \(reason)"
    case .cannotCompare(let number, let reason), .foreign(let number, let reason):
      "picture \(number) was not compared exactly: \(reason)"
    case .moreRows(let number):
      "the compressed data of picture \(number) has more than its rows; no reader shows that"
    case .opacityInData(let number):
      "picture \(number) has opacity in its JPEG 2000 data, which poppler does not show: "
        + "only its colours were compared"
    case .sizeStated(let number, let width, let height, let actualWidth, let actualHeight):
      "picture \(number) states \(width)x\(height) pixels; its data has "
        + "\(actualWidth)x\(actualHeight)"
    case .componentsStated(let number, let stated, let actual):
      "picture \(number) states \(stated) colour components; its data has \(actual)"
    case .blankRender(let number):
      "the page is blank where picture \(number) should be"
    case .pixels(let number, let different, let total, let most, let x, let y):
      "picture \(number) is not shown as it is stored: \(different) of \(total) pixels differ, "
        + "by up to \(most), the first at (\(x), \(y))"
    case .magnifiedPixels(let number, let share, let most, let x, let y):
      "picture \(number) is not shown as it is stored: "
        + "\(ReportNumber.text(max(0.1, share * 100), decimals: 1))% of what can be seen of it differs, "
        + "by up to \(most), the first at its pixel (\(x), \(y))"
    case .notAsWritten(let what): "the page is not as it was written: \(what)"
    case .invisible(let number): "picture \(number) lies outside what the page shows"
    default: nil
    }
  }

  private var expectationText: String? {
    switch self {
    case .expectations(let text): text
    case .requiredText(let text): "the text \(Self.quoted(text)) is nowhere in the document"
    case .requiredTextEarlier(let text, let page):
      "the text \(Self.quoted(text)) is on page \(page), and not once more after those that it should follow"
    case .resolution(let number, let actual, let least, let unit):
      "picture \(number) has \(ReportNumber.text(actual, decimals: 1)) pixels per inch; "
        + "at least \(ReportNumber.text(least, decimals: 1)) are wanted" + Self.cause(unit)
    case .sourceUnknown(let number, let folder):
      "picture \(number) comes from no file in \(folder)"
    case .sourceUnnoted(let number, let folder):
      "picture \(number) is none of the files in \(folder), and the book did not note what its "
        + "pictures were made from"
    case .sourcesMissing(let number, let count, let all, let folder):
      "picture \(number) was made of \(all) files, \(count) of which \(count == 1 ? "is" : "are") "
        + "not in \(folder)"
    case .sourceDrawn(let number):
      "picture \(number) was drawn by the script and made of no file, so that no folder can prove it"
    case .sourcePartlyDrawn(let number):
      "picture \(number) is partly drawn by the script: its files are there, that part is in none"
    case .sourceUnread(let name, let folder, let reason):
      "'\(name)' in \(folder) cannot be read, and may be where a picture comes from: \(reason)"
    case .moreSourcesUnread(let count, let folder):
      "\(count) more files and folders in \(folder) cannot be read"
    case .noSources(let folder): "there are no files in \(folder) that a picture could come from"
    case .contentOfPage(let page): "the page has the content meant for page \(page)"
    case .noExpectations(areWanted: false): VerificationReport.unsealedText
    case .noExpectations(areWanted: true):
      "no expectations found: nothing in the file says what its pages should show, which 'sealed' demands"
    case .expectationsLost:
      "the file names imghost as its producer, but its expectations are missing: another program rewrote it"
    case .contentChanged: "the page's content was changed after it was written"
    case .captionLost(let text): "the text \(Self.quoted(text)) is missing"
    case .captionPlace(let text): "the text \(Self.quoted(text)) is not where it was put"
    case .captionCut(let text): "the page's edge cuts the text \(Self.quoted(text))"
    case .captionOutside(let text):
      "the text \(Self.quoted(text)) lies outside what the page shows"
    case .captionOfOther(let text, let found, let page):
      "where the text \(Self.quoted(text)) should be is \(Self.quoted(found)), which belongs "
        + (page.map { "on page \($0)" } ?? "elsewhere on this page")
    case .captionText(let text, let found):
      "the text \(Self.quoted(text)) reads \(Self.quoted(found))"
    case .expectedPages(let count, let actual):
      "the document has \(actual) page\(actual == 1 ? "" : "s") instead of \(count)"
    case .expectedSize(let width, let height, let actualWidth, let actualHeight, let unit):
      "the page is \(Self.size(actualWidth, actualHeight)) points instead of "
        + Self.size(width, height) + Self.cause(unit, meant: max(width, height))
    case .expectedBoxes(let expected, let actual):
      "the TrimBox and the BleedBox are \(Self.boxes(actual)) instead of \(Self.boxes(expected))"
    case .expectedPictures(let count, let actual):
      "the page shows \(actual) picture\(actual == 1 ? "" : "s") instead of \(count)"
    case .expectedPixelSize(let number, let width, let height, let actualWidth, let actualHeight):
      "picture \(number) has \(actualWidth)x\(actualHeight) pixels instead of \(width)x\(height)"
    case .expectedPlace(let number, let expected, let actual, let pixels):
      "picture \(number) lies at \(Self.place(actual)) instead of \(Self.place(expected)), "
        + "\(ReportNumber.text(pixels, decimals: 1)) of its pixels off"
    case .expectedOrientation(let number, let expected, let actual):
      "picture \(number) is turned as EXIF orientation \(actual) instead of \(expected)"
    case .otherPage(let number, let page):
      "picture \(number) is the one meant for page \(page)"
    case .otherPlace(let number, let picture):
      "picture \(number) is the one meant for picture \(picture) of this page"
    case .otherBytes(let number, let parts):
      (["the stored bytes of picture \(number)"] + parts.map { "of its \($0)" })
        .joined(separator: " or ") + " are not those that were written"
    case .pictureAddition(let number, let what):
      "picture \(number) was given \(what) after it was written"
    case .repacked(let number):
      "picture \(number) was unpacked or packed anew by another program, so that nothing tells whether its "
        + "pixels are those that were written; have the book rewritten with its pictures' data as they are"
    case .unlikeStored(let number, let decibels):
      "picture \(number) is not shown as it is stored: "
        + "\(ReportNumber.text(decibels, decimals: 1)) dB, at least 25 are needed"
    case .unlike(let number, let decibels):
      "picture \(number) does not look as meant: "
        + "\(ReportNumber.text(decibels, decimals: 1)) dB, at least 25 are needed"
    case .moreLike(let number, let page, let decibels, let meant):
      "picture \(number) looks more like page \(page) "
        + "(\(ReportNumber.text(decibels, decimals: 1)) dB) "
        + "than as meant (\(ReportNumber.text(meant, decimals: 1)) dB)"
    default: nil
    }
  }

  private var orderText: String? {
    switch self {
    case .pageAdded: "the page was added after the book was written"
    case .pageCopied(let page): "the page is a second copy of page \(page)"
    case .pageSwapped(let page): "the page changed places with page \(page)"
    case .pageMoved(let page): "the page was moved; it was written as page \(page)"
    case .pagesLost(let pages) where pages.count == 1: "page \(pages.lowerBound) is missing"
    case .pagesLost(let pages): "pages \(pages.lowerBound) to \(pages.upperBound) are missing"
    case .morePagesLost(let count): "\(count) more pages are missing"
    default: nil
    }
  }

  static func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

  /// At most 60 characters of a text, on one line.
  static func quoted(_ text: String) -> String {
    let line = String(text.map { $0.isNewline ? " " : $0 }.prefix(60))
    return "'\(line)\(text.count > 60 ? "…" : "")'"
  }

  /// The UserUnit as the cause of a size: one that the page has, or, of a page that is too large without, has lost.
  private static func cause(_ unit: Double, meant side: Double = 0) -> String {
    if unit != 1 { return "; its UserUnit is \(ReportNumber.text(unit, decimals: 4))" }
    return side > 14_400 ? "; it was written with a UserUnit, which is missing" : ""
  }

  private static func size(_ width: Double, _ height: Double) -> String {
    "\(ReportNumber.text(width, decimals: 2)) x \(ReportNumber.text(height, decimals: 2))"
  }

  private static func boxes(_ boxes: [Double]) -> String {
    boxes.isEmpty ? "none" : "\(place(Array(boxes[..<4]))) and \(place(Array(boxes[4...])))"
  }

  static func place(_ box: [Double]) -> String {
    "(\(box.map { ReportNumber.text($0, decimals: 2) }.joined(separator: ", ")))"
  }
}

private func preconditionFailure<Value>(_ message: String) -> Value {
  Swift.preconditionFailure(message)
}
