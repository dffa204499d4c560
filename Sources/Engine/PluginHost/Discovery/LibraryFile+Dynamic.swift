import ImageCore

/// The names in a library's dynamic section that the dynamic linker goes by. System V ABI, chapter "Dynamic
/// Linking".
struct LibraryLinks {
  /// Names of libraries it needs; those with a slash are paths.
  var needed: [String] = []
  /// Folders of its DT_RPATH, which hold for what it needs at any depth.
  var rpath: [String] = []
  /// Folders of its DT_RUNPATH, which hold for what it needs itself; nil for none.
  var runpath: [String]?
}

extension LibraryFile {
  /// More than any library has; a damaged one may claim anything.
  private static let maximumDynamicByteCount = 1 << 16
  private static let maximumNameByteCount = 4096

  private enum Tag {
    static let needed = 1
    static let stringTable = 5
    static let rpath = 15
    static let runpath = 29
    static let auxiliary = 0x7fff_fffd
    static let filter = 0x7fff_ffff
  }

  /// Reads the links of a file; nil for one that is no library for this machine.
  static func links(path: String) -> LibraryLinks? { (try? InputFile(path: path)).flatMap(links) }

  static func links(_ file: InputFile) -> LibraryLinks? {
    let library = LibraryFile(file: file)
    guard (try? library.check()) != nil else { return nil }
    return (try? library.links()) ?? LibraryLinks()
  }

  private func links() throws(PluginRefusal) -> LibraryLinks {
    let segments = try segments()
    var links = LibraryLinks()
    guard let dynamic = segments.first(where: { $0.type == Segment.dynamic }),
      (0..<file.byteCount).contains(dynamic.offset), dynamic.fileByteCount >= 0
    else { return links }
    let entries = try bytes(at: dynamic.offset, count: min(dynamic.fileByteCount, Self.maximumDynamicByteCount))
    let pairs = Swift.stride(from: 0, to: entries.count - 15, by: 16).map { offset in
      (tag: Self.number(entries, at: offset, byteCount: 8), value: Self.number(entries, at: offset + 8, byteCount: 8))
    }.prefix { $0.tag != 0 }
    // The table's place is an address in memory.
    guard let address = pairs.first(where: { $0.tag == Tag.stringTable })?.value,
      let segment = segments.first(where: { $0.type == Segment.load && $0.holds(address) })
    else { return links }
    let table = segment.offset + (address - segment.address)
    for (tag, value) in pairs {
      switch tag {
      case Tag.needed, Tag.auxiliary, Tag.filter: links.needed += try text(table, value)
      case Tag.rpath: links.rpath += Self.folders(try text(table, value))
      case Tag.runpath: links.runpath = Self.folders(try text(table, value))
      default: break
      }
    }
    return links
  }

  /// The text at an offset of the string table; empty for one that cannot be a path.
  private func text(_ table: Int, _ offset: Int) throws(PluginRefusal) -> [String] {
    let (start, overflow) = table.addingReportingOverflow(offset)
    guard !overflow, offset >= 0, (0..<file.byteCount).contains(start) else { return [] }
    let bytes = try bytes(at: start, count: Self.maximumNameByteCount).prefix { $0 != 0 }
    return String(validating: bytes, as: UTF8.self).map { $0.isEmpty ? [] : [$0] } ?? []
  }

  private static func folders(_ texts: [String]) -> [String] {
    texts.flatMap { $0.split(separator: ":").map(String.init) }
  }
}
