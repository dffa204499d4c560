import ImageCore
import Platform
import Synchronization

/// Forwards the lines that the workers of one plugin print, without control characters, and only as many as a person
/// would read.
final class PrintedOutput: Sendable {
  /// The limits for lines and bytes of one plugin in one run. Everything beyond them is dropped.
  static let maximumLines = 100
  static let maximumByteCount = 16 << 10
  /// The maximum size of one line, in bytes.
  static let maximumLineByteCount = 512

  private struct Left {
    var lines = PrintedOutput.maximumLines
    var bytes = PrintedOutput.maximumByteCount
  }

  private let left = Mutex(Left())
  private let onLine: @Sendable (String) -> Void

  init(onLine: @escaping @Sendable (String) -> Void) { self.onLine = onLine }

  /// Processes a line without its line end; returns false if no further lines are wanted.
  func take(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = WireReader.line(EscapeSequences.removed(from: bytes.prefix(Self.maximumLineByteCount))[...])
    guard !text.utf8.allSatisfy({ $0 == 0x20 }), !Self.isDebugLine(text) else { return true }
    let (isWanted, isLast) = left.withLock { left in
      guard left.lines > 0 else { return (false, false) }
      left.lines -= 1
      left.bytes -= text.utf8.count
      if left.bytes <= 0 { left.lines = 0 }
      return (true, left.lines == 0)
    }
    if isWanted { onLine(text) }
    if isLast { onLine("printed more than is shown; the rest is left out") }
    return isWanted && !isLast
  }

  /// Returns whether a line is only for the authors of a library: for each damaged file, libjxl prints a call stack
  /// with source positions, such as `./lib/jxl/decode.cc:1182: frame processing failed`, and this cannot be disabled.
  private static func isDebugLine(_ text: String) -> Bool {
    guard let place = text.firstRange(of: ".cc:") else { return false }
    return text[..<place.lowerBound].contains("lib/jxl/") && text[place.upperBound...].first?.isNumber == true
  }

  var isFull: Bool { left.withLock { $0.lines == 0 } }
}

/// The output of one worker: the read end of its pipe, and the unfinished line.
struct PrintedLines {
  /// The read end of the pipe; -1 once it is closed. The worker's further output is then lost (EPIPE).
  private(set) var descriptor: Int32
  private let output: PrintedOutput?
  private var line: [UInt8] = []
  /// Whether anything was printed.
  private(set) var hasLines = false

  init(descriptor: Int32, output: PrintedOutput?) {
    self.descriptor = descriptor
    self.output = output
    if output?.isFull ?? true { endListening() }
  }

  /// Reads available output without waiting, at most one pipe's capacity. Wraps `read(2)`.
  mutating func read() {
    guard descriptor >= 0 else { return }
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
      count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      filled = max(count, 0)
    }
    if count == 0 { return endListening() }
    if count > 0 { take(bytes) }
  }

  /// Closes the pipe; an unfinished line counts as a line.
  mutating func close() {
    if !line.isEmpty { _ = output?.take(line[...]) }
    line = []
    endListening()
  }

  private mutating func take(_ bytes: [UInt8]) {
    hasLines = true
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      line += rest[..<end].prefix(PrintedOutput.maximumLineByteCount)
      rest = rest[(end + 1)...]
      guard output?.take(line[...]) == true else {
        line = []
        return endListening()
      }
      line = []
    }
    line += rest.prefix(max(0, PrintedOutput.maximumLineByteCount - line.count))
  }

  private mutating func endListening() {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
  }
}

/// Escape sequences that control a terminal: ECMA-48, and strings that end with BEL or ESC \.
enum EscapeSequences {
  private static let escape: UInt8 = 0x1b

  /// Returns the bytes without escape sequences. An unterminated sequence is removed with everything after it.
  static func removed(from bytes: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var rest = bytes
    while let start = rest.firstIndex(of: escape) {
      kept += rest[..<start]
      rest = after(rest[(start + 1)...])
    }
    return kept + rest
  }

  /// Returns the text after an escape sequence whose first byte has been read.
  private static func after(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = rest.first else { return rest }
    switch first {
    case UInt8(ascii: "["): return rest.dropFirst().drop { !(0x40...0x7e).contains($0) }.dropFirst()
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      let text = rest.dropFirst().drop { $0 != 0x07 && $0 != escape }
      return text.first == escape ? text.dropFirst(2) : text.dropFirst()
    default: return rest.drop { (0x20...0x2f).contains($0) }.dropFirst()
    }
  }
}
