/// A book whose objects without streams are in one object stream, with a cross-reference stream, both uncompressed.
struct PackedPieces {
  let pieces: BookPieces
  /// The objects in the object stream, in the order of its head.
  var members: [(number: Int, text: String)]
  /// The indices that the cross-reference stream gives for them.
  var indices: [Int: Int]
  /// The bytes after the last of them.
  var end = ""
  /// Further entries of the object stream.
  var entries = ""
  /// Further entries of the cross-reference stream, and bytes after its last entry.
  var references = ""
  var more: [UInt8] = []
  /// The kind of object 0's entry.
  var freeKind: UInt8 = 0

  /// - Parameter bytes: a book of PDF 1.5 with a table.
  init(_ bytes: [UInt8]) {
    pieces = BookPieces(bytes)
    let plain = pieces.objects.filter { !String(decoding: $0.bytes, as: Unicode.ASCII.self).contains("stream\n") }
    members = plain.map { [pieces] in ($0.number, pieces.value($0.number)) }
    indices = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.number, $0) })
  }

  var bytes: [UInt8] {
    var (result, places) = (pieces.head, [Int: [UInt8]]())
    func add(_ number: Int, _ object: [UInt8]) {
      places[number] = Self.entry(1, result.count, 0)
      result += object
    }
    for (number, object) in pieces.objects where indices[number] == nil { add(number, object) }
    let stream = pieces.next
    for (number, index) in indices { places[number] = Self.entry(2, stream, index) }
    var (head, body) = ("", "")
    for (number, text) in members {
      head += "\(number) \(body.utf8.count) "
      body += text + "\n"
    }
    body += end
    let dictionary =
      "<</Type/ObjStm/N \(members.count)/First \(head.utf8.count)\(entries)/Length \((head + body).utf8.count)>>"
    add(stream, Array("\(stream) 0 obj\n\(dictionary)stream\n\(head)\(body)\nendstream\nendobj\n".utf8))
    let start = result.count
    places[stream + 1] = Self.entry(1, start, 0)
    let data = [freeKind] + [UInt8](repeating: 0, count: 6) + (1...stream + 1).flatMap { places[$0]! } + more
    let trailer = pieces.trailer.replacing(try! Regex("/Size [0-9]+"), with: "/Size \(stream + 2)")
    let own = "<</Type/XRef/W[1 4 2]/Length \(data.count)\(references)\(trailer)>>stream\n"
    result += Array("\(stream + 1) 0 obj\n\(own)".utf8) + data
    return result + Array("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n".utf8)
  }

  private static func entry(_ kind: UInt8, _ place: Int, _ index: Int) -> [UInt8] {
    [kind] + [24, 16, 8, 0].map { UInt8(place >> $0 & 0xff) } + [UInt8(index >> 8), UInt8(index & 0xff)]
  }
}
