import ImageCore

/// Returns the last lines of a text file; nil if it cannot be read.
func fileEnding(_ path: String, most: Int) -> String? {
  guard let file = try? InputFile(path: path) else { return nil }
  let start = max(0, file.byteCount - most)
  guard let bytes = try? file.bytes(at: start, count: file.byteCount - start) else { return nil }
  let whole = start == 0 ? bytes[...] : bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
  return String(decoding: whole, as: UTF8.self)
}
