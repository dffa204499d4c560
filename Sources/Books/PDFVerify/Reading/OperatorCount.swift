/// Counts the operators that a reader executes to draw content, including the content of forms, tiling patterns and
/// Type 3 fonts (PDF 32000-1:2008, 8.10, 8.7.3 and 9.6.5).
///
/// A form that is used a thousand times counts a thousand times, but is read once. Readers cache glyphs, so the glyphs
/// of a font count once for each content that uses the font.
struct OperatorCount {
  private let file: PDFFile
  /// The limit at which counting stops.
  private let most: Int
  private var known: [Use: Int] = [:]
  /// The objects whose content is being counted, to detect recursion, which is treated like exceeding the limit.
  private var open: Set<Int> = []
  private var bytesLeft = 256 << 20
  private static let maximumDepth = 100

  /// Content, with the resources that define its names.
  private struct Use: Hashable {
    let object: Int
    let resources: Int
  }

  init(_ file: PDFFile, most: Int) { (self.file, self.most) = (file, most) }

  /// Returns the number of operators, at most `most` + 1.
  ///
  /// - Parameter owner: the object that has the resources.
  mutating func count(_ content: UnsafeRawBufferPointer, _ resources: [String: PDFValue], owner: Int = 0) -> Int {
    let (own, uses) = Self.uses(content)
    var total = own
    for (use, times) in uses where total <= most {
      guard
        let value = file.resolve(resources[use.category]).dictionary?[use.name]
      else { continue }
      let (once, shown) = cost(value, use.category, resources, owner)
      let (product, isTooMuch) = once.multipliedReportingOverflow(by: shown ? times : 1)
      total = isTooMuch || product > most ? most + 1 : total + product
    }
    return min(total, most + 1)
  }

  /// Returns the number of operators for using a resource once, and whether each further use adds the same number.
  private mutating func cost(_ value: PDFValue, _ category: String, _ resources: [String: PDFValue], _ owner: Int) -> (
    Int, Bool
  ) {
    guard category == "Font" else {
      return (value.reference.map { count(of: $0, resources, owner) } ?? 0, true)
    }
    guard let font = file.resolve(value).dictionary, file.resolve(font["Subtype"]).name == "Type3"
    else { return (0, false) }
    let inner = file.resolve(font["Resources"]).dictionary
    let glyphs = Set((file.resolve(font["CharProcs"]).dictionary ?? [:]).values.map(\.reference))
    var total = 0
    for glyph in glyphs where total <= most {
      let user = inner == nil ? owner : value.reference ?? owner
      total += glyph.map { count(of: $0, inner ?? resources, user) } ?? 0
    }
    return (total, false)
  }

  /// Counts the operators of a form, a tiling pattern or a glyph; 0 for any other object, or if it cannot be read.
  private mutating func count(of number: Int, _ resources: [String: PDFValue], _ owner: Int) -> Int {
    guard let object = file.object(number), object.stream != nil, object.dictionary["Subtype"]?.name != "Image"
    else { return 0 }
    let inner = file.resolve(object.dictionary["Resources"]).dictionary
    let use = Use(object: number, resources: inner == nil ? owner : number)
    if let count = known[use] { return count }
    guard open.count < Self.maximumDepth, !open.contains(number) else { return most + 1 }
    guard let bytes = file.decoded(object, limit: bytesLeft) else { return 0 }
    open.insert(number)
    defer { open.remove(number) }
    bytesLeft -= bytes.count
    let count = bytes.withUnsafeBytes {
      self.count($0, inner ?? resources, owner: use.resources)
    }
    known[use] = count
    return count
  }

  private struct Name: Hashable {
    let category: String
    let name: String
  }
  private static let categories = ["Do": "XObject", "scn": "Pattern", "SCN": "Pattern", "Tf": "Font"]

  /// Returns the number of operators, and how often each name is used. Malformed bytes are skipped, as readers do.
  private static func uses(_ content: UnsafeRawBufferPointer) -> (Int, [Name: Int]) {
    var lexer = PDFLexer(content)
    var (count, uses, name) = (0, [Name: Int](), String?.none)
    while true {
      lexer.skipSpace()
      let start = lexer.position
      guard start < content.count else { return (count, uses) }
      switch lexer.token() {
      case .value(.name(let text))?: name = text
      case .keyword(let word)?:
        count += 1
        if let category = categories[word], let name {
          uses[Name(category: category, name: name), default: 0] += 1
        }
        name = nil
      case nil: lexer.position = max(lexer.position, start + 1)
      default: break
      }
    }
  }
}

extension Fault {
  /// Returns the fault for content with too many operators.
  static func operators(_ most: Int) -> Fault { .content(.limit("has more than \(most) operators")) }
}
