/// A file whose page lies in an object stream that only its `XRefStm` names (PDF 32000-1:2008, 7.5.8.4).
enum HybridFile {
  static let bytes: [UInt8] = {
    var text = "%PDF-1.5\n"
    var offsets: [Int] = []
    func add(_ object: String) {
      offsets.append(text.utf8.count)
      text += "\(offsets.count) 0 obj\n\(object)\nendobj\n"
    }
    add("<</Type/Catalog/Pages 2 0 R>>")
    add("<</Type/Pages/Kids[6 0 R]/Count 1>>")
    add("<</Length 12>>stream\n0 0 9 9 re f\nendstream")
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 3 0 R>>"
    add(
      "<</Type/ObjStm/N 1/First 4/Length \(page.utf8.count + 4)>>stream\n6 0 \(page)\nendstream")
    add("<</Type/XRef/W[1 1 1]/Index[6 1]/Size 7/Length 3>>stream\n\u{2}\u{4}\u{0}\nendstream")
    let start = text.utf8.count
    text += "xref\n0 6\n0000000000 65535 f \n"
    for offset in offsets {
      let digits = String(offset)
      text += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
    }
    text += "trailer\n<</Size 7/Root 1 0 R/XRefStm \(offsets[4])>>\n"
    return Array((text + "startxref\n\(start)\n%%EOF\n").utf8)
  }()
}
