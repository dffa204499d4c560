import Foundation
import ImageCore
import PDFBook
import PDFTestSupport
import TestSupport
import Testing

#if os(Linux)
  /// The verifier's memory does not grow with the number of pages, except for a little that poppler keeps for each.
  @Suite struct MemoryTests {
    @Test(.thorough) func aThousandPagesTakeLittleMoreThanTwoHundred() throws {
      let folder = TestFolder()
      let few = try peak(of: book(200, in: folder))
      let many = try peak(of: book(1_000, in: folder))
      #expect(few > 10_000, "\(few) KiB is no measurement")
      // Measured 19 KiB a page. 800 more pages have 32 MB of pictures, which would be in the peak if the
      // file's memory were not given back.
      #expect(many < few + 24_000, "\(few) KiB for 200 pages, \(many) KiB for 1,000")
    }

    /// Poppler takes four bytes a pixel for a large picture, and nothing else takes as much. Of two pages with such
    /// pictures, one waits for the other.
    @Test(.thorough) func largePicturesTakeWhatPopplerDoes() throws {
      let folder = TestFolder()
      // 72 megapixels, which 128 do not hold twice.
      let jpeg = TestPicture(1, width: 8_192, height: 64, components: 1).stacked(138).jpeg(quality: 60)
      try folder.book("large.pdf") { writer in
        for comment in 0..<2 {
          let other = jpeg[..<2] + [0xff, 0xfe, 0, 3, UInt8(comment)] + jpeg[2...]
          try writer.addPage(PageSetup().page(writer.add(PDFPicture(jpeg: Array(other)))))
        }
      }
      // 289 MB, the rendered band of 67 MB, and what each program takes; a byte a pixel more, 72 MB, where all of
      // it is decoded at once, and twice all of that where pages do not wait.
      let most = try peak(of: folder.file("large.pdf"))
      #expect(most > 289_000 && most < 420_000, "\(most) KiB")
    }

    private func book(_ pages: Int, in folder: TestFolder) throws -> String {
      let name = "\(pages).pdf"
      let jpeg = TestPicture(1, width: 96, height: 96).jpeg(quality: 90)
      try folder.book(name) { writer in
        for page in 0..<pages {
          // Comments make every picture another one, of 40 KB.
          var comment: [UInt8] = [0xff, 0xfe, 0x9c, 0x42]
          comment += [UInt8](repeating: UInt8(page & 255), count: 40_000)
          comment[4] = UInt8(page >> 8)
          let picture = jpeg[..<2] + comment + jpeg[2...]
          try writer.addPage(PageSetup().page(writer.add(PDFPicture(jpeg: Array(picture)))))
        }
      }
      return folder.file(name)
    }

    /// Returns the peak of the checking process's resident memory in KiB: the kernel's `VmHWM`, which is polled because
    /// it disappears with the process.
    private func peak(of path: String) throws -> Int {
      let process = Process()
      process.executableURL = try verifierProgram()
      process.arguments = ["--worker", "--jobs", "2", "--json", path]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      var peak = 0
      while process.isRunning {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        peak = max(peak, line?.split(separator: " ").compactMap { Int($0) }.first ?? 0)
        usleep(2_000)
      }
      #expect(process.terminationStatus == 0)
      return peak
    }
  }
#endif
