import ImageCore
import ImagePipeline
import PDFBook

/// Copies unchanged pages from books of earlier runs.
extension BookAssembler {
  /// The options that affect how pictures are stored, or whether the document may contain stored pictures. The options
  /// of JPEGs affect all pictures, because even a file that is to be copied may have to be encoded.
  private static let optionsOfPictures: Set = [
    "verify", "quality", "subsampling", "conformance", "pdf_version",
  ]

  /// Returns the digest of the printer's profile that the script names; empty for the standard one.
  static func intent(of arguments: Arguments) -> String {
    guard arguments.text("output_intent").lowercased() != OutputIntent.standard else { return "" }
    let profile = (try? DocumentSettings(arguments, creationTime: nil).outputIntent())?.profile
    return profile.map { SHA256.digest(of: $0).description } ?? ""
  }

  func facts(of page: DocumentEntry) -> String? {
    QPDFPass(arguments).isNeeded
      ? nil : "\(storedFacts(of: page)), \(arguments.allValues(of: Self.optionsOfPictures)), \(intent)"
  }

  /// The options that may have an effect even if the given value is the default.
  private var optionsToGive: Set<String> {
    // Giving the default line spacing changes nothing, unless the lines stand on a grid.
    let hasGrid = arguments.optionalNumber(BaselineGrid.argument) != nil
    return Set(["caption_lines", "caption_overflow"] + (hasGrid ? ["caption_line_spacing"] : []))
  }

  var optionsWithoutEffect: Set<String> {
    // A binding and the style of a designed book have defaults of their own for other options.
    let hasOwnDefaults = arguments.isDesigned || arguments.has("binding")
    let plain = Set(DocumentParameters.all.map(\.name) + ["style", "duplicates"])
    let hasScrim = !CaptionOptions.defaults(for: arguments).isEmpty
    let styled = Set(hasOwnDefaults ? BookParameters.all.map(\.name) : []).subtracting(plain)
    let optionsToGive = optionsToGive
    let options = Dictionary(BookOptions.all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return Set(
      arguments.given.map(\.name).filter { name in
        guard let option = options[name], let usual = option.normalisedDefault else { return false }
        return arguments[name].map(option.normalised) == usual && !optionsToGive.contains(name)
          && !styled.contains(name) && !(hasScrim && name == "caption_colour")
      })
  }

  var drawsText: Bool {
    guard let plan else { return true }
    return pages.contains { !($0?.texts.caption ?? "").isEmpty }
      || BookLettering(arguments, margins: plan.margins).drawsTexts(on: plan)
  }

  /// Returns the facts, besides the options of the book, that the stored picture of a page depends on.
  private func storedFacts(of page: DocumentEntry) -> String {
    let cut = cut(of: page).map { "\($0)" } ?? "known later"
    return "\(cut) on \(background(of: page)), lossless \(self.page(page).isLossless)"
  }

  func texts(of page: DocumentEntry) -> String {
    var record = WireWriter()
    self.page(page).texts.append(to: &record)
    return SHA256.digest(of: record.bytes).description
  }

  func packedFacts(of page: DocumentEntry) -> String {
    let facts = self.page(page)
    var record = WireWriter()
    record.append(UInt32(facts.place))
    if let plan, plan.isOnePicturePerPage { plan.pictures[Int(facts.place)].append(to: &record) }
    facts.texts.append(to: &record)
    return "\(SHA256.digest(of: record.bytes)) \(storedFacts(of: page))"
  }

  func take(_ pages: EarlierPages, _ entries: [DocumentEntry]) {
    earlier = pages
    state.withLock { state in
      for entry in entries {
        guard let place = pages.pages[entry.index] else { continue }
        let changed = pages.pagesOfChangedFiles.contains(entry.index) ? entry.picture : nil
        state.waiting[entry.index] = .earlier(place, origin: entry.picture.origin?.path, changed: changed)
      }
    }
  }

  /// Returns the digests of the source files of a picture.
  ///
  /// - Parameter records: the records that store the digests; nil if there are none.
  func sources(of picture: Picture, _ records: (any OutputRecords)?) throws(PictureError) -> PictureSources {
    let (files, isDrawn) = picture.sources
    var sources = PictureSources()
    sources.isDrawn = isDrawn
    for file in files {
      let isFirst = file.path == picture.origin?.path
      let digest = try digests.digest(of: file, isShared: !isFirst, records)
      if isFirst {
        sources.first = digest
      } else if !sources.others.contains(digest) {
        sources.others.append(digest)
      }
    }
    return sources
  }

  /// Returns a page with the picture of an earlier book and the texts of this book.
  ///
  /// - Parameter changed: the page's picture, if the metadata of its source files have changed; nil otherwise.
  func earlierPage(
    _ place: EarlierPages.Place, _ origin: String?, _ changed: Picture?, as index: Int, _ records: (any OutputRecords)?
  ) throws(PictureError)
    -> EncodedPicture
  {
    guard let earlier, let page = pages[index] else { preconditionFailure("no page is taken from an earlier book") }
    let reader: PageIndexReader
    if let known = earlierReaders[place.source] {
      reader = known
    } else {
      reader = try PageIndexReader(earlier.sources[place.source])
    }
    earlierReaders[place.source] = reader
    let (picture, facts) = try reader.picture(place.index)
    var sources = facts.sources
    if let changed { sources = try self.sources(of: changed, records) }
    return EncodedPicture(
      content: .taken(picture, facts.orientation, facts.digest), place: Int(page.place), origin: origin, index: index,
      texts: page.texts, intended: facts.intended, sources: sources, isFlattened: facts.isFlattened, isCut: facts.isCut,
      focus: facts.focus)
  }
}
