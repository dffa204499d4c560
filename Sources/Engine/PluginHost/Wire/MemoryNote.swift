import ImageCore

/// The shared memory that a codec's request uses, at the start of the request's body. The memory's descriptors are sent
/// with the request, unless the worker still has this memory mapped.
package struct MemoryNote: Sendable {
  package let frame: UInt64
  package let inputCapacity: Int
  package let outputCapacity: Int

  init(_ frame: Frame) {
    self.frame = frame.identifier
    inputCapacity = frame.inputCapacity
    outputCapacity = frame.outputCapacity
  }

  func write(to writer: inout WireWriter) {
    writer.append(frame)
    writer.append(UInt64(inputCapacity))
    writer.append(UInt64(outputCapacity))
  }

  package init(from reader: inout WireReader) throws(WireError) {
    frame = try reader.integer(UInt64.self)
    inputCapacity = Int(clamping: try reader.integer(UInt64.self))
    outputCapacity = Int(clamping: try reader.integer(UInt64.self))
  }
}

/// The file of an `open`, `wrap` or `rewrite` request, at the start of the request's body. The file's descriptor is
/// sent with the request, unless the worker still has the file.
package struct FileNote: Sendable {
  /// The size of the file in bytes; nil for the file of the previous `open` request.
  package let byteCount: Int?

  init(byteCount: Int?) { self.byteCount = byteCount }

  func write(to writer: inout WireWriter) {
    writer.append(UInt8(byteCount == nil ? 0 : 1))
    writer.append(UInt64(byteCount ?? 0))
  }

  package init(from reader: inout WireReader) throws(WireError) {
    let isThere = try reader.integer(UInt8.self) != 0
    let count = Int(clamping: try reader.integer(UInt64.self))
    byteCount = isThere ? count : nil
  }
}
