import BookExpectations

/// An object stream (PDF 32000-1:2008, 7.5.7): objects that are compressed together.
struct ObjectStream {
  /// The number of objects in a stream. Readers decompress the whole stream to read one object, so it stays small.
  static let capacity = 100

  private(set) var objects: [Int] = []
  private var head = UTF8Text()
  private var bodies = UTF8Text()

  var isFull: Bool { objects.count == Self.capacity }
  var isEmpty: Bool { objects.isEmpty }

  mutating func add(_ object: Int, _ body: UTF8Text) {
    head += "\(object) \(bodies.count) "
    bodies += body
    bodies.append("\n")
    objects.append(object)
  }

  /// Returns the stream's dictionary and its compressed bytes.
  func finish() -> (dictionary: String, bytes: [UInt8]) {
    let bytes = Deflater.compress(head.bytes + bodies.bytes, level: 9)
    return (
      "<</Type/ObjStm/N \(objects.count)/First \(head.count)/Filter/FlateDecode"
        + "/Length \(bytes.count)>>", bytes
    )
  }
}
