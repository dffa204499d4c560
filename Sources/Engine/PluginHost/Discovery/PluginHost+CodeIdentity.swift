import ImageCore
import Platform

extension PluginHost {
  /// Returns what identifies the code of a program or library and of every library that it loads: a digest of their sizes
  /// and beginnings. The beginning of an ELF file has the build ID, which differs between builds.
  ///
  /// - Parameter names: further libraries, by the names that dlopen(3) takes.
  package static func codeIdentity(ofLibrary path: String, and names: [String] = []) -> String {
    let searchPath = getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? ""
    var content: [UInt8] = []
    for library in LibraryClosure.files(loading: path, searchPath: searchPath)
      + LibraryClosure.files(named: names, searchPath: searchPath)
    {
      guard let file = try? InputFile(path: library) else { continue }
      content += Array("\(file.byteCount)\t".utf8)
      content += (try? file.bytes(at: 0, count: min(4_096, file.byteCount))) ?? []
    }
    return SHA256.digest(of: content).description
  }
}
