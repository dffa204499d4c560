/// Objects that wait to be stored together, compressed (PDF 32000-1:2008, 7.5.7).
struct ObjectStream {
  /// As many as keep the stream small: readers inflate all of it for one of them.
  static let capacity = 100

  private(set) var objects: [Int] = []
  private var head = ""
  private var bodies = ""

  var isFull: Bool { objects.count == Self.capacity }
  var isEmpty: Bool { objects.isEmpty }

  mutating func add(_ object: Int, _ body: String) {
    head += "\(object) \(bodies.utf8.count) "
    bodies += body + "\n"
    objects.append(object)
  }

  /// The stream's dictionary and its compressed bytes.
  func finish() -> (dictionary: String, bytes: [UInt8]) {
    let bytes = Deflater.compress(Array((head + bodies).utf8), level: 9)
    return (
      "<</Type/ObjStm/N \(objects.count)/First \(head.utf8.count)/Filter/FlateDecode"
        + "/Length \(bytes.count)>>", bytes
    )
  }
}
