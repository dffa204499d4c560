/// Why expectations cannot be read.
public enum ExpectationsError: Error, Sendable, Equatable {
  case notExpectations
  case line(Int)
  /// The last line, a digest of all before it, is missing or does not fit.
  case changed
}

extension ExpectationsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notExpectations: "this is not a list of expectations written by imghost"
    case .line(let number): "line \(number) of the expectations cannot be understood"
    case .changed: "the expectations were changed after they were written"
    }
  }
}

/// Writes expectations as text, a page at a time, one fact a line, lengths in points:
///
///     imghost-expectations 2
///     page WIDTH HEIGHT [CONTENT-DIGEST]
///     picture A B C D E F PIXELS-ACROSS PIXELS-DOWN DIGEST [SOURCE-DIGEST]
///     fingerprint HEXADECIMAL
///     alternative TEXT
///     caption LEFT BOTTOM WIDTH HEIGHT TEXT
///     end DIGEST
///
/// `picture` and `caption` belong to the `page` before them, `fingerprint` (6,144 digits) and `alternative` to
/// the `picture` before them. In a text `\n` and `\\` stand for an end of line and a backslash. Digests are the
/// first 8 bytes of SHA-256; the last line's is that of all lines before it.
public struct ExpectationsText: Sendable {
  static let title = "imghost-expectations 2"
  private var hash = SHA256()
  private var isStarted = false

  public init() {}

  /// The lines of the next page, with the title before the first.
  public mutating func lines(for page: PageExpectation) -> String {
    var text = start()
    text += "page \(Points.text(page.width)) \(Points.text(page.height))"
    if let content = page.content { text += " \(content)" }
    text += "\n"
    for picture in page.pictures {
      let m = picture.matrix
      let numbers = [m.a, m.b, m.c, m.d, m.e, m.f].map(Points.text).joined(separator: " ")
      text += "picture \(numbers) \(picture.pixelWidth) \(picture.pixelHeight) \(picture.digest)"
      if let source = picture.source { text += " \(source)" }
      text += "\n"
      if let fingerprint = picture.fingerprint {
        text += "fingerprint \(Hexadecimal.text(fingerprint.cells))\n"
      }
      if !picture.alternative.isEmpty {
        text += "alternative \(Self.escaped(picture.alternative))\n"
      }
    }
    for caption in page.captions {
      let box = [caption.left, caption.bottom, caption.width, caption.height]
      text += "caption \(box.map(Points.text).joined(separator: " ")) "
      text += Self.escaped(caption.text) + "\n"
    }
    hash.update(Array(text.utf8))
    return text
  }

  /// The last line. Called once.
  public mutating func end() -> String {
    let text = start()
    hash.update(Array(text.utf8))
    return text + "end \(ShortDigest(hash.finish()))\n"
  }

  private mutating func start() -> String {
    defer { isStarted = true }
    return isStarted ? "" : Self.title + "\n"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\\": result += "\\\\"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension VerificationExpectations {
  /// The text form of all pages.
  public var text: String {
    var writer = ExpectationsText()
    var text = ""
    for page in pages { text += writer.lines(for: page) }
    return text + writer.end()
  }

  /// Reads the text form.
  public init(text: String) throws(ExpectationsError) {
    var reader = ExpectationsReader()
    let bytes = Array(text.utf8)
    var hash = SHA256()
    var number = 0
    var isOver = false
    // By bytes: a combining mark may follow a space or an end of line.
    for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
      number += 1
      if isOver {
        guard line.isEmpty else { throw .line(number) }
        continue
      }
      if number == 1 {
        guard line.elementsEqual(ExpectationsText.title.utf8) else { throw .notExpectations }
      } else if line.starts(with: "end ".utf8) {
        guard
          ShortDigest(hexadecimal: String(decoding: line.dropFirst(4), as: UTF8.self))
            == ShortDigest(hash.finish())
        else { throw .changed }
        hash = SHA256()
        isOver = true
        continue
      } else if !reader.read(line) {
        throw .line(number)
      }
      hash.update(Array(line) + [10])
    }
    guard isOver else { throw .changed }
    reader.closePage()
    self.init(pages: reader.pages)
  }
}

/// Reads the lines between the first and the last.
private struct ExpectationsReader {
  private(set) var pages: [PageExpectation] = []
  private var page: (width: Double, height: Double, content: ShortDigest?)?
  private var pictures: [PictureExpectation] = []
  private var captions: [CaptionExpectation] = []

  mutating func read(_ line: ArraySlice<UInt8>) -> Bool {
    if line.starts(with: "caption ".utf8) { return readCaption(line) }
    if line.starts(with: "alternative ".utf8) { return readAlternative(line.dropFirst(12)) }
    let fields = line.split(separator: 32).map { String(decoding: $0, as: UTF8.self) }
    switch fields.first {
    case "page" where fields.count == 3 || fields.count == 4: return readPage(fields)
    case "picture" where (10...11).contains(fields.count) && page != nil:
      guard let picture = Self.picture(fields) else { return false }
      pictures.append(picture)
      return true
    case "fingerprint" where fields.count == 2:
      guard let last = pictures.last, last.fingerprint == nil,
        let fingerprint = Hexadecimal.bytes(fields[1]).flatMap(PixelFingerprint.init(cells:))
      else { return false }
      pictures[pictures.count - 1] = last.with(fingerprint: fingerprint)
      return true
    default: return false
    }
  }

  mutating func closePage() {
    guard let page else { return }
    pages.append(
      PageExpectation(
        width: page.width, height: page.height, pictures: pictures, captions: captions,
        content: page.content))
    (pictures, captions, self.page) = ([], [], nil)
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

  private mutating func readCaption(_ line: ArraySlice<UInt8>) -> Bool {
    let fields = line.split(separator: 32, maxSplits: 5, omittingEmptySubsequences: false)
    guard page != nil, fields.count == 6,
      let box = Self.numbers(fields[1...4].map { String(decoding: $0, as: UTF8.self) })
    else { return false }
    captions.append(
      CaptionExpectation(
        Self.text(fields[5]), left: box[0], bottom: box[1], width: box[2], height: box[3]))
    return true
  }

  private mutating func readAlternative(_ text: ArraySlice<UInt8>) -> Bool {
    guard let last = pictures.last, last.alternative.isEmpty, !text.isEmpty else { return false }
    pictures[pictures.count - 1].alternative = Self.text(text)
    return true
  }

  /// What was escaped, as it was.
  private static func text(_ line: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var isEscaped = false
    for byte in line {
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
    let pixels = fields[7...8].compactMap { Int($0) }
    guard let m = numbers(fields[1...6]), pixels.count == 2, pixels.allSatisfy({ $0 > 0 }),
      let digest = ShortDigest(hexadecimal: fields[9])
    else { return nil }
    let source = fields.count == 11 ? ShortDigest(hexadecimal: fields[10]) : nil
    if fields.count == 11, source == nil { return nil }
    return PictureExpectation(
      matrix: PlacementMatrix(m[0], m[1], m[2], m[3], m[4], m[5]), pixelWidth: pixels[0],
      pixelHeight: pixels[1], digest: digest, source: source)
  }
}
