import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits
import TextShaping

/// Books as PDF: which files they can contain, and how pages are arranged.
enum BookFormat {
  /// Returns whether a PDF can contain files of a format unchanged.
  static func holds(_ codec: String) -> Bool { ["jpeg", "png", "jpeg2000"].contains(codec) }

  static func reasonToEncode(_ header: PictureHeader) -> String? {
    if header.stored != nil { return nil }
    guard holds(header.codec) else {
      return "a PDF does not hold \(header.codec) files"
    }
    guard !header.isEmbeddable else { return nil }
    if header.details["arithmetic"] != nil { return "it is arithmetic-coded, which PDF readers show blank" }
    if header.details["colour"] == .text("YCbCr"), header.details["adobeTransform"] == .integer(0) {
      return "its JFIF marker says YCbCr and its Adobe marker RGB, which PDF readers take in different ways"
    }
    if case .text(let unusual)? = header.details["unusual"] {
      return "\(unusual), and PDF readers show such JPEG 2000 in different ways"
    }
    if header.details["strayBytes"] != nil {
      return "it has stray bytes between its segments, which not every PDF reader skips"
    }
    return "a PDF does not hold such \(header.codec) files"
  }

  /// Returns a page with the bytes of the file itself. `addition` is a clause about bytes that had to be added; nil if
  /// there are none. `whole` is the digest of the file if the page stores exactly its bytes; otherwise nil.
  static func take(_ file: InputFile, _ header: PictureHeader, keepsBytes: Bool)
    throws(PictureError)
    -> (content: EncodedPicture.Content, addition: String?, whole: SHA256Digest?)
  {
    try PictureError.known { () throws in
      // An unsuitable file is reported now, as a fault of this picture. Later it would be a fault of the whole book.
      let picture = try PDFPicture(whole: file, header)
      let digest = try picture.checkedDigest()
      let whole = picture.isWholeFile ? digest : nil
      guard keepsBytes, let small = try picture.inMemory() else {
        return (.file(path: file.path, version: file.version, header, digest), picture.addition, whole)
      }
      return (.taken(small, header.metadata.orientation, digest), picture.addition, whole)
    }
  }

  static func layout(_ arguments: Arguments) -> BookLayout {
    do throws(PageSetupErrors) {
      return try BookLayout(arguments)
    } catch {
      preconditionFailure("checked page options are wrong: \(error)")
    }
  }

  /// Arranges pictures on pages, before any of them is decoded.
  ///
  /// - Parameters:
  ///   - segments: groups of pictures that each begin a page, and pages of text; empty if all pictures form one group.
  ///   - colophon: the text of the last page; nil for none.
  ///   - designed: the pages of the layout `auto`.
  ///   - arguments: arguments without mistakes according to `BookOptions.problems`.
  static func plan(
    _ pictures: [CaptionedPicture], segments: [BookSegment] = [], colophon: PageText? = nil,
    designed: BookDesigning.Designed? = nil, arguments: Arguments
  ) throws(PictureError) -> BookPlan {
    let layout = layout(arguments)
    do throws(PDFError) {
      let plan = try arrange(pictures, segments: segments, colophon: colophon, designed: designed, layout, arguments)
      // Problems that would make writing the book fail are reported before a pixel is decoded.
      try BookLettering(arguments, margins: plan.margins).check(plan)
      try plan.check(DocumentSettings(arguments, creationTime: nil))
      return plan
    } catch {
      throw error.pictureError
    }
  }

  static func arrange(
    _ pictures: [CaptionedPicture], segments: [BookSegment] = [], colophon: PageText? = nil,
    designed: BookDesigning.Designed? = nil,
    _ layout: BookLayout, _ arguments: Arguments
  ) throws(PDFError) -> BookPlan {
    var layout = layout
    if let designed { (layout.setup.margins, layout.type) = (designed.margins, designed.type) }
    return try BookPlan(
      layout, running: RunningLines(arguments, margins: layout.setup.margins),
      pictures: pictures.map(\.layout), segments: segments, designed: designed?.pages, tint: designed?.tint,
      colophon: colophon,
      captions: measurer(of: pictures.map(\.caption), layout, arguments),
      taken: arguments.given.filter { BookPlan.takenOptions.contains($0.name) }
        .map { ($0.name, $0.value) })
  }

  static func background(_ arguments: Arguments) -> Colour {
    arguments.optionalColour("cell_background").flatMap { _ in
      layout(arguments).options.cellBackground
    } ?? arguments.optionalColour("background")?.onPaper ?? .white
  }

  /// Returns the measurer of multi-line captions on pages with several pictures; nil if there are no such captions, or
  /// Pango is missing.
  static func measurer(
    of captions: [String], _ layout: BookLayout, _ arguments: Arguments
  ) -> CaptionMeasurer? {
    guard layout.options.kind != .single,
      arguments.isGiven("caption_lines"),
      arguments.integer("caption_lines") > 1, captions.contains(where: { !$0.isEmpty }),
      BookLettering.isPangoThere, let layouter = try? TextLayouter()
    else { return nil }
    return CaptionMeasurer(captions, style: TextStyle(captionOf: arguments), with: layouter)
  }
}

/// A picture of a book and its caption, empty for none.
struct CaptionedPicture: Sendable {
  let layout: LayoutPicture
  let caption: String

  /// - Parameter keep: the part that must not be cropped; nil for none.
  init(_ info: Picture.Info, caption: String, keep: UnitRectangle? = nil) {
    layout = LayoutPicture(
      width: info.layout.width, height: info.layout.height, resolution: info.metadata.resolution,
      hasCaption: !TextError.isInvisible(caption), keep: keep)
    self.caption = caption
  }

  private init(_ layout: LayoutPicture) { (self.layout, caption) = (layout, "") }

  /// A placeholder for a missing picture, with enough pixels for any page.
  static let standIn = CaptionedPicture(LayoutPicture(width: 10_000, height: 10_000))
}

extension PDFPicture {
  /// Creates a picture from a file that is stored unchanged.
  ///
  /// - Throws: `JPEGFault` or `PNGFault` if a PDF cannot contain the file.
  init(whole file: InputFile, _ header: PictureHeader) throws {
    let profile = header.metadata.iccProfile
    func detail(_ name: String) -> Int {
      if case .integer(let value)? = header.details[name] { value } else { 0 }
    }
    switch header.codec {
    case "png": try self.init(pngFile: file, iccProfile: profile)
    case "jpeg2000":
      self.init(
        jpeg2000File: file, width: header.layout.width, height: header.layout.height,
        components: header.layout.format.model.bandCount, bits: detail("bits"),
        isCodestream: detail("codestream") == 1, hasAlpha: false, iccProfile: profile)
    default:
      try self.init(jpegFile: file, iccProfile: profile)
    }
  }
}

extension PDFPicture {
  /// The number of bytes of the picture's data that are in memory.
  var memoryByteCount: Int {
    let own =
      switch data {
      case .bytes(let bytes): bytes.count
      case .encoded(let bytes): bytes.count
      case .completed(let head, _, _): head.count
      case .file, .parts: 0
      }
    return own + (mask?.count ?? 0)
  }
}

/// Pages in files that a PDF cannot contain, such as TIFF, but whose `StoredPage` it can contain.
extension BookFormat {
  /// Returns the stored form of a page for the book.
  ///
  /// - Parameter jpeg: reads the header of a JPEG.
  /// - Throws: `PictureError.codec` if a PDF cannot contain the page, so that it must be encoded.
  static func take(
    _ page: StoredPage, named path: String, _ header: PictureHeader, jpeg: any PictureCodec
  ) throws(PictureError) -> EncodedPicture.Content {
    let picture: (PDFPicture, SHA256Digest) = try PictureError.known { () throws in
      if page.form == .fax {
        guard page.width == header.layout.width, page.height == header.layout.height else {
          throw PictureError.codec(.changed)
        }
        let picture = try PDFPicture(
          fax: page.bytes, width: page.width, height: page.height, isInverted: page.isInverted,
          iccProfile: header.metadata.iccProfile)
        return (picture, try picture.checkedDigest())
      }
      let file = try InputFile(page.bytes, label: path)
      let own = try jpeg.readHeader(file)
      if let reason = reasonToEncode(own) { throw PictureError.codec(.refused(reason)) }
      let layout = own.layout
      guard layout.width == header.layout.width, layout.height == header.layout.height,
        page.form == .jpeg || own.metadata.orientation == header.metadata.orientation
      else { throw PictureError.codec(.refused("its JPEG has another size or is turned otherwise")) }
      let picture =
        try page.form == .original
        ? PDFPicture(whole: file, own)
        : PDFPicture(jpegFile: file, iccProfile: header.metadata.iccProfile)
      // `checkedDigest` reads the data through `file`, which has exactly the bytes that the book stores.
      return (picture.holding(page.bytes), try picture.checkedDigest())
    }
    return .taken(picture.0, header.metadata.orientation, picture.1)
  }
}

/// Problems of single pictures that can be found from options and headers.
extension BookFormat {
  static func problems(ofPictures pictures: [CaptionedPicture], arguments: Arguments) -> [Int: String] {
    var layout = Self.layout(arguments)
    // Captions of a design are checked when its pages are designed.
    if layout.options.kind == .auto { return [:] }
    guard layout.options.kind == .single else {
      return CellCaptionCheck(arguments)?.problems(of: pictures) { pictures in
        (try? arrange(pictures, layout, arguments))?.pages
      } ?? [:]
    }
    layout.setup.margins =
      RunningLines(arguments, margins: layout.setup.margins).contentMargins
    // `CaptionCheck` loads Pango, which a book without captions does not need.
    let hasCaptions = pictures.contains { !$0.caption.isEmpty }
    let captions = hasCaptions ? CaptionCheck(arguments, layout) : nil
    var problems: [Int: String] = [:]
    for (index, picture) in pictures.enumerated() {
      do throws(PDFError) {
        // With a fixed paper, margins that are too wide are a problem of all pictures, not of this one.
        if layout.setup.paper == nil { try layout.check(picture.layout, index) }
        try captions?.check(picture)
      } catch {
        problems[index] = "\(error)"
      }
    }
    return problems
  }
}

extension PDFPicture {
  /// Creates a picture without its data, from the facts that are known before decoding. Nil if the picture cannot be
  /// read, which is reported elsewhere.
  init?(outlineOf prepared: PreparedForBook) {
    if let file = prepared.copiedFile {
      guard let header = try? file.wholeHeader() else { return nil }
      self.init(outlineOf: header)
      return
    }
    guard let format = try? prepared.picture.info().layout.format else { return nil }
    let isLossless = prepared.isLossless
    self.init(
      withoutData: isLossless ? .flate : .jpeg, colourSpace: ColourSpace(format.model),
      bits: isLossless ? format.sample.byteCount * 8 : 8,
      iccProfile: prepared.picture.metadata().iccProfile)
  }

  private init(outlineOf header: PictureHeader) {
    let format = header.layout.format
    if let stored = header.stored {
      let isFax = stored == .fax
      self.init(
        withoutData: isFax ? .fax(isInverted: false, endsWithBlock: true) : .jpeg,
        colourSpace: ColourSpace(format.model),
        bits: isFax ? 1 : 8, iccProfile: header.metadata.iccProfile)
      return
    }
    let isJPEG2000 = header.codec == "jpeg2000"
    self.init(
      withoutData: isJPEG2000
        ? .jpeg2000(statesColour: true, hasAlpha: false)
        : header.codec == "jpeg" ? .jpeg : .flate,
      colourSpace: ColourSpace(format.model), bits: header.codec == "png" ? format.sample.byteCount * 8 : 8,
      iccProfile: header.metadata.iccProfile)
  }
}
