import ImageCore

/// Reads the expectations' text form, except its first and last line.
struct ExpectationsReader {
  private(set) var pages: [PageExpectation] = []
  private(set) var document: DocumentExpectation?
  /// The file that keeps fingerprints; nil to keep them in memory.
  var fingerprints: FingerprintFile?
  private var page: (width: Double, height: Double, content: ShortDigest?)?
  private var pictures: [PictureExpectation] = []
  private var captions: [CaptionExpectation] = []
  private var links: [LinkExpectation] = []
  private var printBoxes: [Double] = []
  private var tags: ShortDigest?

  mutating func read(_ line: ArraySlice<UInt8>) -> Bool {
    if line.starts(with: "caption ".utf8) { return readCaption(line) }
    if line.starts(with: "alternative ".utf8) { return readText(line.dropFirst(12), \.alternative) }
    if line.starts(with: "name ".utf8) { return readText(line.dropFirst(5), \.name) }
    if line.starts(with: "link ".utf8) { return readLink(line) }
    if document != nil { return readDocument(line) }
    let fields = line.split(separator: 32).map { String(decoding: $0, as: UTF8.self) }
    switch fields.first {
    case "page" where fields.count == 3 || fields.count == 4: return readPage(fields)
    case "full" where (7...8).contains(fields.count): return readFull(fields)
    case "native" where (6...7).contains(fields.count): return readNative(fields)
    case "picture" where (10...11).contains(fields.count) && page != nil:
      guard let picture = Self.picture(fields) else { return false }
      pictures.append(picture)
      return true
    case "fingerprint" where fields.count == 2:
      guard let last = pictures.last, last.fingerprint == nil,
        let fingerprint = Hexadecimal.bytes(fields[1]).flatMap(PixelFingerprint.init(cells:))
      else { return false }
      pictures[pictures.count - 1] = last.with(fingerprint: fingerprints?.keep(fingerprint) ?? fingerprint)
      return true
    case "sources" where fields.count > 1: return readSources(fields.dropFirst())
    case "drawn" where fields.count == 1 && !pictures.isEmpty:
      pictures[pictures.count - 1].isDrawn = true
      return true
    case "boxes" where fields.count == 9 && page != nil:
      guard let numbers = Self.numbers(fields[1...8]) else { return false }
      printBoxes = numbers
      return true
    case "tags" where fields.count == 2 && page != nil && tags == nil:
      tags = ShortDigest(hexadecimal: fields[1])
      return tags != nil
    case "document" where fields.count <= 2:
      closePage()
      var document = DocumentExpectation()
      document.metadata = fields.count == 2 ? ShortDigest(hexadecimal: fields[1]) : nil
      self.document = document
      return (fields.count == 2) == (document.metadata != nil)
    default: return false
    }
  }

  mutating func closePage() {
    guard let page else { return }
    var expected = PageExpectation(
      width: page.width, height: page.height, pictures: pictures, captions: captions,
      links: links, printBoxes: printBoxes)
    (expected.content, expected.tags) = (page.content, tags)
    pages.append(expected)
    (pictures, captions, links, printBoxes, tags, self.page) = ([], [], [], [], nil, nil)
  }

  private mutating func readPage(_ fields: [String]) -> Bool {
    closePage()
    guard let size = Self.numbers(fields[1...2]) else { return false }
    var content: ShortDigest?
    if fields.count == 4 {
      content = ShortDigest(hexadecimal: fields[3])
      if content == nil { return false }
    }
    page = (size[0], size[1], content)
    return true
  }

  /// Reads a line with `full`: a page and the picture that fills it.
  private mutating func readFull(_ fields: [String]) -> Bool {
    closePage()
    guard let orientation = Int(fields[1]).flatMap(Orientation.init(rawValue:)), let size = Self.numbers(fields[2...3])
    else { return false }
    return readPicture(of: FullPage(orientation, width: size[0], height: size[1]), fields[4...])
  }

  /// Reads a line with `native`: a page that has the size of its picture.
  private mutating func readNative(_ fields: [String]) -> Bool {
    closePage()
    guard let orientation = Int(fields[1]).flatMap(Orientation.init(rawValue:)),
      let dpi = Self.numbers(fields[2...2])?.first, dpi > 0, let across = Int(fields[3]), let down = Int(fields[4])
    else { return false }
    return readPicture(of: FullPage(orientation, across: across, down: down, dpi: dpi), fields[3...])
  }

  private mutating func readPicture(of full: FullPage, _ fields: ArraySlice<String>) -> Bool {
    guard let picture = Self.picture(full.matrix, fields) else { return false }
    page = (full.width, full.height, full.content)
    pictures = [picture]
    return true
  }

  private mutating func readCaption(_ line: ArraySlice<UInt8>) -> Bool {
    guard let (box, text) = placed(line) else { return false }
    captions.append(CaptionExpectation(text, left: box[0], bottom: box[1], width: box[2], height: box[3]))
    return true
  }

  private mutating func readText(
    _ text: ArraySlice<UInt8>, _ property: WritableKeyPath<PictureExpectation, String>
  ) -> Bool {
    guard let last = pictures.last, last[keyPath: property].isEmpty, !text.isEmpty else { return false }
    pictures[pictures.count - 1][keyPath: property] = Self.unescaped(text)
    return true
  }

  private mutating func readSources(_ fields: ArraySlice<String>) -> Bool {
    let digests = fields.compactMap { ShortDigest(hexadecimal: $0) }
    guard let last = pictures.last, last.otherSources.isEmpty, digests.count == fields.count
    else { return false }
    pictures[pictures.count - 1].otherSources = digests
    return true
  }

  private mutating func readLink(_ line: ArraySlice<UInt8>) -> Bool {
    guard let (box, text) = placed(line) else { return false }
    links.append(
      LinkExpectation(text, left: box[0], bottom: box[1], width: box[2], height: box[3]))
    return true
  }

  /// Reads `WORD LEFT BOTTOM WIDTH HEIGHT TEXT` for the current page.
  private func placed(_ line: ArraySlice<UInt8>) -> (box: [Double], text: String)? {
    let fields = line.split(separator: 32, maxSplits: 5, omittingEmptySubsequences: false)
    guard page != nil, fields.count == 6,
      let box = Self.numbers(fields[1...4].map { String(decoding: $0, as: UTF8.self) })
    else { return nil }
    return (box, Self.unescaped(fields[5]))
  }

  /// Reads a line after `document`.
  private mutating func readDocument(_ line: ArraySlice<UInt8>) -> Bool {
    let isOutline = line.starts(with: "outline ".utf8)
    let fields = line.split(separator: 32, maxSplits: isOutline ? 3 : 2, omittingEmptySubsequences: false)
    let words = fields.dropLast().map { String(decoding: $0, as: UTF8.self) }
    guard let last = fields.last else { return false }
    switch words.first {
    case "version" where words.count == 1:
      document?.version = Self.unescaped(last)
    case "info" where words.count == 2:
      document?.info.append(.init(words[1], Self.unescaped(last)))
    case "entry" where words.count == 2:
      document?.catalogue.append(.init(words[1], Self.unescaped(last)))
    case "font" where words.count == 2:
      guard let digest = ShortDigest(hexadecimal: words[1]) else { return false }
      document?.fonts.append(.init(Self.unescaped(last), digest: digest))
    case "outline" where words.count == 3:
      guard let depth = Int(words[1]), let page = Int(words[2]), depth >= 0 else { return false }
      document?.outline.append(.init(depth: depth, page: page, title: Self.unescaped(last)))
    default: return false
    }
    return true
  }

  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        text.append(byte == UInt8(ascii: "n") ? 10 : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func numbers(_ fields: some Collection<String>) -> [Double]? {
    let numbers = fields.compactMap { Double($0) }.filter(\.isFinite)
    return numbers.count == fields.count ? numbers : nil
  }

  private static func picture(_ fields: [String]) -> PictureExpectation? {
    guard let m = numbers(fields[1...6]) else { return nil }
    return picture(AffineMatrix(m[0], m[1], m[2], m[3], m[4], m[5]), fields[7...])
  }

  /// - Parameter fields: the picture's width and height in pixels, its digest and, if present, the digest of its
  ///   source.
  private static func picture(_ matrix: AffineMatrix, _ fields: ArraySlice<String>) -> PictureExpectation? {
    let fields = Array(fields)
    let pixels = fields[..<2].compactMap { Int($0) }
    guard pixels.count == 2, pixels.allSatisfy({ $0 > 0 }), let digest = ShortDigest(hexadecimal: fields[2])
    else { return nil }
    let source = fields.count == 4 ? ShortDigest(hexadecimal: fields[3]) : nil
    if fields.count == 4, source == nil { return nil }
    return PictureExpectation(
      matrix: matrix, pixelWidth: pixels[0], pixelHeight: pixels[1], digest: digest, source: source)
  }
}

/// Parses the text form of expectations piece by piece, because for a book of thousands of pages the text is far larger
/// than the parsed expectations.
public struct ExpectationsParser {
  private var reader = ExpectationsReader()
  private var hash = SHA256()
  private var number = 0
  private var isOver = false
  /// The incomplete line at the end of the bytes so far.
  private var rest: [UInt8] = []

  /// - Parameter fingerprints: the file that keeps fingerprints; nil to keep them in memory.
  public init(keepingFingerprintsIn fingerprints: FingerprintFile? = nil) { reader.fingerprints = fingerprints }

  /// Parses the next bytes.
  public mutating func add(_ bytes: [UInt8]) throws(ExpectationsError) {
    var start = bytes.startIndex
    // Lines and words are split by bytes: in a string, CR and LF form one character, and so do a space and a combining
    // mark after it.
    while let end = bytes[start...].firstIndex(of: 10) {
      if rest.isEmpty {
        try read(bytes[start..<end])
      } else {
        rest += bytes[start..<end]
        try read(rest[...])
        rest = []
      }
      start = end + 1
    }
    rest += bytes[start...]
  }

  /// Returns the expectations. Called once, after the last byte.
  public mutating func finish() throws(ExpectationsError) -> VerificationExpectations {
    try read(rest[...])
    guard isOver else { throw .changed }
    reader.closePage()
    return VerificationExpectations(pages: reader.pages, document: reader.document)
  }

  private mutating func read(_ line: ArraySlice<UInt8>) throws(ExpectationsError) {
    number += 1
    if isOver {
      guard line.isEmpty else { throw .line(number) }
      return
    }
    if number == 1 {
      guard line.elementsEqual(ExpectationsText.title.utf8) else { throw .notExpectations }
    } else if line.starts(with: "end ".utf8) {
      let stated = ShortDigest(hexadecimal: String(decoding: line.dropFirst(4), as: UTF8.self))
      guard stated == ShortDigest(hash.finish()) else { throw .changed }
      isOver = true
      return
    } else if !reader.read(line) {
      throw .line(number)
    }
    hash.update(Array(line) + [10])
  }
}
