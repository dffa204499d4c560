/// Notes of a codec about one file: equal texts once, and no more than a person reads.
struct CodecNotes {
  private static let most = 4
  private static let longest = 200

  private(set) var texts: [String] = []

  mutating func add(_ text: String) {
    let text = text.unicodeScalars.count > Self.longest ? text.prefix(Self.longest) + "…" : text
    guard !texts.contains(text), texts.count <= Self.most else { return }
    texts.append(texts.count < Self.most ? text : "more messages are left out")
  }
}
