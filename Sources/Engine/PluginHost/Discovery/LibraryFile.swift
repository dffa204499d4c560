import ImageCore
import Platform

/// Reads the ELF headers of a library as plain bytes, in the host: no part of the library is loaded or run.
///
/// The fields follow the System V ABI, chapter "Object Files": gabi.xinuos.com/elf.
struct LibraryFile {
  private static let headerByteCount = 64
  private static let sharedObject = 3

  let file: InputFile

  /// An entry of the table of segments.
  struct Segment {
    static let load = 1
    static let dynamic = 2

    let type: Int
    let offset: Int
    let address: Int
    let fileByteCount: Int

    /// Returns whether an address in memory lies in the part of the segment that comes from the file.
    func holds(_ value: Int) -> Bool {
      let (distance, overflow) = value.subtractingReportingOverflow(address)
      return !overflow && distance >= 0 && distance < fileByteCount
    }
  }

  /// Throws the reason if the file cannot be a library for this machine.
  static func check(path: String) throws(PluginRefusal) {
    let file: InputFile
    do throws(FileError) { file = try InputFile(path: path) } catch { throw .file(error) }
    try LibraryFile(file: file).check()
  }

  /// The maximum size in bytes of a file that is hashed. A limit is needed, because a sparse file may have any size.
  private static let hashedByteCount = 1 << 28

  /// Returns the SHA-256 of the whole file; nil if it cannot be read, or is larger than any real library.
  static func digest(path: String) -> SHA256Digest? {
    guard let file = try? InputFile(path: path), file.byteCount <= hashedByteCount else { return nil }
    return try? SHA256.digest(of: file, count: file.byteCount)
  }

  /// Returns whether a text occurs in the file; also true if the file is larger than any real library.
  ///
  /// A plugin's file contains the plugin's name, because the name is a constant.
  static func mentions(_ text: String, path: String) -> Bool {
    guard let file = try? InputFile(path: path) else { return false }
    guard file.byteCount <= hashedByteCount else { return true }
    let (wanted, step) = (Array(text.utf8), 1 << 20)
    return Swift.stride(from: 0, to: file.byteCount, by: step).contains { offset in
      // A name may begin in this piece and end in the next.
      (try? file.bytes(at: offset, count: step + wanted.count))?.holds(wanted) ?? false
    }
  }

  /// Returns the table of segments. Throws the reason if the file cannot be a library for this machine.
  @discardableResult func check() throws(PluginRefusal) -> [Segment] {
    guard file.byteCount > 0 else { throw .emptyFile }
    let header = try bytes(at: 0, count: Self.headerByteCount)
    guard header.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
    else { throw .notALibrary }
    guard header.count == Self.headerByteCount else { throw .truncated }
    guard header[4] == 2, header[5] == 1 else {
      throw .otherMachine(header[4] == 1 ? "32 bits" : "other byte order")
    }
    let machine = Self.number(header, at: 18, byteCount: 2)
    guard machine == Self.thisMachine else { throw .otherMachine(Self.machineName(machine)) }
    guard Self.number(header, at: 16, byteCount: 2) == Self.sharedObject else { throw .notASharedLibrary }
    // Every segment to be loaded must lie within the file: a truncated library would load and later crash with SIGBUS.
    let segments = try segments(header)
    for segment in segments where segment.type == Segment.load {
      let (end, overflow) = segment.offset.addingReportingOverflow(segment.fileByteCount)
      guard !overflow, (0...file.byteCount).contains(end), segment.fileByteCount >= 0 else { throw .truncated }
    }
    return segments
  }

  private func segments(_ header: [UInt8]) throws(PluginRefusal) -> [Segment] {
    let start = Self.number(header, at: 32, byteCount: 8)
    let (size, count) = (56, Self.number(header, at: 56, byteCount: 2))
    guard Self.number(header, at: 54, byteCount: 2) == size, count > 0, start >= 0,
      start <= file.byteCount - size * count
    else { throw .truncated }
    let table = try bytes(at: start, count: size * count)
    guard table.count == size * count else { throw .truncated }
    return Swift.stride(from: 0, to: table.count, by: size).map { entry in
      Segment(
        type: Self.number(table, at: entry, byteCount: 4),
        offset: Self.number(table, at: entry + 8, byteCount: 8),
        address: Self.number(table, at: entry + 16, byteCount: 8),
        fileByteCount: Self.number(table, at: entry + 32, byteCount: 8))
    }
  }

  func bytes(at offset: Int, count: Int) throws(PluginRefusal) -> [UInt8] {
    do throws(FileError) {
      return try file.bytes(at: offset, count: count)
    } catch {
      throw .file(error)
    }
  }

  /// Reads a little-endian number. A number of 8 bytes that does not fit into an `Int` becomes negative.
  static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int {
    // A plain loop, because debug builds read some thousand numbers at every start.
    var (number, index) = (0, offset + byteCount)
    while index > offset {
      index -= 1
      number = number << 8 | Int(bytes[index])
    }
    return number
  }

  /// Reads a text up to its zero byte; nil if there is none, or if the text is not UTF-8.
  static func text(_ bytes: [UInt8], at start: Int) -> String? {
    bytes.withUnsafeBytes { bytes in
      guard start < bytes.count, let first = bytes.baseAddress?.advanced(by: start),
        memchr(first, 0, bytes.count - start) != nil
      else { return nil }
      return String(validatingCString: first.assumingMemoryBound(to: CChar.self))
    }
  }

  private static var thisMachine: Int {
    #if arch(x86_64)
      62
    #elseif arch(arm64)
      183
    #else
      #error("add the ELF machine number of this architecture")
    #endif
  }

  private static func machineName(_ number: Int) -> String {
    let names = [
      3: "x86, 32 bits", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm, 32 bits",
      62: "x86_64", 183: "aarch64", 243: "riscv", 258: "loongarch",
    ]
    return names[number] ?? "ELF machine \(number)"
  }
}

// MARK: - Dynamic

/// The names in a library's dynamic section that determine what the dynamic linker loads. System V ABI, chapter
/// "Dynamic Linking".
struct LibraryLinks {
  /// The names of required libraries; those with a slash are paths.
  var needed: [String] = []
  /// The folders of its DT_RPATH, which apply to all its dependencies, direct or indirect.
  var rpath: [String] = []
  /// The folders of its DT_RUNPATH, which apply only to its direct dependencies; nil for none.
  var runpath: [String]?
}

extension LibraryFile {
  /// The maximum size of the dynamic section, which real libraries do not reach. A damaged library may declare any
  /// size.
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

  /// Reads the links of a file; nil if it is not a library for this machine.
  static func links(path: String) -> LibraryLinks? { (try? InputFile(path: path)).flatMap(links) }

  static func links(_ file: InputFile) -> LibraryLinks? {
    let library = LibraryFile(file: file)
    guard let segments = try? library.check() else { return nil }
    return (try? library.links(segments)) ?? LibraryLinks()
  }

  private func links(_ segments: [Segment]) throws(PluginRefusal) -> LibraryLinks {
    var links = LibraryLinks()
    guard let dynamic = segments.first(where: { $0.type == Segment.dynamic }),
      (0..<file.byteCount).contains(dynamic.offset), dynamic.fileByteCount >= 0
    else { return links }
    let entries = try bytes(at: dynamic.offset, count: min(dynamic.fileByteCount, Self.maximumDynamicByteCount))
    let pairs = Swift.stride(from: 0, to: entries.count - 15, by: 16).map { offset in
      (tag: Self.number(entries, at: offset, byteCount: 8), value: Self.number(entries, at: offset + 8, byteCount: 8))
    }.prefix { $0.tag != 0 }
    // The address of the string table is an address in memory, not an offset in the file.
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

  /// Returns a list with the text at an offset of the string table. The list is empty if the text is empty or invalid.
  private func text(_ table: Int, _ offset: Int) throws(PluginRefusal) -> [String] {
    let (start, overflow) = table.addingReportingOverflow(offset)
    guard !overflow, offset >= 0, (0..<file.byteCount).contains(start) else { return [] }
    let bytes = try bytes(at: start, count: Self.maximumNameByteCount)
    return Self.text(bytes, at: 0).map { $0.isEmpty ? [] : [$0] } ?? []
  }

  private static func folders(_ texts: [String]) -> [String] {
    texts.flatMap { $0.split(separator: ":").map(String.init) }
  }
}
