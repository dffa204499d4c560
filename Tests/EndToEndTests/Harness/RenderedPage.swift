import Foundation

/// The first page of a PDF, rendered by another program in RGB.
struct RenderedPage {
  let width: Int
  let height: Int
  let bytes: ArraySlice<UInt8>

  /// Nil without the program.
  ///
  /// - Parameter program: `pdftoppm`, `mutool` or `gs`.
  init?(_ path: String, in folder: Folder, with program: String = "pdftoppm", resolution: Int = 72) throws {
    let image = folder("page.ppm")
    let arguments =
      switch program {
      case "mutool": ["draw", "-q", "-r", "\(resolution)", "-c", "rgb", "-o", image, path, "1"]
      case "gs":
        [
          "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=ppmraw", "-dTextAlphaBits=4", "-dGraphicsAlphaBits=1",
          "-dFirstPage=1",
          "-dLastPage=1", "-r\(resolution)", "-sOutputFile=" + image, path,
        ]
      default: ["-r", "\(resolution)", "-singlefile", path, folder("page")]
      }
    guard try SecondOpinions.run(program, arguments) != nil else { return nil }
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: image)))
    try FileManager.default.removeItem(atPath: image)
    // Ghostscript writes a line of its own.
    var lines: [String] = []
    var start = 0
    while lines.count < 3 {
      let end = file[start...].firstIndex(of: 10) ?? file.endIndex - 1
      let line = String(decoding: file[start..<end], as: UTF8.self)
      if !line.hasPrefix("#") { lines.append(line) }
      start = end + 1
    }
    let size = lines[1].split(separator: " ").compactMap { Int($0) }
    (width, height, bytes) = (size[0], size[1], file[start...])
  }

  /// Red, green and blue, from 0 to 255.
  func pixel(_ x: Int, _ y: Int) -> [Int] {
    let place = bytes.startIndex + (y * width + x) * 3
    return bytes[place..<place + 3].map { Int($0) }
  }
}
