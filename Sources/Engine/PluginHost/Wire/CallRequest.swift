import ImageCore

/// The value of one parameter, as in `imghost_value`.
package struct WireValue: Sendable, Hashable {
  package var numbers: [Double]
  package var text: String?

  package init(_ numbers: [Double], text: String? = nil) {
    self.numbers = numbers + Array(repeating: 0, count: 4 - numbers.count)
    self.text = text
  }
}

/// A picture described with the constants of `imghost_plugin.h`.
package struct WirePicture: Sendable, Hashable {
  package var width: UInt32
  package var height: UInt32
  package var sample: UInt32
  package var bands: UInt32
  package var alpha: UInt32
  /// The number of bytes from one row to the next: a multiple of 64 or, for frei0r plugins, exactly the size of a row's
  /// pixels.
  package var stride: UInt64

  /// The total number of bytes of all rows.
  package var byteCount: Int { Int(stride) * Int(height) }
}

/// A request to a worker: the body of a `call` message.
///
/// The inputs follow one another in their part of shared memory, each with a capacity of `inputCapacity` bytes. The
/// output and all inputs have the size and format of `picture`. Each picture's rows are at the end of its part of the
/// memory, so that an access beyond the last row hits the guard page.
package struct CallRequest: Sendable {
  /// The identifier of the shared memory. Its descriptors are sent unless the worker still has this memory mapped.
  package var frame: UInt64
  /// The number of input pictures: 0 for a source.
  package var inputCount: UInt32
  /// The capacity of each input in bytes.
  package var inputCapacity: UInt64
  package var outputCapacity: UInt64
  package var picture: WirePicture
  package var values: [WireValue]
  /// The rows of the output to write: all of them, unless several workers share the picture.
  package var rows: Range<UInt32>

  package init(
    frame: UInt64, inputCount: Int = 1, inputCapacity: Int, outputCapacity: Int,
    picture: WirePicture, values: [WireValue]
  ) {
    self.frame = frame
    self.inputCount = UInt32(inputCount)
    self.inputCapacity = UInt64(inputCapacity)
    self.outputCapacity = UInt64(outputCapacity)
    self.picture = picture
    self.values = values
    rows = 0..<picture.height
  }

  package func write(to writer: inout WireWriter) {
    writer.append(frame)
    writer.append(inputCount)
    writer.append(inputCapacity)
    writer.append(outputCapacity)
    for field in [picture.width, picture.height, picture.sample, picture.bands, picture.alpha] { writer.append(field) }
    writer.append(picture.stride)
    writer.append(rows.lowerBound)
    writer.append(rows.upperBound)
    writer.append(values)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    frame = try reader.integer(UInt64.self)
    inputCount = try reader.integer(UInt32.self)
    guard inputCount <= Limits.inputs else { throw WireError() }
    inputCapacity = try reader.integer(UInt64.self)
    outputCapacity = try reader.integer(UInt64.self)
    picture = WirePicture(
      width: try reader.integer(UInt32.self), height: try reader.integer(UInt32.self),
      sample: try reader.integer(UInt32.self), bands: try reader.integer(UInt32.self),
      alpha: try reader.integer(UInt32.self), stride: try reader.integer(UInt64.self))
    let (top, end) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
    guard top <= end, end <= picture.height else { throw WireError() }
    rows = top..<end
    values = try reader.values()
  }
}
