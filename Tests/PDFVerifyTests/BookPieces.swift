import PDFTestSupport
import Testing

/// The parts of a book with a cross-reference table, to assemble them in other ways.
struct BookPieces {
  /// The bytes before the first object.
  var head: [UInt8]
  /// The objects in the order of the file, each including its end.
  var objects: [(number: Int, bytes: [UInt8])]
  /// The entries of the trailer.
  var trailer: String
  /// The bytes after the end of the file.
  var tail: [UInt8] = []
  /// Lines to add to the table before the trailer.
  var table = ""
  /// Entries of the table to replace, by the number of the object.
  var entries: [Int: String] = [:]

  init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: Unicode.ASCII.self)
    // Streams are no ASCII; what follows them is.
    let end = text[text.ranges(of: "\nxref\n0 ").last!.lowerBound...].dropFirst()
    let start = bytes.count - end.utf8.count
    let lines = end.split(separator: "\n").map(String.init)
    var offsets: [(number: Int, offset: Int)] = []
    for (number, line) in lines.dropFirst(2).prefix(while: { $0 != "trailer" }).enumerated() where number > 0 {
      offsets.append((number, Int(line.prefix(10))!))
    }
    offsets.sort { $0.offset < $1.offset }
    head = Array(bytes[..<offsets[0].offset])
    let ends = offsets.dropFirst().map(\.offset) + [start]
    objects = zip(offsets, ends).map { ($0.number, Array(bytes[$0.offset..<$1])) }
    let place = lines.firstIndex(of: "trailer")!
    trailer = String(lines[place + 1].dropFirst(2).dropLast(2))
  }

  /// The assembled file. If an object occurs twice, the table refers to the last occurrence.
  var bytes: [UInt8] {
    var (result, offsets) = (head, [Int: Int]())
    for (number, object) in objects {
      if number > 0 { offsets[number] = result.count }
      result += object
    }
    let count = (offsets.keys.max() ?? 0) + 1
    var lines = "xref\n0 \(count)\n0000000000 65535 f \n"
    for number in 1..<count {
      lines += entries[number] ?? (offsets[number].map { Self.entry($0) } ?? "0000000000 00001 f \n")
    }
    let start = result.count
    let size = trailer.replacing(try! Regex("/Size [0-9]+"), with: "/Size \(count)")
    return result + Array((lines + table + "trailer\n<<\(size)>>\nstartxref\n\(start)\n%%EOF\n").utf8) + tail
  }

  static func entry(_ offset: Int) -> String {
    let digits = String(offset)
    return String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
  }

  /// The first unused object number.
  var next: Int { (objects.map(\.number).max() ?? 0) + 1 }

  /// Returns the number of the first object that contains a text.
  func number(of text: String) -> Int { objects.first { Self.contains($0.bytes, text) }!.number }

  func text(_ number: Int) -> String {
    let bytes = objects.first { $0.number == number }!.bytes
    return String(decoding: bytes, as: Unicode.ASCII.self)
  }

  /// Returns the value of an object without a stream.
  func value(_ number: Int) -> String {
    let lines = text(number).split(separator: "\n")
    return lines.dropFirst().dropLast().joined(separator: "\n")
  }

  private static func contains(_ bytes: [UInt8], _ text: String) -> Bool { !places(of: text, in: bytes).isEmpty }

  private static func places(of text: String, in bytes: [UInt8]) -> [Int] {
    let needle = Array(text.utf8)
    return bytes.indices.filter { bytes[$0] == needle[0] && bytes[$0...].starts(with: needle) }
  }

  /// Replaces the first occurrence of a text in the objects.
  mutating func replace(_ old: String, _ new: String) {
    for index in objects.indices {
      guard let place = Self.places(of: old, in: objects[index].bytes).first else { continue }
      objects[index].bytes.replaceSubrange(place..<place + old.utf8.count, with: new.utf8)
      return
    }
    Issue.record("'\(old)' is not in the book")
  }

  /// Replaces the value of an object, or adds the object.
  mutating func set(_ number: Int, _ value: String) {
    let bytes = Array("\(number) 0 obj\n\(value)\nendobj\n".utf8)
    if let index = objects.firstIndex(where: { $0.number == number }) {
      objects[index].bytes = bytes
    } else {
      objects.append((number, bytes))
    }
  }

  /// Adds the objects of a document with one red page; returns the number of its catalogue.
  mutating func addOther() -> Int {
    let first = next
    set(first, "<</Type/Catalog/Pages \(first + 1) 0 R>>")
    set(first + 1, "<</Type/Pages/Kids[\(first + 2) 0 R]/Count 1>>")
    set(first + 2, "<</Type/Page/Parent \(first + 1) 0 R/MediaBox[0 0 72 48]/Contents \(first + 3) 0 R>>")
    set(first + 3, "<</Length 28>>stream\n1 0 0 rg 0 0 999 999 re f  \n\nendstream")
    return first
  }
}
