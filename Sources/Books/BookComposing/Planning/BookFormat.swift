import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits
import TextShaping

/// Books as PDF: which files they hold, how pages are arranged.
enum BookFormat {
  /// Whether a PDF can hold files of a format as they are.
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

  /// Returns a file's own bytes as a page, and what was added to them; nil for nothing.
  static func take(_ file: InputFile, _ header: PictureHeader, keepsBytes: Bool)
    throws(PictureError)
    -> (content: BookPage.Content, addition: String?)
  {
    try PictureError.known { () throws in
      // A file that cannot be stored is reported now as this picture's fault, and not later as the book's.
      let picture = try PDFPicture(whole: file, header)
      let digest = try picture.checkedDigest()
      guard keepsBytes, let small = try picture.inMemory() else {
        return (.file(path: file.path, version: file.version, header, digest), picture.addition)
      }
      return (.taken(small, header.metadata.orientation, digest), picture.addition)
    }
  }

  static func tryToTake(_ file: InputFile, _ header: PictureHeader) throws(PictureError) {
    try PictureError.known { () throws in _ = try PDFPicture(whole: file, header) }
  }

  static func layout(_ arguments: Arguments) -> BookLayout {
    do throws(PageSetupErrors) {
      return try BookLayout(arguments)
    } catch {
      preconditionFailure("checked page options are wrong: \(error)")
    }
  }

  static func keepsPlaces(_ arguments: Arguments) -> Bool {
    arguments.text("layout") == LayoutKind.cover.rawValue
  }

  /// Arranges pictures on pages, before any of them is decoded.
  ///
  /// - Parameters:
  ///   - segments: pictures that begin a page each time, and pages of text; empty if all follow each other.
  ///   - colophon: the text of the last page; nil for none.
  ///   - isComplete: whether none of the call's pictures is missing, so that an option which names a page beyond the
  ///     last one is a mistake.
  ///   - designed: the pages of the layout `auto`.
  ///   - arguments: those in which `BookOptions.problems` has found nothing wrong.
  static func plan(
    _ pictures: [CaptionedPicture], segments: [BookSegment] = [], colophon: PageText? = nil, isComplete: Bool,
    designed: BookDesigning.Designed? = nil, arguments: Arguments
  ) throws(PictureError) -> BookPlan {
    let layout = layout(arguments)
    let plan: BookPlan
    do throws(PDFError) {
      plan = try arrange(pictures, segments: segments, colophon: colophon, designed: designed, layout, arguments)
    } catch {
      throw error.pictureError
    }
    let settings = DocumentSettings(arguments, creationTime: nil)
    do throws(PDFError) {
      // Faults that would end the book while it is written are reported before a pixel is decoded.
      try BookLettering(arguments, margins: plan.margins).check(plan)
      try plan.check(settings)
    } catch {
      throw error.pictureError
    }
    let problems = isComplete ? settings.problems(withPageCount: plan.pageCount) : []
    if !problems.isEmpty { throw .operation(.unsuitable(problems.joined(separator: "; "))) }
    return plan
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

  /// Measures captions of several lines on pages of several pictures; nil if the script asks for none.
  static func measurer(
    of captions: [String], _ layout: BookLayout, _ arguments: Arguments
  ) -> CaptionMeasurer? {
    guard layout.options.kind != .single,
      arguments.given.contains(where: { $0.name == "caption_lines" }),
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

  /// - Parameter keep: the part that no crop may cut; nil for none.
  init(_ info: Picture.Info, caption: String, keep: UnitRectangle? = nil) {
    layout = LayoutPicture(
      width: info.layout.width, height: info.layout.height, resolution: info.metadata.resolution,
      hasCaption: !TextError.isInvisible(caption),
      keep: keep.map { PageRectangle(left: $0.left, bottom: 1 - $0.bottom, width: $0.width, height: $0.height) })
    self.caption = caption
  }

  private init(_ layout: LayoutPicture) { (self.layout, caption) = (layout, "") }

  /// Takes the place of a picture that is missing; fine enough for any page.
  static let standIn = CaptionedPicture(LayoutPicture(width: 10_000, height: 10_000))
}

extension PDFPicture {
  /// A file to be stored unchanged.
  ///
  /// - Throws: `JPEGFault` or `PNGFault` if a PDF cannot hold it.
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
  /// Bytes of memory that it takes.
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

/// Pages that files of other formats hold in a form that a PDF can hold, too.
extension BookFormat {
  /// Returns the stored form of a page for the book.
  ///
  /// - Parameter jpeg: reads the header of a JPEG.
  /// - Throws: `CodecError` if a PDF cannot hold it, so that the page is to be encoded.
  static func take(
    _ page: StoredPage, named path: String, _ header: PictureHeader, jpeg: any PictureCodec
  ) throws(PictureError) -> BookPage.Content {
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
      // The check reads the file, and the book keeps its bytes.
      return (picture.holding(page.bytes), try picture.checkedDigest())
    }
    return .taken(picture.0, header.metadata.orientation, picture.1)
  }
}

/// Problems of single pictures, known from options and headers.
extension BookFormat {
  static func problems(ofPictures pictures: [CaptionedPicture], arguments: Arguments) -> [Int: String] {
    var layout = Self.layout(arguments)
    // Its captions are tried when the pages are designed.
    if layout.options.kind == .auto { return [:] }
    guard layout.options.kind == .single else {
      return CellCaptionCheck(arguments)?.problems(of: pictures) { pictures in
        (try? arrange(pictures, layout, arguments))?.pages
      } ?? [:]
    }
    layout.setup.margins =
      RunningLines(arguments, margins: layout.setup.margins).contentMargins
    // A book without captions needs no Pango.
    let hasCaptions = pictures.contains { !$0.caption.isEmpty }
    let captions = hasCaptions ? CaptionCheck(arguments, layout) : nil
    var problems: [Int: String] = [:]
    for (index, picture) in pictures.enumerated() {
      do throws(PDFError) {
        // On a paper the margins leave no room, for all pictures alike.
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
  /// A picture as it will be stored, as far as that is known before a pixel is decoded. Nil if it cannot be read, which
  /// is reported elsewhere.
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

/// Finds captions that do not fit their cells and must not be cut, in books of several pictures a page.
struct CellCaptionCheck {
  private let style: TextStyle
  private let layouter: TextLayouter

  /// Nil if every caption fits.
  init?(_ arguments: Arguments) {
    style = TextStyle(captionOf: arguments)
    guard style.cellOverflow?.mayRefuse ?? false, BookLettering.isPangoThere, let layouter = try? TextLayouter()
    else { return nil }
    self.layouter = layouter
  }

  /// Returns what is wrong, by picture. The others move up, which may change their cells: they are checked again.
  ///
  /// - Parameter plan: arranges some of the pictures; nil if that fails, which is reported elsewhere.
  func problems(of pictures: [CaptionedPicture], plan: ([CaptionedPicture]) -> [PlannedPage]?) -> [Int: String] {
    var problems: [Int: String] = [:]
    var left = Array(pictures.indices)
    while true {
      var refused: Set<Int> = []
      for cell in plan(left.map { pictures[$0] })?.flatMap(\.cells) ?? [] {
        let picture = left[cell.picture]
        do throws(PDFError) {
          try cell.caption?.check(pictures[picture].caption, style: style, with: layouter)
        } catch {
          problems[picture] = "\(error)"
          refused.insert(picture)
        }
      }
      guard !refused.isEmpty else { return problems }
      left.removeAll(where: refused.contains)
    }
  }
}

extension TextOverflow {
  /// Whether it may refuse a text as too long.
  var mayRefuse: Bool { self == .error || self == .shrink }
}
