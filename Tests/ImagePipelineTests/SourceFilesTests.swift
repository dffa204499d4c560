import ImageCore
import Testing

@testable import ImagePipeline

@Suite struct SourceFilesTests {
  /// A script that has ended keeps no file in memory, whichever of its pages was opened and how.
  @Test func forgottenFilesAreReleased() {
    var sources = SourceFiles(
      CodecCache { (_) throws(PictureError) in throw .operation(.unsuitable("nothing is decoded")) })
    let place = sources.place("folder/a.tif")
    weak let first = sources.file(place, .first, readsSidecar: false).file
    weak let page = sources.file(place, PageSelection(page: 2), readsSidecar: false).file
    weak let other = sources.file(sources.place("b.jpg"), .first, readsSidecar: true).file
    #expect(first != nil && page != nil && other != nil && sources.count == 2)
    sources.forget()
    #expect(first == nil && page == nil && other == nil)
    #expect(sources.count == 2 && sources.paths.isEmpty)
  }
}
