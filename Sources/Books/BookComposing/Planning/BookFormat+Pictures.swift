import ImageCore
import ImagePipeline
import PDFBook

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
