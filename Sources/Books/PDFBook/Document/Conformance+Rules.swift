import ImageCore

/// The rules of a standard that a book can break. The writer follows the others in any case: stream lengths
/// and line ends, the identifier, the binary comment, links that print.
extension Conformance {
  /// The name in messages.
  package var name: String { archivalPart.map { "PDF/A-\($0)b" } ?? (self == .pdfX4 ? "PDF/X-4" : "PDF/X-1a") }

  /// Whether the standard allows opacity, JPEG 2000, 16 bits and object streams (ISO 19005-2:2011, PDF 1.7;
  /// ISO 15930-7:2010, PDF 1.6).
  private var isModern: Bool { !isOpaque }

  /// The sister that allows them.
  package var modern: String { isForPrint ? "pdf/x-4" : "pdf/a-2b" }

  /// Returns why a picture cannot be in such a file; nil if it can.
  func problem(with picture: PDFPicture) -> String? {
    switch picture.format.colourSpace {
    case .rgb, .indexed: if isInk { return "its colours are RGB" }
    case .gray, .cmyk: break
    }
    if isForPrint, case .jpeg2000 = picture.compression {
      return "it is JPEG 2000, whose colours the file does not state; use reencode = true"
    }
    if !isForPrint, picture.format.colourSpace == .cmyk, picture.iccProfile.isEmpty {
      return
        "it is CMYK without a profile, and the file's output intent is sRGB; use reencode = true"
    }
    if let problem = limitProblem(withStream: picture.data.count) { return problem }
    guard !isModern else { return nil }
    // The major version is the ninth byte (ICC.1:2010, 7.2.4).
    if !isInk, picture.iccProfile.count > 8, picture.iccProfile[8] > 2 {
      return "its colour profile has version \(picture.iccProfile[8]), and PDF 1.4 allows only 2; " + "use \(modern)"
    }
    if picture.mask != nil { return "it has opacity; use flatten(), or \(modern)" }
    switch picture.compression {
    case .jpeg2000: return "it is JPEG 2000, which PDF 1.4 does not have; use \(modern)"
    case .jpeg, .flate, .fax: break
    }
    return picture.format.bits == 16 ? "it has 16 bits a sample, which PDF 1.4 does not have; use \(modern)" : nil
  }

  /// Returns why a page cannot be in such a file; nil if it can.
  func problem(with page: PDFPage) -> String? {
    if !page.captions.isEmpty { return "its caption's font, Helvetica, is not part of the file" }
    if isForPrint {
      if page.size.userUnit > 1 { return "it is longer than 200 inches" }
      if !page.links.isEmpty { return "it has links, which lie on the printed area; leave out 'link'" }
    }
    if !isModern, page.size.userUnit > 1 {
      return "it is longer than 200 inches, which needs PDF 1.6; use \(modern)"
    }
    if !isModern, page.isTranslucent { return "it has a colour that is partly transparent; use \(modern)" }
    return limitProblem(with: page)
  }

  /// Returns settings that such a file cannot have, a clause each.
  func problems(with settings: DocumentSettings) -> [String] {
    var problems = limitProblems(with: settings)
    if isForPrint, settings.info.title.isEmpty { problems.append("\(name) wants a title; add title = \"…\"") }
    if self == .pdfX4, settings.version == .v17 {
      problems.append("\(name) is PDF 1.6 at most; leave out 'pdf_version'")
    }
    if !isModern, settings.isCompact {
      problems.append("\(name) has no object streams; leave out 'compact', or use \(modern)")
    }
    if !isModern, let version = settings.version, version != .v14 {
      problems.append("\(name) is PDF 1.4; leave out 'pdf_version', or use \(modern)")
    }
    return problems
  }
}
