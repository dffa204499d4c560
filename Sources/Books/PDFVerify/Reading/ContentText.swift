import BookExpectations

/// A page's text according to its content, in drawing order. The ToUnicode maps of embedded fonts decode it, and
/// `ActualText` replaces the glyphs it belongs to (PDF 32000-1:2008, 9.4 and 14.9.4). Poppler does not provide this
/// text, because it reorders right-to-left text by its own rules.
struct ContentText {
  /// Text drawn with a single text matrix.
  private struct Piece {
    /// The place where the text begins, in the page's units.
    let x: Double
    let y: Double
    var text = ""
  }

  private var pieces: [Piece] = []
  private let file: PDFFile
  private let fonts: [String: PDFValue]
  private var maps: [String: CharacterMap] = [:]
  private var matrix = AffineMatrix.identity
  private var saved: [AffineMatrix] = []
  private var font: String?
  /// For each open marked-content sequence, whether a replacement text applies.
  private var marks: [Bool] = []
  private static let maximumDepth = 512
  private static let maximumOperands = 4_096

  init(_ entries: [String: PDFValue], _ file: PDFFile) {
    self.file = file
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    fonts = file.resolve(resources["Font"]).dictionary ?? [:]
    guard let bytes = PageContent.bytes(entries, file) else { return }
    bytes.withUnsafeBytes { read($0) }
  }

  /// Returns the text that begins in a box of the page.
  func text(in box: PageBox) -> String {
    pieces.filter {
      $0.x >= box.left && $0.x <= box.right && $0.y >= box.bottom && $0.y <= box.top
    }.map(\.text).joined()
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer) {
    var lexer = PDFLexer(bytes)
    var operands: [PDFValue] = []
    while let token = lexer.token() {
      if case .keyword(let name) = token {
        guard perform(name, operands) else { return }
        operands.removeAll(keepingCapacity: true)
      } else if operands.count < Self.maximumOperands, let value = lexer.value(startingWith: token) {
        operands.append(value)
      } else {
        return
      }
    }
  }

  /// Performs an operator; returns whether reading can continue.
  private mutating func perform(_ name: String, _ operands: [PDFValue]) -> Bool {
    switch name {
    case "q":
      saved.append(matrix)
      return saved.count < Self.maximumDepth
    case "Q": matrix = saved.popLast() ?? matrix
    case "cm":
      if let m = Self.matrix(operands) { matrix = m.concatenated(to: matrix) }
    case "Tm":
      guard let m = Self.matrix(operands) else { return false }
      let (x, y) = matrix.point(m.e, m.f)
      pieces.append(Piece(x: x, y: y))
    // These operators move text in ways that imghost does not use.
    case "Td", "TD", "T*", "'", "\"", "BI": return false
    case "Tf": font = operands.first?.name
    case "Tj", "TJ":
      for value in operands.first?.array ?? operands { if case .string(let codes) = value { show(codes) } }
    case "BMC", "BDC": beginMark(operands.last?.dictionary?["ActualText"])
    case "EMC": _ = marks.popLast()
    default: break
    }
    return true
  }

  private mutating func beginMark(_ text: PDFValue?) {
    let isInText = marks.last == true
    if case .string(let bytes) = text, !isInText { add(TextString.text(bytes)) }
    marks.append(isInText || text != nil)
  }

  private mutating func show(_ codes: [UInt8]) {
    guard marks.last != true, let font else { return }
    if maps[font] == nil { maps[font] = CharacterMap(toUnicode(font)) }
    add(maps[font]?.text(codes) ?? "")
  }

  private mutating func add(_ text: String) {
    guard !pieces.isEmpty else { return }
    pieces[pieces.count - 1].text += text
  }

  /// Returns a font's ToUnicode map; empty if it is not a composite font or has no map.
  private func toUnicode(_ name: String) -> [UInt8] {
    let font = file.resolve(fonts[name]).dictionary ?? [:]
    guard file.resolve(font["Encoding"]) == .name("Identity-H"),
      let map = font["ToUnicode"]?.reference.flatMap(file.object)
    else { return [] }
    return file.decoded(map, limit: 64 << 20) ?? []
  }

  private static func matrix(_ operands: [PDFValue]) -> AffineMatrix? {
    let m = operands.compactMap(\.number)
    guard m.count == 6 else { return nil }
    return AffineMatrix(m[0], m[1], m[2], m[3], m[4], m[5])
  }
}
