/// UTF-8 text in a byte array instead of a string, because a book of a million pages has millions of short lines.
///
/// A text can be a literal with interpolated integers, strings and other texts, as a string can.
package struct UTF8Text: Sendable {
  package var bytes: [UInt8] = []

  @inlinable package init() {}

  /// - Parameter capacity: the expected number of bytes.
  @inlinable package init(capacity: Int) { bytes.reserveCapacity(capacity) }

  @inlinable package init(_ text: String) { bytes = Array(text.utf8) }

  @inlinable package var count: Int { bytes.count }
  @inlinable package var isEmpty: Bool { bytes.isEmpty }

  @inlinable package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  package mutating func append(string text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Appends a whole number in decimal.
  package mutating func append(_ value: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { space in
      var start = space.count
      var rest = value.magnitude
      repeat {
        start -= 1
        space[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        start -= 1
        space[start] = UInt8(ascii: "-")
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: space[start...]))
    }
  }

  @inlinable package static func += (text: inout UTF8Text, more: UTF8Text) {
    text.bytes.append(contentsOf: more.bytes)
  }
}

extension UTF8Text: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    @usableFromInline package var text: UTF8Text

    @inlinable package init(literalCapacity: Int, interpolationCount: Int) {
      text = UTF8Text(capacity: literalCapacity + interpolationCount * 16)
    }

    @inlinable package mutating func appendLiteral(_ literal: StaticString) { text.append(literal) }
    @inlinable package mutating func appendInterpolation(_ value: Int) { text.append(value) }
    @inlinable package mutating func appendInterpolation(_ value: String) { text.append(string: value) }
    @inlinable package mutating func appendInterpolation(_ value: UTF8Text) { text += value }
  }

  @inlinable package init(stringLiteral value: StaticString) { append(value) }
  @inlinable package init(stringInterpolation value: StringInterpolation) { self = value.text }
}

extension String {
  package init(_ text: UTF8Text) { self.init(decoding: text.bytes, as: UTF8.self) }
}
