import Foundation

/// Writes a file without waiting for the disk, as `Data.write(to:)` does each time.
public func writeFile(_ bytes: [UInt8], to path: String) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  defer { close(file) }
  var written = 0
  while written < bytes.count {
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress! + written, bytes.count - written) }
    guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    written += count
  }
}
