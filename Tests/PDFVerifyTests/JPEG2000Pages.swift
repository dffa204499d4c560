import PDFTestSupport
import PDFVerify

/// PDFs of pages with one JPEG 2000 picture each, as another program might write them.
enum JPEG2000Pages {
  /// A page of 40x28 points.
  struct Page {
    var data: [UInt8]
    /// Further entries of the image's dictionary.
    var entries = ""
    var width = 40
    var height = 28
    /// The page's content. `/P` is the picture, and `/G` a graphics state with half transparency.
    var content = "q 40 0 0 28 0 0 cm /P Do Q"
  }

  static func file(_ pages: [Page]) -> [UInt8] {
    let kids = pages.indices.map { "\($0 * 3 + 3) 0 R" }.joined(separator: " ")
    var objects: [(text: String, stream: [UInt8]?)] = [
      ("<</Type/Catalog/Pages 2 0 R>>", nil),
      ("<</Type/Pages/Kids[\(kids)]/Count \(pages.count)>>", nil),
    ]
    for (index, page) in pages.enumerated() {
      let number = index * 3 + 3
      let resources = "<</XObject<</P \(number + 2) 0 R>>/ExtGState<</G<</ca .5>>>>>>"
      objects.append(
        (
          "<</Type/Page/Parent 2 0 R/MediaBox[0 0 40 28]/Resources\(resources)" + "/Contents \(number + 1) 0 R>>", nil
        ))
      objects.append(("<</Length \(page.content.utf8.count)>>", Array(page.content.utf8)))
      let image = "<</Subtype/Image/Width \(page.width)/Height \(page.height)\(page.entries)"
      objects.append((image + "/Filter/JPXDecode/Length \(page.data.count)>>", page.data))
    }
    return file(objects)
  }

  /// The first object is the catalogue.
  private static func file(_ objects: [(text: String, stream: [UInt8]?)]) -> [UInt8] {
    var bytes = Array("%PDF-1.5\n".utf8)
    var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for (index, object) in objects.enumerated() {
      let digits = String(bytes.count)
      table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
      bytes += Array("\(index + 1) 0 obj\n\(object.text)\n".utf8)
      if let stream = object.stream { bytes += Array("stream\n".utf8) + stream + Array("\nendstream\n".utf8) }
      bytes += Array("endobj\n".utf8)
    }
    let start = bytes.count
    table += "trailer\n<</Size \(objects.count + 1)/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n"
    return bytes + Array(table.utf8)
  }

  private static let anyBook = Result { try TestBook([TestPicture(1, width: 8, height: 8)]) }

  /// Verifies a file without expectations.
  static func verify(_ pages: [Page], nativePixels: Int = 128 << 20) throws -> VerificationReport {
    let bytes = file(pages)
    return try anyBook.get().verify(bytes, expecting: false, as: "jp2-\(bytes.hashValue)", nativePixels: nativePixels)
  }
}
