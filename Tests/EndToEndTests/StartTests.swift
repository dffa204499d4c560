import TestSupport
import Testing

/// Work that the start of the program must not wait for.
@Suite struct StartTests {
  #if os(Linux)
    @Test(.unsanitized) func librariesOfFormatsAreOpenedWhenTheyAreUsed() throws {
      let folder = try Folder()
      // Has the loader list what it loads before the program begins: ld.so(8).
      let outcome = try folder.imghost("--version", environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
      #expect(outcome.output.contains("libc.so"), "\(outcome)")
      for library in ["libisal", "libjpeg", "libspng", "libgcc_s"] {
        #expect(!outcome.output.contains(library), "\(outcome)")
      }
    }

    @Test(.unsanitized, arguments: [("libjpeg.so.62", "jpg"), ("libspng.so.0", "png")])
    func aDamagedLibraryEndsTheRunWithOneLine(_ library: String, _ format: String) throws {
      let folder = try Folder()
      try folder.write("lib/" + library, "")
      let outcome = try folder.run(
        "img.canvas(8, 8):save('a.\(format)')", environment: ["LD_LIBRARY_PATH": "lib"])
      outcome.expect(status: 1)
      #expect(
        outcome.errorLines == ["imghost: cannot open a library: lib/\(library): file too short"], "\(outcome)")
      #expect(!folder.exists("a." + format) && folder.temporaries.isEmpty)
    }
  #endif
}
