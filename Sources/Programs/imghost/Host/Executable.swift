import ImageCore
import Platform

/// The place of this program, and of the programs beside it.
enum Executable {
  /// The folder of the running program, without links: `readlink(2)` of `/proc/self/exe`.
  static let folder: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink("/proc/self/exe", bytes.bindMemory(to: CChar.self).baseAddress!, bytes.count)
    }
    guard count > 0 else { return "." }
    let path = String(decoding: buffer[..<count], as: UTF8.self)
    return String(PathName.folder(path) ?? "")
  }()

  /// The path of a program that is installed with this one.
  static func sibling(_ name: String) -> String { folder + "/" + name }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
