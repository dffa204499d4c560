#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder for what is written while measuring.
struct Scratch {
  let path: String

  init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/imghost-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      preconditionFailure("no temporary folder can be made in \(parent)")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Writes a text file into the folder; gives its path.
  static func write(_ text: String, _ path: String) -> String {
    guard let file = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
    fputs(text, file)
    fclose(file)
    return path
  }

  func remove() { _ = Measurement(["rm", "-rf", path]) }

  /// A program beside this one.
  static func sibling(_ name: String) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes {
      readlink("/proc/self/exe", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
    }
    let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/" + name
  }

  /// The JPEG files of a folder, sorted.
  static func photos(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".jpg") { names.append(folder + "/" + name) }
    }
    return names.sorted()
  }
}
