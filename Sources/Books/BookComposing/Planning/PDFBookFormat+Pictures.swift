import ImageCore
import ImagePipeline
import PDFBook

/// What is wrong with single pictures of a book, known from options and headers.
extension PDFBookFormat {
  package func problems(ofPictures pictures: [BookPicture], arguments: Arguments) -> [Int: String] {
    var layout = Self.layout(arguments)
    guard layout.options.kind == .single else {
      return CellCaptionCheck(arguments)?.problems(of: pictures) { pictures in
        (try? Self.arrange(pictures, layout, arguments))?.pages
      } ?? [:]
    }
    layout.setup.margins =
      RunningLines(arguments, margins: layout.setup.margins).innerMargins
    // A book without captions needs no Pango.
    let hasCaptions = pictures.contains { !$0.caption.isEmpty }
    let captions = hasCaptions ? CaptionCheck(arguments, layout) : nil
    var problems: [Int: String] = [:]
    for (index, picture) in pictures.enumerated() {
      do throws(PDFError) {
        // On a paper it is the margins that leave no room, for all alike.
        if layout.setup.paper == nil { try layout.check(LayoutPicture(picture), index) }
        try captions?.check(picture)
      } catch {
        problems[index] = "\(error)"
      }
    }
    return problems
  }

  package func pictureCheck(_ arguments: Arguments) -> ((StoredPicture) -> StoredPictureProblem?)? {
    let settings = DocumentSettings(arguments, creationTime: nil)
    guard settings.promises else { return nil }
    return { picture in
      if let problem = settings.problem(with: PDFPicture(outlineOf: picture)) {
        return .refused(problem)
      }
      guard settings.conformance == .pdfA1b, case .lossless(let format, _) = picture,
        format.hasAlpha
      else { return nil }
      return .doubtful(
        "has an alpha channel; PDF/A-1b refuses opacity, and only a run tells whether there is any")
    }
  }
}

extension PDFPicture {
  fileprivate init(outlineOf picture: StoredPicture) {
    switch picture {
    case .file(let path, let header): self.init(outlineOf: header, path: path)
    case .lossless(let format, let metadata):
      self.init(
        outline: .flate, colourSpace: ColourSpace(format), bits: format.sample.byteCount * 8,
        iccProfile: metadata.iccProfile)
    case .encoded(let format, let metadata):
      self.init(
        outline: .jpeg, colourSpace: ColourSpace(format), bits: 8, iccProfile: metadata.iccProfile)
    }
  }

  private init(outlineOf header: PictureHeader, path: String) {
    let format = header.layout.format
    var space = ColourSpace(format)
    var profile = header.metadata.iccProfile
    // A header has the profile of what is decoded, and a CMYK file's own is read when it is needed.
    if header.codec == "jpeg", header.details["components"] == .integer(4) {
      space = .cmyk
      profile = (try? InputFile(path: path)).map(JPEGProfile.read) ?? []
    }
    let isJPEG2000 = header.codec == "jpeg2000"
    self.init(
      outline: isJPEG2000
        ? .jpeg2000(statesColour: false, hasAlpha: false)
        : header.codec == "jpeg" ? .jpeg : .flate,
      colourSpace: space, bits: header.codec == "png" ? format.sample.byteCount * 8 : 8,
      iccProfile: isJPEG2000 ? [] : profile)
  }
}

extension PDFPicture.ColourSpace {
  fileprivate init(_ format: PixelFormat) { self = format.model == .gray ? .gray : .rgb }
}
