#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The start of a small text file such as those in `/proc` and `/sys`; nil where it cannot be read.
func textFile(_ path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = read(descriptor, &bytes, bytes.count)
  guard count >= 0 else { return nil }
  return String(decoding: bytes[..<count], as: UTF8.self)
}
