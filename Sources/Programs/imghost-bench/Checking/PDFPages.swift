import BenchReport
import Platform

/// Checks the contents of PDFs with poppler's programs.
enum PDFPages {
  /// Compares the pictures of some pages with resamplings of the photographs in 64-bit floating point.
  ///
  /// - Returns: the mean of their peak signal-to-noise ratios.
  static func check(_ pdf: String, _ photos: [String], size: (Int, Int), _ bench: Bench)
    throws(BenchFailure) -> Double
  {
    try checkCount(pdf, photos.count, bench)
    var sum = 0.0
    // Fewer pages than thumbnails are judged, because large pictures take longer.
    let chosen = Array(stride(from: 0, to: photos.count, by: 3 * FileJudge.step))
    for index in chosen {
      let page = try extract(pdf, bench, page: index + 1)
      guard page.count == 1 else { throw .wrongResult("page \(index + 1) of \(pdf)") }
      sum += try FileJudge.judge(photos[index], page, size, bench)[0]
    }
    return sum / Double(chosen.count)
  }

  /// Extracts the JPEGs of one page of a PDF, and returns their paths. Pages are counted from 1.
  private static func extract(_ pdf: String, _ bench: Bench, page: Int) throws(BenchFailure) -> [String] {
    let folder = bench.scratch.path + "/pages"
    try Folder.empty(folder)
    guard Measurement(["pdfimages", "-j", "-f", "\(page)", "-l", "\(page)", pdf, folder + "/page"]) != nil else {
      throw .failed("pdfimages, of Debian's package poppler-utils")
    }
    return Folder.files(folder, suffix: ".jpg")
  }

  /// Checks that a PDF has one page for each file, and contains the bytes of all files.
  static func checkHolds(_ pdf: String, _ files: [String], _ bench: Bench) throws(BenchFailure) {
    try checkCount(pdf, files.count, bench)
    guard Measurement(Subprocess.holds.command([pdf] + files)) != nil else {
      throw .wrongResult("\(pdf) does not hold all JPEGs")
    }
  }

  /// Returns the number of pixels of all pictures in a PDF.
  static func pixelCount(_ pdf: String, _ bench: Bench) throws(BenchFailure) -> Int {
    let output = bench.scratch.path + "/pdfimages.txt"
    guard Measurement(["pdfimages", "-list", pdf], output: output) != nil else {
      throw .failed("pdfimages, of Debian's package poppler-utils")
    }
    // The columns are page, number, type, width and height.
    let lines = (TextFile.read(output) ?? "").split(separator: "\n").map { $0.split(separator: " ") }
    let sizes = lines.filter { $0.count > 4 && $0[2] == "image" }.map { (Int($0[3]) ?? 0) * (Int($0[4]) ?? 0) }
    guard !sizes.isEmpty else { throw .wrongResult("\(pdf) has no pictures") }
    return sizes.reduce(0, +)
  }

  static func checkCount(_ pdf: String, _ count: Int, _ bench: Bench) throws(BenchFailure) {
    let output = bench.scratch.path + "/pdfinfo.txt"
    guard Measurement(["pdfinfo", pdf], output: output) != nil else {
      throw .failed("pdfinfo, of Debian's package poppler-utils")
    }
    let line = (TextFile.read(output) ?? "").split(separator: "\n").first { $0.hasPrefix("Pages:") }
    guard let pages = line?.split(separator: " ").last, Int(pages) == count else {
      throw .wrongResult("\(pdf) has not \(count) pages")
    }
  }

  /// Runs the subprocess with the arguments `PDF FILE…`. It fails unless the PDF contains the bytes of all files.
  static func runHolds(_ arguments: [String]) -> Int32 {
    let files = arguments.compactMap { MappedFile($0) }
    guard let pdf = files.first, files.count == arguments.count else { return 2 }
    // The PDF contains the files in this order, so each search starts where the previous one ended.
    var position = 0
    for file in files.dropFirst() {
      guard let found = pdf.offset(of: file, from: position) else { return 1 }
      position = found + file.count
    }
    return 0
  }
}

/// The bytes of a file, which stay in memory until the process ends.
struct MappedFile {
  let address: UnsafeMutableRawPointer
  let count: Int

  /// Maps a file; nil if it cannot be mapped or is empty.
  init?(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let size = RawFile.size(path), size > 0 else { return nil }
    defer { close(descriptor) }
    guard
      let address = mmap(nil, size, PROT_READ, MAP_PRIVATE | Int32(MAP_POPULATE), descriptor, 0), address != MAP_FAILED
    else { return nil }
    (self.address, count) = (address, size)
  }

  /// Returns the first offset from `start` on at which this file contains the bytes of another file; nil if there is
  /// none.
  func offset(of other: MappedFile, from start: Int) -> Int? {
    var position = start
    while position + other.count <= count {
      let first = Int32(other.address.load(as: UInt8.self))
      let rest = count - other.count - position + 1
      guard let match = memchr(address + position, first, rest) else { return nil }
      if memcmp(match, other.address, other.count) == 0 { return match - address }
      position = match - address + 1
    }
    return nil
  }
}
