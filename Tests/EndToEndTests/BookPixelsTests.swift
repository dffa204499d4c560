import Foundation
import ImageCodecs
import ImageCore
import PictureTestSupport
import Testing

/// Compares the pictures in a book with the photographs, resampled in 64-bit floating point.
struct BookPixelsTests {
  /// Makes a book of a folder's photographs at their smallest common size, and compares each page.
  private func check(_ paths: [String], leastPSNR: Double) throws {
    let folder = try Folder()
    try folder.makeFolder("photos")
    for path in paths { try folder.copy(path, to: "photos/" + (path as NSString).lastPathComponent) }
    let outcome = try folder.run(
      """
      local photos = img.glob("photos/*")
      local size = photos:smallest_common_size()
      print(size.width, size.height)
      for _, p in ipairs(photos) do print(p.path) end
      local pages = photos:map(function(p) return p:fill(size.width, size.height) end)
      local r = img.book("book.pdf", pages, { quality = 90, verify = true }):await()
      assert(r.ok and r.verified and r.pages == #photos)
      """, seconds: 40)
    outcome.expect(status: 0)
    let lines = outcome.outputLines
    let size = lines[0].split(separator: "\t").compactMap { Int($0) }
    let sources = try lines.dropFirst().map { try Pixels(file: folder($0)) }
    #expect(size == [sources.map(\.width).min(), sources.map(\.height).min()])

    let verified = try folder.imghost("verify", "book.pdf")
    verified.expect(status: 0)
    let pages = PDFPictures.jpegs(in: folder.bytes("book.pdf"))
    #expect(pages.count == paths.count)
    for ((path, source), page) in zip(zip(lines.dropFirst(), sources), pages) {
      let reference = CoverReference.picture(source, width: size[0], height: size[1])
      let psnr = try Pixels(jpeg: page).psnr(reference)
      #expect(psnr >= leastPSNR, "\(path): \(psnr) dB")
    }
  }

  /// The limit of 38 dB applies at quality 90.
  @Test(.enabled(if: Shared.folder != nil))
  func cameraPhotographs() throws {
    let camera = Shared.path("photos/camera")
    try check(Built.files(in: camera).map { camera + "/" + $0 }, leastPSNR: 38)
  }

  /// The samples are smaller and sharp down to their pixels, so JPEG loses more at the same quality. Measured: 35.3 dB
  /// for the stars, 37 to 43 dB for the others.
  @Test func samplePhotographs() throws {
    try check(Built.samples.map { Built.photos + "/" + $0 }.filter { !$0.hasSuffix("retina.jpg") }, leastPSNR: 34)
  }

  @Test(arguments: [
    ("quality = 90", 1), ("quality = 89", 2), ("quality = 90, subsampling = \"4:2:0\"", 2),
    ("quality = 50, subsampling = \"4:4:4\"", 1),
  ])
  func subsampling(options: String, factor: UInt8) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(40, 30, { background = \"teal\" }), { \(options) })")
    outcome.expect(status: 0)
    let pages = PDFPictures.jpegs(in: folder.bytes("b.pdf"))
    let page = try #require(pages.first)
    // SOF0: length 17, 8 bits, height and width, 3 components; then the first's number and sampling.
    let frame = try #require(page.indices.first { page[$0...].starts(with: [0xff, 0xc0, 0, 17, 8]) })
    #expect(page[frame + 11] == factor << 4 | factor)
  }
}

/// Takes the pictures out of a PDF that imghost wrote.
enum PDFPictures {
  /// Returns the streams with a `DCTDecode` filter, in the order of the file, which is that of the pages.
  static func jpegs(in pdf: [UInt8]) -> [[UInt8]] {
    let data = Data(pdf)
    var found: [[UInt8]] = []
    var place = data.startIndex
    while let object = data.range(of: Data(" obj".utf8), in: place..<data.endIndex),
      let stream = data.range(of: Data("stream".utf8), in: object.upperBound..<data.endIndex)
    {
      let head = String(decoding: data[object.upperBound..<stream.lowerBound], as: UTF8.self)
      guard !head.contains("endobj"), let length = number(after: "/Length ", in: head) else {
        place = object.upperBound
        continue
      }
      var start = stream.upperBound
      while data[start] == 0x0d || data[start] == 0x0a { start += 1 }
      if head.contains("/DCTDecode") { found.append([UInt8](data[start..<start + length])) }
      place = start + length
    }
    return found
  }

  private static func number(after key: String, in text: String) -> Int? {
    guard let range = text.range(of: key) else { return nil }
    return Int(text[range.upperBound...].prefix { $0.isNumber })
  }
}
