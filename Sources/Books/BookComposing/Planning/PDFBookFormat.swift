import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// The PDF writer as the engine's document format.
package struct PDFBookFormat: BookFormat {
  private let verifier: VerifierProgram

  package init(verifier: VerifierProgram) { self.verifier = verifier }

  package var parameters: [ParameterDescriptor] { Self.parameters }

  /// Options of `book` beside those that the engine declares.
  package static var parameters: [ParameterDescriptor] {
    let known = Set(SinkParameters.book.map(\.name))
    return BookParameters.all.filter { !known.contains($0.name) } + PDFLastPass.parameters
  }

  package func problems(with arguments: Arguments) -> [String] {
    var problems: [String] = []
    if arguments.boolean("verify"), let problem = verifier.problem {
      problems.append(problem)
    }
    do throws(PageSetupErrors) {
      let layout = try BookLayout(arguments)
      problems += BookLettering(arguments, margins: layout.setup.margins).problems(with: arguments)
      if let problem = SpineText(arguments)?.problem(on: layout) { problems.append(problem) }
    } catch {
      problems += error.errors.map { "\($0)" }
    }
    return problems + TextParameters.problems(in: arguments)
      + OptionScope.problems(with: arguments)
      + DocumentSettings.problems(with: arguments)
      + PDFLastPass(arguments).problems(with: arguments)
  }

  package func problem(withText text: String) -> String? {
    TextError.problem(with: text)?.description
  }

  package func showable(_ parts: [String], isOneLine: Bool) -> ShowableText {
    let isPangoThere = BookLettering.isPangoThere
    let cleaned = CleanedText(parts, isOneLine: isOneLine || !isPangoThere)
    if !isPangoThere, let problem = Caption.problem(with: cleaned.parts.joined()) {
      return ShowableText(parts: nil, changes: ["\(problem); the page is left without"])
    }
    return ShowableText(parts: cleaned.parts, changes: cleaned.changes)
  }

  package func problem(with references: PageReferences, arguments: Arguments) -> String? {
    if !references.outline.isEmpty {
      let conformance = Conformance(rawValue: arguments.text("conformance"))
      let problem =
        PDFPage.problem(withOutline: references.outline)
        ?? conformance?.problem(withOutline: references.outline)
      if let problem { return "'outline': \(problem)" }
    }
    guard !references.link.isEmpty, let problem = LinkProblem(references.link) else { return nil }
    return "'link': \(problem)"
  }

  package func reasonToEncode(_ header: PictureHeader) -> String? {
    guard ["jpeg", "png", "jpeg2000"].contains(header.codec) else {
      return "a PDF does not hold \(header.codec) files"
    }
    guard !header.isEmbeddable else { return nil }
    if header.details["arithmetic"] != nil {
      return "it is arithmetic-coded, which PDF readers show blank"
    }
    if header.details["bits"] == .integer(12) {
      return "it has 12 bits a sample, which PDF readers show blank"
    }
    if header.details["strayBytes"] != nil {
      return "bytes between its segments belong to none, which not every PDF reader passes over"
    }
    return "a PDF does not hold such \(header.codec) files"
  }

  package func take(_ file: InputFile, _ header: PictureHeader, keepsBytes: Bool)
    throws(PictureError)
    -> BookPage.Content
  {
    try Self.known { () throws in
      // What cannot be stored is this picture's fault, told now, and not the book's.
      let picture = try PDFPicture(whole: file, header)
      let digest = try picture.checkedDigest()
      guard keepsBytes, let small = try picture.inMemory() else {
        return .file(path: file.path, version: file.version, header, digest)
      }
      return .taken(small, header.metadata.orientation, digest)
    }
  }

  package func tryToTake(_ file: InputFile, _ header: PictureHeader) throws(PictureError) {
    try Self.known { () throws in _ = try PDFPicture(whole: file, header) }
  }

  /// Names the faults of files and books as the engine does.
  static func known<Value>(_ body: () throws -> Value) throws(PictureError) -> Value {
    do { return try body() } catch { throw pictureError(of: error) }
  }

  /// A fault of a file or a book as the engine's error.
  static func pictureError(of error: any Error) -> PictureError {
    switch error {
    case let error as PNGFault: error.pictureError
    case let error as JPEGFault: error.pictureError
    case let error as PictureError: error
    case let error as PDFError: error.pictureError
    case let error as FileError: .file(error)
    default: preconditionFailure("an error of no known kind: \(error)")
    }
  }

  package func makePreparer(
    for layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) -> any PicturePreparer {
    LosslessPreparer(
      FlateEncoder(layout, iccProfile: metadata.iccProfile, context: context),
      DocumentSettings(arguments, creationTime: nil))
  }

  static func layout(_ arguments: Arguments) -> BookLayout {
    do throws(PageSetupErrors) {
      return try BookLayout(arguments)
    } catch {
      preconditionFailure("page options that were checked are wrong: \(error)")
    }
  }

  package func keepsPlaces(_ arguments: Arguments) -> Bool {
    arguments.text("layout") == LayoutKind.cover.rawValue
  }

  package func plan(_ pictures: [BookPicture], isComplete: Bool, arguments: Arguments)
    throws(PictureError) -> any BookPlan
  {
    let layout = Self.layout(arguments)
    let plan: PDFBookPlan
    do throws(PDFError) {
      plan = try Self.arrange(pictures, layout, arguments)
    } catch {
      throw error.pictureError
    }
    let settings = DocumentSettings(arguments, creationTime: nil)
    do throws(PDFError) {
      // What would end the book when it is written is told before a pixel is decoded.
      try BookLettering(arguments, margins: plan.margins).check(
        on: plan.layout, firstPage: plan.firstPageSize)
      try plan.check(settings)
    } catch {
      throw error.pictureError
    }
    let problems = isComplete ? settings.problems(withPageCount: plan.pageCount) : []
    if !problems.isEmpty {
      throw .operation(.unsuitable(problems.joined(separator: "; ")))
    }
    return plan
  }

  static func arrange(_ pictures: [BookPicture], _ layout: BookLayout, _ arguments: Arguments)
    throws(PDFError) -> PDFBookPlan
  {
    try PDFBookPlan(
      layout, running: RunningLines(arguments, margins: layout.setup.margins),
      pictures: pictures.map { LayoutPicture($0) },
      captions: ruler(of: pictures.map(\.caption), layout, arguments),
      taken: arguments.given.filter { PDFBookPlan.takenOptions.contains($0.name) }
        .map { ($0.name, $0.value) })
  }

  package func background(_ arguments: Arguments) -> Colour {
    arguments.optionalColour("cell_background").flatMap { _ in
      Self.layout(arguments).options.cellBackground
    } ?? arguments.optionalColour("background")?.onPaper ?? .white
  }

  /// For captions of several lines on pages of several pictures, which have them where the script says so; nil for
  /// none.
  private static func ruler(
    of captions: [String], _ layout: BookLayout, _ arguments: Arguments
  ) -> CaptionRuler? {
    guard layout.options.kind != .single,
      arguments.given.contains(where: { $0.name == "caption_lines" }),
      arguments.integer("caption_lines") > 1, captions.contains(where: { !$0.isEmpty }),
      BookLettering.isPangoThere, let layouter = try? TextLayouter()
    else { return nil }
    return CaptionRuler(captions, style: TextStyle(captionOf: arguments), with: layouter)
  }

  package func makeWriter(to file: OutputFile, plan: any BookPlan, arguments: Arguments)
    throws(PictureError) -> any BookWriter
  {
    guard let plan = plan as? PDFBookPlan else {
      preconditionFailure("a book was planned by another format")
    }
    do throws(PDFError) {
      return try PDFBookWriter(file, plan, arguments)
    } catch {
      throw error.pictureError
    }
  }

  /// `SOURCE_DATE_EPOCH`: the only date a book may carry, so that the same inputs give the same bytes.
  static var creationTime: Int? {
    getenv("SOURCE_DATE_EPOCH").flatMap { Int(String(cString: $0)) }.flatMap {
      (0...lastTime).contains($0) ? $0 : nil
    }
  }

  /// The end of the year 9999: dates in PDF have years of four digits.
  private static let lastTime = 253_402_300_799

  /// Says so where `SOURCE_DATE_EPOCH` is no date.
  static var creationTimeNote: String? {
    guard let text = getenv("SOURCE_DATE_EPOCH").map({ String(cString: $0) }), !text.isEmpty,
      creationTime == nil
    else { return nil }
    return "SOURCE_DATE_EPOCH is '\(text.prefix(40))', which is no number of seconds "
      + "from 1970 to the year 9999; the book has no date"
  }
}

extension LayoutPicture {
  init(_ picture: BookPicture) {
    self.init(
      width: picture.width, height: picture.height, resolution: picture.resolution,
      hasCaption: !TextError.isInvisible(picture.caption))
  }
}

extension PDFPicture {
  /// A file as it is, of what its header says.
  ///
  /// - Throws: `JPEGFault`, `PNGFault` where a PDF cannot hold it.
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
        components: detail("components") - detail("transparency"), bits: detail("bits"),
        isCodestream: detail("codestream") == 1, hasAlpha: detail("transparency") == 1)
    default:
      try self.init(
        jpegFile: file,
        iccProfile: detail("components") == 4 ? JPEGProfile.read(file) : profile)
    }
  }
}

extension PDFPicture: PreparedPicture {
  public var byteCount: Int {
    let own =
      switch data {
      case .bytes(let bytes): bytes.count
      case .encoded(let bytes): bytes.count
      case .file, .parts: 0
      }
    return own + (mask?.count ?? 0)
  }
}
