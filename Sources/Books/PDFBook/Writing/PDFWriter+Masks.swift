import BookExpectations

extension PDFWriter {
  /// Stores soft masks, each once, and returns their names and objects.
  func maskObjects(_ wanted: Set<VeilMask>) throws(PDFError) -> [(name: String, object: Int)] {
    guard !wanted.isEmpty else { return [] }
    var found: [(name: String, object: Int)] = []
    for mask in wanted.sorted(by: { $0.name < $1.name }) {
      if shared.masks[mask] == nil {
        let bytes = VeilMask.contentBytes
        let entries = mask.dictionary.dropLast(2) + "/Length \(bytes.count)>>"
        shared.masks[mask] = try writeStream(objects.reserve(), String(entries), bytes)
      }
      found.append((mask.name, shared.masks[mask]!))
    }
    return found
  }
}
