/// Returns whether `a` precedes `b`. Runs of digits are compared as numbers, everything else by bytes.
public func naturalOrder(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  var i = 0
  var j = 0
  while i < a.count && j < b.count {
    if isDigit(a[i]) && isDigit(b[j]) {
      let first = number(in: a, &i)
      let second = number(in: b, &j)
      if first.count != second.count { return first.count < second.count }
      for (x, y) in zip(first, second) where a[x] != b[y] { return a[x] < b[y] }
    } else {
      if a[i] != b[j] { return a[i] < b[j] }
      i += 1
      j += 1
    }
  }
  return a.count - i != b.count - j ? a.count - i < b.count - j : a.lexicographicallyPrecedes(b)
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// Reads a run of digits and moves `place` after it.
///
/// - Returns: the range of the digits without leading zeros.
private func number(in bytes: [UInt8], _ place: inout Int) -> Range<Int> {
  while place < bytes.count, bytes[place] == 0x30 { place += 1 }
  let start = place
  while place < bytes.count, isDigit(bytes[place]) { place += 1 }
  return start..<place
}
