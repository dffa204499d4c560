import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits

/// Writes and reads the texts of pictures as packs store them.
extension PageTexts {
  func append(to record: inout WireWriter) {
    record.append(UInt8(caption == nil ? 0 : 1))
    if let caption { record.append(caption) }
    for line in [running.header, running.footer, running.pageNumber, running.heading] {
      record.append(UInt8(line == nil ? 0 : 1))
      line?.append(to: &record)
    }
    for text in [references.outline, references.link, references.alternative] { record.append(text) }
  }

  static func read(_ record: inout WireReader) throws(WireError) -> PageTexts {
    let caption = try record.integer(UInt8.self) == 1 ? try record.string() : nil
    func line() throws(WireError) -> RunningText? {
      try record.integer(UInt8.self) == 1 ? try RunningText(&record) : nil
    }
    let running = RunningTexts(header: try line(), footer: try line(), pageNumber: try line(), heading: try line())
    let references = PageReferences(
      outline: try record.string(), link: try record.string(), alternative: try record.string())
    return .of(caption: caption, running: running, references: references)
  }
}

extension RunningText {
  /// The maximum number of digits of a number, including padding.
  private static let mostDigits = 1_000

  fileprivate func append(to record: inout WireWriter) {
    record.append(UInt32(parts.count))
    for part in parts {
      switch part {
      case .text(let text):
        record.append(UInt8(0))
        record.append(text)
      case .page(let digits):
        record.append(UInt8(1))
        record.append(UInt32(digits))
      case .pageCount(let digits):
        record.append(UInt8(2))
        record.append(UInt32(digits))
      }
    }
  }

  fileprivate init(_ record: inout WireReader) throws(WireError) {
    var parts: [Part] = []
    for _ in 0..<(try record.integer(UInt32.self)) {
      let kind = try record.integer(UInt8.self)
      if kind == 0 {
        parts.append(.text(try record.string()))
        continue
      }
      let digits = Int(try record.integer(UInt32.self))
      guard kind <= 2, digits <= Self.mostDigits else { throw WireError() }
      parts.append(kind == 1 ? .page(digits: digits) : .pageCount(digits: digits))
    }
    self.init(parts: parts)
  }
}

extension LayoutPicture {
  func append(to record: inout WireWriter) {
    record.append(UInt32(width))
    record.append(UInt32(height))
    record.append(UInt8((resolution == nil ? 0 : 1) | (hasCaption ? 2 : 0) | (keep == nil ? 0 : 4)))
    if let resolution { for value in [resolution.horizontal, resolution.vertical] { record.append(value) } }
    if let keep { for value in [keep.left, keep.top, keep.width, keep.height] { record.append(value) } }
  }

  /// Reads the data that `append` wrote, and validates sizes and shares.
  init(_ record: inout WireReader) throws(WireError) {
    let (width, height) = (Int(try record.integer(UInt32.self)), Int(try record.integer(UInt32.self)))
    let flags = try record.integer(UInt8.self)
    func number(atMost most: Double) throws(WireError) -> Double {
      let value = try record.number()
      guard value >= 0, value <= most else { throw WireError() }
      return value
    }
    guard width > 0, height > 0, width <= Int(Int32.max), height <= Int(Int32.max) else { throw WireError() }
    var (resolution, keep): (Resolution?, UnitRectangle?)
    if flags & 1 != 0 {
      resolution = Resolution(horizontal: try number(atMost: 1e9), vertical: try number(atMost: 1e9))
    }
    if flags & 4 != 0 {
      keep = UnitRectangle(
        left: try number(atMost: 1), top: try number(atMost: 1), width: try number(atMost: 1),
        height: try number(atMost: 1))
    }
    self.init(width: width, height: height, resolution: resolution, hasCaption: flags & 2 != 0, keep: keep)
  }
}

extension WireReader {
  /// Reads a text; invalid UTF-8 is repaired.
  mutating func string() throws(WireError) -> String { String(decoding: try text(), as: UTF8.self) }
}
