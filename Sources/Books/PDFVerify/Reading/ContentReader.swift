import BookExpectations

/// A picture drawn by a page's content.
struct PictureDraw: Sendable, Equatable {
  /// The picture's name in the page's resources.
  let name: String
  let matrix: AffineMatrix
  /// The part of the page that the clip leaves visible; nil without a clip.
  let clip: PageBox?
  /// Whether the clip is neither a rectangle nor a rounded rectangle.
  let isClippedOddly: Bool
  /// The boxes of the clip's rounded corners, where the picture may be hidden.
  var corners: [PageBox] = []
  /// The identifier (MCID) of the marked content that contains the picture; nil for none.
  var mark: Int?

  /// The part of `whole` that the clip leaves visible; nil if nothing is visible, or `whole` is nil.
  var box: PageBox? {
    guard let whole, let clip else { return whole }
    return whole.intersection(clip)
  }

  /// The bounding box that the picture would have without a clip; nil if its coordinates are not finite.
  var whole: PageBox? {
    let (width, height) = (matrix.a + matrix.c, matrix.b + matrix.d)
    let box = PageBox(
      left: matrix.e + min(0, matrix.a, matrix.c, width),
      bottom: matrix.f + min(0, matrix.b, matrix.d, height),
      right: matrix.e + max(0, matrix.a, matrix.c, width),
      top: matrix.f + max(0, matrix.b, matrix.d, height))
    let isFinite = box.left.isFinite && box.bottom.isFinite && box.right.isFinite && box.top.isFinite
    return isFinite ? box : nil
  }
}

/// Reads a content stream: checks its operators and their nesting, and records what it draws (PDF 32000-1:2008, 7.8.2
/// and Annex A).
struct ContentReader {
  private(set) var draws: [PictureDraw] = []
  private(set) var faults: [Fault] = []
  /// The painted areas. `draws` is the number of pictures drawn before an area, and `box` is approximate. `colour` is
  /// red, green and blue, each 0 to 1; nil unless the area is known to be a rectangle in this colour.
  private(set) var fills: [(draws: Int, box: PageBox, colour: [Double]?)] = []
  /// The names that the content uses, by resource category.
  private(set) var names: [String: Set<String>] = [:]
  /// Whether anything is painted, including pictures.
  private(set) var paints = false
  /// The operators for device colours that the content uses: `g`, `rg`, `k`, and their variants for strokes.
  private(set) var deviceColours: Set<String> = []
  /// The number of times that each marked-content identifier (MCID, 14.7.4.2) begins marked content.
  private(set) var marks: [Int: Int] = [:]
  /// Whether the content paints anything that is neither tagged nor an artifact.
  private(set) var paintsUnmarked = false
  /// Whether any text is drawn after a picture, and so may overlap it.
  private(set) var hasTextOverPictures = false
  /// The areas that may be painted over pictures. `draws` is the number of pictures drawn before an area, and `box` is
  /// approximate.
  private(set) var overlays: [(draws: Int, box: PageBox)] = []

  private struct OpenMark {
    let number: Int?
    let isArtifact: Bool
    let isInText: Bool
  }
  private struct State {
    var matrix = AffineMatrix.identity
    var clip: PageBox?
    var isClippedOddly = false
    var corners: [PageBox] = []
    /// The fill colour; nil if this reader does not know it.
    var fill: [Double]? = [0]
    var lineWidth = 1.0
  }
  private var state = State()
  private var saved: [State] = []
  /// The number of open `q` operators, including those too deep to be saved, and the number of unmatched `Q`.
  private var depth = 0
  private var closings = 0
  private var operands: [PDFValue] = []
  /// The number of operators that built the path, and the rectangle that the first operator added, if any.
  private var path: (count: Int, box: PageBox?) = (0, nil)
  /// The boxes of the path's lines and curves.
  private var outline = PathOutline()
  /// The recogniser of paths that are rounded rectangles.
  private var rounded = RoundedPath()
  private var clipsNext = false
  private var isInText = false
  private var openMarks: [OpenMark] = []
  /// The number of open `BMC` and `BDC` operators, including those too deep to be saved, and the number of unmatched
  /// `EMC`.
  private var markDepth = 0
  private var markClosings = 0
  private var deepest = 0
  private var deepestMark = 0
  private let page: PageBox
  /// The nesting depth of `q` that readers are required to support (Annex C).
  private static let supportedDepth = 28
  /// The nesting depth of `q` or `BMC` above which content is not rendered, because poppler stores all levels.
  private static let maximumDepth = 512
  private static let maximumParts = 100_000
  private static let maximumDraws = 20_000
  private static let maximumFaults = 16
  private static let maximumOverlays = 10_000

  /// Returns the MCID of the property list that has the given name in the page's resources.
  private let numberOfList: (String) -> Int?

  /// The maximum number of operators of a page; the largest maps have several million.
  static let mostOperators = 10_000_000
  private let mostOperators: Int
  private var operatorCount = 0

  init(
    page: PageBox, mostOperators: Int = ContentReader.mostOperators,
    numberOfList: @escaping (String) -> Int? = { _ in nil }
  ) {
    self.page = page
    self.mostOperators = mostOperators
    self.numberOfList = numberOfList
  }

  /// Returns the colour behind a picture, which is white if nothing is behind it. Pictures are numbered from 0. The
  /// colour is known only if the last thing drawn behind the picture is a rectangle that covers its whole visible part;
  /// else the result is nil.
  func background(ofPicture number: Int) -> [Double]? {
    guard let seen = draws[number].box?.intersection(page) else { return [1, 1, 1] }
    let inner = seen.expanded(by: -min(0.01, seen.width / 4, seen.height / 4))
    let picture = draws[..<number].lastIndex { $0.box?.intersection(inner) != nil } ?? -1
    let fill = fills.last { $0.draws <= number && $0.box.intersection(inner) != nil }
    guard let fill else { return picture < 0 ? [1, 1, 1] : nil }
    return fill.draws > picture && fill.box.contains(seen, tolerance: 0.01) ? fill.colour : nil
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    var lexer = PDFLexer(bytes, mostParts: Self.maximumParts)
    while true {
      lexer.skipSpace()
      let start = lexer.position
      if start >= bytes.count { break }
      guard let token = lexer.token() else {
        faults.append(.content(.malformed(at: start)))
        break
      }
      if case .keyword(let name) = token {
        operatorCount += 1
        guard operatorCount <= mostOperators else {
          faults.append(.operators(mostOperators))
          return
        }
        guard perform(name, &lexer) else { return }
        operands.removeAll(keepingCapacity: true)
        continue
      }
      let value = lexer.value(startingWith: token)
      guard let value, operands.count < Self.maximumOperands else {
        let isTooMuch = lexer.isOverLimit || value != nil
        faults.append(
          isTooMuch
            ? .content(.limit("has too many or too deep operands at its byte \(start)"))
            : .content(.malformed(at: lexer.position)))
        return
      }
      operands.append(value)
    }
    checkBalance()
  }
  private static let maximumOperands = 4_096
  private static let deviceOperators: Set = ["g", "rg", "k", "G", "RG", "K"]

  /// Reports, at the end of the content, operators that are unbalanced or nested too deeply.
  private mutating func checkBalance() {
    if closings > 0 { faults.append(.content(.unbalanced("Q", "q", closings))) }
    if depth > 0 { faults.append(.content(.unbalanced("q", "Q", depth))) }
    if isInText { faults.append(.content(.unbalanced("BT", "ET", 1))) }
    if markClosings > 0 { faults.append(.content(.unbalanced("EMC", "BMC", markClosings))) }
    if markDepth > 0 { faults.append(.content(.unbalanced("BMC", "EMC", markDepth))) }
    for (name, deepest) in [("q", deepest), ("BMC", deepestMark)]
    where deepest > Self.maximumDepth {
      faults.append(.content(.limit("nests '\(name)' \(deepest) deep")))
    }
    if deepest > Self.supportedDepth, deepest <= Self.maximumDepth {
      faults.append(.content(.deepNesting(deepest)))
    }
  }

  /// Records a fault, up to `maximumFaults` for a page.
  private mutating func complain(_ fault: Fault) {
    if faults.count < Self.maximumFaults { faults.append(fault) }
  }

  /// Performs an operator; returns whether reading can continue.
  private mutating func perform(_ name: String, _ lexer: inout PDFLexer) -> Bool {
    if Self.deviceOperators.contains(name) { deviceColours.insert(name) }
    switch name {
    case "q":
      if depth < Self.maximumDepth { saved.append(state) }
      depth += 1
      deepest = max(deepest, depth)
    case "Q": restore()
    case "cm":
      if let m = numbers(6, name) {
        state.matrix = AffineMatrix(m[0], m[1], m[2], m[3], m[4], m[5]).concatenated(to: state.matrix)
      }
    case "re":
      if let r = numbers(4, name) {
        addPath(state.matrix.box(x: r[0], y: r[1], width: r[2], height: r[3]))
        outline.rectangle(r, state.matrix)
        rounded.add(name, r, state.matrix)
      }
    case "m", "l", "c", "v", "y":
      addPath(nil)
      outline.add(operands, state.matrix, isMove: name == "m")
      rounded.add(name, operands.compactMap(\.number), state.matrix)
    case "h":
      outline.close()
      rounded.add(name, [], state.matrix)
    case "w": if let width = numbers(1, name) { state.lineWidth = abs(width[0]) }
    case "W", "W*": clipsNext = true
    case "f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "n": paint(name)
    case "g": if let gray = numbers(1, name) { fill(gray) }
    case "rg": if let colour = numbers(3, name) { fill(colour) }
    case "k", "cs", "sc", "scn": state.fill = nil
    case "Do":
      if let name = use("XObject") {
        notePaint()
        guard draws.count < Self.maximumDraws else {
          faults.append(.content(.limit("draws more than \(Self.maximumDraws) pictures")))
          return false
        }
        draws.append(
          PictureDraw(
            name: name, matrix: state.matrix, clip: state.clip, isClippedOddly: state.isClippedOddly,
            corners: state.corners, mark: openMarks.last { $0.number != nil }?.number))
      }
    case "BT", "ET": text(begins: name == "BT")
    case "BI":
      notePaint()
      return skipInlineImage(&lexer)
    case "Tf":
      if operands.count == 2 {
        use("Font", operands[0])
      } else {
        complain(.content(.operands(name)))
      }
    case "gs":
      use("ExtGState")
      // A graphics state may change any setting, such as transparency.
      state.fill = nil
    case "sh":
      use("Shading")
      notePaint()
      addFill(state.clip ?? page, nil)
      if !draws.isEmpty, overlays.count < Self.maximumOverlays {
        overlays.append((draws.count, state.clip ?? page))
      }
    case "BMC", "BDC": beginMark()
    case "EMC": endMark()
    case "Td", "TD", "Tm", "T*", "Tj", "TJ", "'", "\"":
      if !isInText { complain(.content(.outsideText(name))) }
      if name.hasSuffix("j") || name.hasSuffix("J") || name == "'" || name == "\"" {
        notePaint()
        if !draws.isEmpty { hasTextOverPictures = true }
      }
      return faults.count < Self.maximumFaults
    default:
      if !Self.others.contains(name) { complain(.content(.unknownOperator(name))) }
      return faults.count < Self.maximumFaults
    }
    return true
  }

  /// Records and returns the name of a resource in a category. Without `operand`, the last operand is the name.
  @discardableResult
  private mutating func use(_ category: String, _ operand: PDFValue? = nil) -> String? {
    guard let name = (operand ?? operands.last)?.name else {
      complain(.content(.operands(category)))
      return nil
    }
    names[category, default: []].insert(name)
    return name
  }

  private mutating func notePaint() {
    paints = true
    if !openMarks.contains(where: { $0.isArtifact || $0.number != nil }) { paintsUnmarked = true }
  }

  private mutating func beginMark() {
    var number: Int?
    switch operands.last {
    case .dictionary(let entries)?: number = entries["MCID"]?.integer
    case .name(let name)? where operands.count == 2: number = numberOfList(name)
    default: break
    }
    if let number { marks[number, default: 0] += 1 }
    if markDepth < Self.maximumDepth {
      openMarks.append(OpenMark(number: number, isArtifact: operands.first?.name == "Artifact", isInText: isInText))
    }
    markDepth += 1
    deepestMark = max(deepestMark, markDepth)
  }

  private mutating func endMark() {
    guard markDepth > 0 else { return markClosings += 1 }
    markDepth -= 1
    guard markDepth < openMarks.count, let mark = openMarks.popLast() else { return }
    if mark.isInText != isInText { complain(.content(.marksCrossText)) }
  }

  private mutating func restore() {
    guard depth > 0 else { return closings += 1 }
    depth -= 1
    if depth < saved.count, let last = saved.popLast() { state = last }
  }

  private mutating func addFill(_ box: PageBox, _ colour: [Double]?) {
    guard fills.count < Self.maximumOverlays, let seen = state.clip.map({ $0.intersection(box) }) ?? box
    else { return }
    fills.append((draws.count, seen, colour))
  }

  private mutating func addPath(_ box: PageBox?) {
    if path.count == 0 { path.box = box }
    path.count += 1
  }

  /// Returns the operands of an operator; nil, after recording a fault, unless they are `count` numbers.
  private mutating func numbers(_ count: Int, _ name: String) -> [Double]? {
    let numbers = operands.compactMap(\.number)
    guard numbers.count == count, operands.count == count else {
      complain(.content(.operands(name)))
      return nil
    }
    return numbers
  }

  private mutating func fill(_ colour: [Double]) { state.fill = colour.map { max(0, min(1, $0)) } }

  private mutating func text(begins: Bool) {
    if begins == isInText {
      complain(begins ? .content(.unbalanced("BT", "ET", 1)) : .content(.unbalanced("ET", "BT", 1)))
    }
    isInText = begins
  }

  /// Paints and ends the current path. If `W` or `W*` came before, the path also becomes part of the clip.
  private mutating func paint(_ name: String) {
    if name.lowercased().hasPrefix("f"), path.count == 1, let box = path.box {
      let colour = state.fill.map { $0.count == 1 ? Array(repeating: $0[0], count: 3) : $0 }
      addFill(box, state.isClippedOddly ? nil : colour)
    } else if name != "n" {
      let width = state.lineWidth * state.matrix.scale
      for box in outline.boxes(of: name, width: width) { addFill(box, nil) }
    }
    if name != "n" { notePaint() }
    if !draws.isEmpty, name != "n", overlays.count < Self.maximumOverlays {
      overlays += outline.boxes(of: name, width: state.lineWidth * state.matrix.scale).map { (draws.count, $0) }
    }
    outline = PathOutline()
    defer { rounded = RoundedPath() }
    if clipsNext {
      let round = rounded.shape
      if let box = path.count == 1 ? path.box : round?.box {
        let now = state.clip ?? page
        state.clip =
          now.intersection(box)
          ?? PageBox(left: now.left, bottom: now.bottom, right: now.left, top: now.bottom)
        if path.count > 1 { state.corners += round?.corners ?? [] }
      } else {
        state.isClippedOddly = true
      }
    }
    clipsNext = false
    path = (0, nil)
  }

  /// Skips an inline image, including the `EI` that ends it (8.9.7).
  private mutating func skipInlineImage(_ lexer: inout PDFLexer) -> Bool {
    while let found = ByteSearch.first(Array("EI".utf8), in: lexer.bytes, from: lexer.position) {
      let end = found + 2
      lexer.position = end
      let isWord =
        found > 0 && PDFLexer.isSpace(lexer.bytes[found - 1])
        && (end == lexer.bytes.count || PDFLexer.isSpace(lexer.bytes[end]))
      if isWord { return true }
    }
    faults.append(.content(.unbalanced("BI", "EI", 1)))
    return false
  }

  /// The operators of Annex A that change nothing that this reader tracks.
  private static let others: Set<String> = [
    "BX", "CS", "DP", "EX", "G", "J", "K", "M", "MP", "RG", "SC", "SCN", "TL", "Tc", "Tr", "Ts",
    "Tw",
    "Tz", "d", "d0", "d1", "i", "j", "ri",
  ]
}
