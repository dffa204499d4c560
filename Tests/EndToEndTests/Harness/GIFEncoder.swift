/// Writes GIF files of one frame, by the words of the specification: an encoder that shares no line with the decoder.
struct GIFEncoder {
  /// The bits of an index, from 1 to 8.
  let bits: Int
  /// Codes from one empty dictionary to the next. A decoder keeps a full dictionary until it is told to clear it.
  let codesBetweenClears: Int

  /// Returns a file whose frame has these indices, row by row. Colour k is (k, 255 - k, k xor 90).
  func file(width: Int, height: Int, _ indices: [UInt8]) -> [UInt8] {
    let size = [width & 255, width >> 8, height & 255, height >> 8].map(UInt8.init)
    var file = Array("GIF89a".utf8) + size + [0x80 | UInt8(bits - 1), 0, 0]
    for index in 0..<1 << bits { file += Self.colour(UInt8(index)) }
    file += [0x2c, 0, 0, 0, 0] + size + [0, UInt8(codeBits)]
    let codes = packed(indices)
    for start in stride(from: 0, to: codes.count, by: 255) {
      let block = codes[start..<min(start + 255, codes.count)]
      file += [UInt8(block.count)] + block
    }
    return file + [0, 0x3b]
  }

  static func colour(_ index: UInt8) -> [UInt8] { [index, 255 - index, index ^ 90] }

  /// The specification wants at least two bits.
  private var codeBits: Int { max(bits, 2) }

  private func packed(_ indices: [UInt8]) -> [UInt8] {
    let clear = 1 << codeBits
    var (bytes, waiting, waitingBits): ([UInt8], Int, Int) = ([], 0, 0)
    var (dictionary, next, width, count): ([[UInt8]: Int], Int, Int, Int) = ([:], clear + 2, codeBits + 1, 0)
    func put(_ code: Int) {
      waiting |= code << waitingBits
      waitingBits += width
      while waitingBits >= 8 {
        bytes.append(UInt8(waiting & 255))
        waiting >>= 8
        waitingBits -= 8
      }
    }
    func code(of string: [UInt8]) -> Int? { string.count == 1 ? Int(string[0]) : dictionary[string] }
    put(clear)
    var string: [UInt8] = []
    for index in indices {
      if code(of: string + [index]) != nil {
        string.append(index)
        continue
      }
      if let known = code(of: string) { put(known) }
      count += 1
      // Codes grow with the next entry, which is number `next`.
      if next == 1 << width, width < 12 { width += 1 }
      if count == codesBetweenClears {
        put(clear)
        (dictionary, next, width, count) = ([:], clear + 2, codeBits + 1, 0)
      } else if next < 4096 {
        dictionary[string + [index]] = next
        next += 1
      }
      string = [index]
    }
    if let known = code(of: string) { put(known) }
    if next == 1 << width, width < 12 { width += 1 }
    put(clear + 1)
    if waitingBits > 0 { bytes.append(UInt8(waiting & 255)) }
    return bytes
  }
}
