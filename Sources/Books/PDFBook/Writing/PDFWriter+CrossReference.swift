import BookExpectations
import ImageCore

/// The cross-reference and the trailer, at the end of the file.
extension PDFWriter {
  private static let entriesAtATime = 1_024

  func writeReferenceTable() throws(PDFError) {
    let start = output.offset
    try output.write("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n")
    for first in stride(from: 1, through: objects.count, by: Self.entriesAtATime) {
      let end = min(objects.count + 1, first + Self.entriesAtATime)
      try output.write(objects.tableEntries(first..<end))
    }
    try output.write("trailer\n<<\(trailer())>>\nstartxref\n\(start)\n%%EOF\n")
  }

  func writeReferenceStream() throws(PDFError) {
    let object = objects.reserve()
    let start = output.offset
    objects.place(object, at: start)
    let length = (objects.count + 1) * 10
    try output.write("\(object) 0 obj\n<</Type/XRef/W[1 8 1]/Length \(length)\(trailer())>>stream\n")
    // Object 0 is the head of the list of free objects.
    let free: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 255]
    try output.write(free, digest: SHA256.digest(of: free))
    for first in stride(from: 1, through: objects.count, by: Self.entriesAtATime) {
      let bytes = objects.streamEntries(first..<min(objects.count + 1, first + Self.entriesAtATime))
      try output.write(bytes, digest: SHA256.digest(of: bytes))
    }
    try output.write("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n")
  }

  /// Writes a compressed cross-reference stream (7.5.8), with as few bytes for each offset as possible.
  func writeCompactReferences() throws(PDFError) {
    let object = objects.reserve()
    let start = output.offset
    objects.place(object, at: start)
    let width = (64 - start.leadingZeroBitCount + 7) / 8
    let deflater = Deflater(level: 9)
    // Object 0 is the head of the list of free objects. The filter treats the row above the first as zeros.
    var above = [UInt8](repeating: 0, count: width + 3)
    above[width + 1] = 255
    above[width + 2] = 255
    deflater.add([2] + above)
    for first in stride(from: 1, through: objects.count, by: Self.entriesAtATime) {
      let end = min(objects.count + 1, first + Self.entriesAtATime)
      deflater.add(objects.filteredEntries(first..<end, width: width, above: &above))
    }
    deflater.finish()
    let bytes = deflater.output
    try output.write(
      "\(object) 0 obj\n<</Type/XRef/W[1 \(width) 2]/Filter/FlateDecode"
        + "/DecodeParms<</Predictor 12/Columns \(width + 3)>>/Length \(bytes.count)\(trailer())>>stream\n"
    )
    try output.write(bytes, digest: SHA256.digest(of: bytes))
    try output.write("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n")
  }

  /// Returns the trailer's entries (7.5.5). The file identifier is computed from the content (14.4).
  private func trailer() -> String {
    let identifier = "<\(Hexadecimal.text(output.digest.bytes.prefix(16)))>"
    return "/Size \(objects.count + 1)/Root \(catalogue) 0 R/Info \(infoObject) 0 R" + "/ID[\(identifier)\(identifier)]"
  }
}

extension PDFWriter {
  /// Stores the given soft masks, unless they are stored already, and returns their names and objects.
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
