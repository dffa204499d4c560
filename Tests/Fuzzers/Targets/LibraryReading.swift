@testable import ImageCore
@testable import PluginHost

/// The facts that the host reads about a library before a worker loads it: ELF headers, the linker's list of libraries,
/// and the cached description.
enum LibraryReading {
  static func read(_ bytes: [UInt8]) {
    if let file = PictureReading.file(bytes), let links = LibraryFile.links(file) {
      for name in links.needed + links.rpath + (links.runpath ?? []) {
        precondition(!name.utf8.contains(0))
        for text in LibraryClosure.expanded(String(name.prefix(256)), "/folder") { precondition(!text.isEmpty) }
      }
    }
    let cache = LinkerCache(bytes: bytes)
    precondition(cache.paths("libjpeg.so.62").allSatisfy { !$0.utf8.contains(0) })
    var reader = WireReader(bytes)
    var known: [ArraySlice<UInt8>: Bool] = [:]
    if let stamps = try? reader.text() { _ = FileStamps.areCurrent(stamps, known: &known) }
  }
}
