import ImageCore
import Platform

/// Finds the files that are read when a library is loaded: the library, its direct and indirect dependencies, and the
/// modules that these libraries load themselves.
///
/// Dependencies are found in the headers of the files according to ld.so(8), without loading anything. If there are
/// variants of a file for several processor levels, all of them are included. Modules are in a folder named after the
/// library, next to it: libheif 1.19 has its decoders in `libheif/plugins`.
struct LibraryClosure {
  /// The maximum number of files, which real libraries do not reach.
  private static let maximumFiles = 2048

  private let searchPath: [String]
  private static let cache = LinkerCache()
  private var known: [String: LibraryLinks?] = [:]
  private var files: [String] = []
  private var seen: Set<String> = []

  private init(searchPath: String) { self.searchPath = searchPath.split(separator: ":").map(String.init) }

  /// Returns the files of a library and of its dependencies, and the folders of modules.
  ///
  /// - Parameters:
  ///   - path: the path of the library; it must contain a slash.
  ///   - searchPath: the value of `LD_LIBRARY_PATH`.
  static func files(loading path: String, searchPath: String) -> [String] {
    var closure = LibraryClosure(searchPath: searchPath)
    closure.follow(path)
    return closure.files
  }

  /// Returns the files of libraries and of their dependencies. The libraries are given by name, as for dlopen(3).
  static func files(named names: [String], searchPath: String) -> [String] {
    var closure = LibraryClosure(searchPath: searchPath)
    for name in names { for path in closure.find(name, before: [], after: []) { closure.follow(path) } }
    return closure.files
  }

  /// A library to examine, and the DT_RPATH folders of the libraries that led to it.
  private struct Step {
    let path: String
    let inherited: [String]
  }

  private mutating func follow(_ path: String) {
    var steps = [Step(path: path, inherited: [])]
    seen.insert(path)
    while let step = steps.popLast(), files.count < Self.maximumFiles {
      guard let links = links(step.path) else { continue }
      files.append(step.path)
      if let folder = moduleFolder(of: step.path) {
        files.append(folder)
        let modules = (try? PluginFolder(path: folder, files: .installed).libraries()) ?? []
        steps += modules.filter { seen.insert($0).inserted }.map { Step(path: $0, inherited: []) }
      }
      let origin = PathName.folder(step.path).map { $0.isEmpty ? "/" : String($0) } ?? "."
      // If a library has a DT_RUNPATH, its own and inherited DT_RPATHs are ignored.
      let rpath = links.runpath == nil ? links.rpath.flatMap { Self.expanded($0, origin) } + step.inherited : []
      let runpath = (links.runpath ?? []).flatMap { Self.expanded($0, origin) }
      for name in links.needed.flatMap({ Self.expanded($0, origin) }) {
        for found in find(name, before: rpath, after: runpath) where seen.insert(found).inserted {
          steps.append(Step(path: found, inherited: rpath))
        }
      }
    }
  }

  /// Returns the folder of modules, such as `/usr/lib/libheif` for `/usr/lib/libheif.so.1`; nil if it does not exist.
  ///
  /// Only a library in a folder named by the user or the system has modules. A plugin can name folders, too
  /// (`DT_RUNPATH`), and could otherwise make any folder readable.
  private func moduleFolder(of library: String) -> String? {
    let name = PathName.name(library)
    guard let folder = PathName.folder(library).map(String.init), let end = name.firstRange(of: ".so")?.lowerBound,
      (searchPath + Self.systemFolders).contains(folder) || Self.cache.paths(String(name)).contains(library)
    else { return nil }
    let path = "\(folder)/\(name[..<end])"
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? path : nil
  }

  /// Returns the files that a name may refer to.
  private mutating func find(_ name: String, before: [String], after: [String]) -> [String] {
    if PathName.folder(name) != nil { return [name] }
    for folder in before + searchPath + after {
      let found = files(name, in: folder)
      if !found.isEmpty { return found }
    }
    let listed = Self.cache.paths(name).filter { links($0) != nil }
    if !listed.isEmpty { return listed }
    for folder in Self.systemFolders {
      let found = files(name, in: folder)
      if !found.isEmpty { return found }
    }
    return []
  }

  private mutating func files(_ name: String, in folder: String) -> [String] {
    (Self.levels.map { "\(folder)/glibc-hwcaps/\($0)/\(name)" } + ["\(folder)/\(name)"]).filter { links($0) != nil }
  }

  /// Returns the links of a file, which is read only once; nil if it is not a library.
  private mutating func links(_ path: String) -> LibraryLinks? {
    if let links = known[path] { return links }
    let links = LibraryFile.links(path: path)
    known[path] = .some(links)
    return links
  }

  #if arch(x86_64)
    private static let (machine, levels) = ("x86_64", ["x86-64-v4", "x86-64-v3", "x86-64-v2"])
  #else
    private static let (machine, levels) = ("aarch64", [String]())
  #endif

  /// The possible values of `$LIB`, the name of the folder for libraries.
  private static let folderNames = ["lib/\(machine)-linux-gnu", "lib64", "lib"]
  private static let systemFolders = folderNames.flatMap { ["/" + $0, "/usr/" + $0] }

  /// Returns the texts that result from replacing `$ORIGIN`, `$LIB` and `$PLATFORM`; ld.so(8), "Dynamic string tokens".
  static func expanded(_ text: String, _ origin: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return [text] }
    var texts = [text]
    for (token, values) in [
      ("ORIGIN", [origin]), ("LIB", folderNames), ("PLATFORM", [machine]),
    ] {
      for spelling in ["${\(token)}", "$\(token)"] {
        texts = texts.flatMap { text in values.map { replaced(text, spelling, $0) } }
      }
    }
    return texts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func replaced(_ text: String, _ token: String, _ value: String) -> String {
    String(decoding: Array(text.utf8).replacing(Array(token.utf8), with: Array(value.utf8)), as: UTF8.self)
  }
}

/// The system's list of libraries: `/etc/ld.so.cache`, see ldconfig(8).
///
/// The layout is that of glibc's `sysdeps/generic/dl-cache.h`, since glibc 2.2.
struct LinkerCache {
  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
  private static let oldMagic = Array("ld.so-1.7.0".utf8)
  private static let headerByteCount = 48
  private static let entryByteCount = 24
  private static let maximumByteCount = 1 << 24

  private var paths: [String: [String]] = [:]

  /// Reads the list; empty if the file is missing, damaged or of another kind.
  init(path: String = "/etc/ld.so.cache") {
    let file = try? InputFile(path: path)
    let size = min(file?.byteCount ?? 0, Self.maximumByteCount)
    self.init(bytes: file.flatMap { try? $0.bytes(at: 0, count: size) } ?? [])
  }

  init(bytes: [UInt8]) {
    var start = 0
    if bytes.count >= 16, bytes.starts(with: Self.oldMagic) {
      // An older list may come first, with entries of 12 bytes; the newer list begins at a multiple of 8 bytes.
      start = (16 + 12 * LibraryFile.number(bytes, at: 12, byteCount: 4) + 7) & ~7
    }
    // The offsets of strings are relative to the start of the newer list.
    let entries = start + Self.headerByteCount
    guard bytes.count >= entries, bytes[start...].starts(with: Self.magic) else { return }
    let room = (bytes.count - entries) / Self.entryByteCount
    let count = min(LibraryFile.number(bytes, at: start + 20, byteCount: 4), room)
    for entry in stride(from: entries, to: entries + count * Self.entryByteCount, by: Self.entryByteCount) {
      let text = { LibraryFile.text(bytes, at: start + LibraryFile.number(bytes, at: entry + $0, byteCount: 4)) }
      if let name = text(4), let path = text(8) { paths[name, default: []].append(path) }
    }
  }

  /// Returns all paths that the list has for a library's name: there may be several, for different kinds of machines
  /// and processor levels.
  func paths(_ name: String) -> [String] { paths[name] ?? [] }
}
