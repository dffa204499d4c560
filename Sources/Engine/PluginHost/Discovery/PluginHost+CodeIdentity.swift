import ImageCore
import Platform

extension PluginHost {
  /// The type and the owner of the note that contains a build ID, as stored in an ELF file.
  private static let buildIDNote: [UInt8] = [3, 0, 0, 0] + Array("GNU\0".utf8)

  /// Returns a digest that identifies the code of a program or library and of every library that it loads. For a file
  /// with a build ID, which is different in every build, it covers only the size and the beginning; for other files,
  /// all bytes.
  ///
  /// - Parameter names: further libraries, by the names that dlopen(3) takes.
  package static func codeIdentity(ofLibrary path: String, and names: [String] = []) -> String {
    let searchPath = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
    var content: [UInt8] = []
    let own = LibraryClosure.files(loading: path, searchPath: searchPath)
    // A script that starts a program has no libraries.
    for library in (own.isEmpty ? [path] : own) + LibraryClosure.files(named: names, searchPath: searchPath) {
      guard let file = try? InputFile(path: library) else { continue }
      content += Array("\(file.byteCount)\t".utf8)
      let beginning = (try? file.bytes(at: 0, count: min(4_096, file.byteCount))) ?? []
      let hasBuildID = beginning.holds(buildIDNote)
      content += hasBuildID ? beginning : LibraryFile.digest(path: library)?.bytes ?? []
    }
    return SHA256.digest(of: content).description
  }

  /// Returns whether a cached description is complete.
  package static func isWholeDescription(_ name: String, in folder: String) -> Bool {
    DescriptionCache(folder: folder, worker: "").isWhole(name)
  }

  /// Returns whether the cached result of a check is complete.
  package static func isWholeVerdict(_ name: String, in folder: String) -> Bool {
    SHA256Digest(hexadecimal: name).map { VerdictCache(folder: folder).verdict(of: $0) != nil } ?? false
  }
}
