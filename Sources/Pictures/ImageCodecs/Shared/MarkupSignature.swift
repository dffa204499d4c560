/// Names documents in XML and HTML by their first element.
enum MarkupSignature {
  /// Returns the kind of the document; nil if the text is not markup.
  static func name(_ prefix: [UInt8]) -> String? {
    // A byte order mark.
    var rest = prefix.starts(with: [0xef, 0xbb, 0xbf]) ? prefix[3...] : prefix[...]
    var isXML = false
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
      if begins(rest, "<?xml") { isXML = true }
      if begins(rest, "<svg") || begins(rest, "<!doctype svg") { return "an SVG drawing" }
      if begins(rest, "<html") || begins(rest, "<!doctype html") { return "an HTML page" }
      let isComment = begins(rest, "<!--")
      guard isComment || begins(rest, "<?") || begins(rest, "<!"), let end = end(of: isComment ? "-->" : ">", in: rest)
      else { return isXML || isComment ? "an XML document" : nil }
      rest = rest[end...]
    }
  }

  private static func begins(_ text: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      text.prefix(word.count).map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }.elementsEqual(word)
    }
  }

  /// Returns the index after the first occurrence of `mark`.
  private static func end(of mark: String, in text: ArraySlice<UInt8>) -> Int? {
    let mark = Array(mark.utf8)
    return text.indices.first { text[$0...].starts(with: mark) }.map { $0 + mark.count }
  }
}
