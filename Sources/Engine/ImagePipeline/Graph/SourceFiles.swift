import ImageCore

/// The picture files that a script has opened, each once. Names that differ only in the encoding of a character such as
/// é are different files.
struct SourceFiles {
  private struct Page: Hashable {
    let place: InternedPath
    let selection: PageSelection
    let readsSidecar: Bool
  }

  /// The number of files, including forgotten ones.
  var count = 0
  private let codecs: CodecCache
  private var files: [InternedPath: PictureFile] = [:]
  /// The files that were first opened with options, or at a page other than the first.
  private var otherSources: Set<InternedPath> = []
  /// Pages other than the first page of a file, and files opened with codec options or with a sidecar.
  private var pages: [Page: PictureFile] = [:]
  private var folders = InternedPath.Folders()

  init(_ codecs: CodecCache) { self.codecs = codecs }

  var paths: [String] { files.values.map(\.path) + pages.values.map(\.path) }

  /// Returns the interned path. All paths in one folder share the folder's text.
  mutating func place(_ path: String) -> InternedPath { InternedPath(path, in: &folders) }

  /// Returns a page of a file, and the memory in bytes that this call adds to the run, see `RecordedMemory`.
  mutating func file(_ place: InternedPath, _ selection: PageSelection, readsSidecar: Bool)
    -> (file: PictureFile, byteCount: Int)
  {
    guard selection != .first || readsSidecar else {
      if let known = files[place] { return (known, 0) }
      let file = PictureFile(place, codecs: codecs)
      files[place] = file
      if !otherSources.contains(place) { count += 1 }
      return (file, RecordedMemory.file + place.name.recordedByteCount)
    }
    let page = Page(place: place, selection: selection, readsSidecar: readsSidecar)
    if let known = pages[page] { return (known, 0) }
    let file = PictureFile(place, codecs: codecs, selection, readsSidecar: readsSidecar)
    if files[place] == nil, otherSources.insert(place).inserted { count += 1 }
    pages[page] = file
    return (
      file, RecordedMemory.filePage + place.name.recordedByteCount + selection.options.recordedByteCount
    )
  }

  /// Forgets the files, but keeps their number.
  mutating func forget() {
    (files, pages, otherSources) = ([:], [:], [])
    folders = InternedPath.Folders()
  }
}
