/// Disables the opacity inside JPEG 2000 data in poppler's private copy of the file.
///
/// Poppler 22.12 passes the opacity to cairo as if it were a colour, which makes every pixel wrong. Without
/// `SMaskInData`, it shows the colours alone, which must then equal the expected ones.
enum OpacityRemoval {
  /// Changes `/SMaskInData` in an image's dictionary from 1 or 2 to 0.
  static func overwrite(_ image: PDFFile.Object, _ file: PDFFile, _ mapping: FileMapping) {
    guard let offset = image.offset, let end = image.stream?.lowerBound else { return }
    let name = Array("/SMaskInData".utf8)
    let text = UnsafeRawBufferPointer(rebasing: file.bytes[..<end])
    guard let start = ByteSearch.first(name, in: text, from: offset),
      let digit = (start + name.count..<end).first(where: { text[$0] > 32 }),
      text[digit] == UInt8(ascii: "1") || text[digit] == UInt8(ascii: "2")
    else { return }
    mapping.overwrite(at: digit, with: [UInt8(ascii: "0")])
  }
}
