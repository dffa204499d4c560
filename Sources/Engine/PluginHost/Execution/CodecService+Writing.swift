import CPluginABI
import ImageCore
import Platform

extension CodecService {
  /// A file that is being written, or bytes that a codec has handed over. The codec keeps the address of `metadata` and of the bytes only while `begin` runs.
  final class Writing {
    let layout: PictureLayout
    var encoder: UnsafeMutableRawPointer?
    /// Encoded bytes that the host has not taken.
    var bytes: [UInt8] = []
    /// How many of `bytes` the host has taken.
    var taken = 0
    /// The layout of the page that is being written.
    var page: PictureLayout

    init(_ layout: PictureLayout) {
      self.layout = layout
      page = layout
    }

    var waiting: Int { bytes.count - taken }
  }

  func abandon() {
    if let encoder = writing?.encoder { codec.abandon(encoder) }
    writing = nil
  }

  /// Takes a piece of metadata for the next file.
  func attach(_ number: UInt64, _ body: inout WireReader) throws(CodecFailure) -> WireWriter {
    var reader = body
    let (part, bytes) = try Self.parsed { () throws(WireError) in
      (MetadataPart(rawValue: try reader.integer(UInt8.self)), try reader.text())
    }
    guard let part, metadata[Int(part.rawValue)].count + bytes.count <= MetadataPart.maximumByteCount else {
      throw .request
    }
    metadata[Int(part.rawValue)] += bytes
    return Message.done.begin(call: number)
  }

  func begin(_ number: UInt64, _ body: inout WireReader, _ call: UnsafeMutablePointer<Call>)
    throws(CodecFailure) -> WireWriter
  {
    var reader = body
    let request = try Self.parsed { () throws(WireError) in try BeginRequest(from: &reader) }
    guard codec.begin != nil, writing == nil else { throw .request }
    let file = Writing(request.layout)
    writing = file
    let parts = metadata
    metadata = [[], [], [], []]
    // The codec's `write` finds its file through the call.
    call.pointee.write = { file.bytes.append(contentsOf: $0) }
    file.encoder = withExtendedLifetime(parts) { begin(request, parts, call) }
    guard file.encoder != nil else {
      writing = nil
      throw .failed("")
    }
    return encoded(number, file)
  }

  private func begin(_ request: BeginRequest, _ parts: [[UInt8]], _ call: UnsafeMutablePointer<Call>)
    -> UnsafeMutableRawPointer?
  {
    let copies = parts.map { part -> UnsafeMutableBufferPointer<UInt8> in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: part.count)
      _ = copy.initialize(from: part)
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    func bytes(_ part: MetadataPart) -> imghost_bytes {
      let copy = copies[Int(part.rawValue)]
      return imghost_bytes(bytes: copy.isEmpty ? nil : UnsafePointer(copy.baseAddress), count: copy.count)
    }
    var metadata = imghost_metadata(
      struct_size: UInt32(MemoryLayout<imghost_metadata>.size), orientation: UInt32(request.orientation.rawValue),
      resolution_x: request.resolution?.horizontal ?? 0, resolution_y: request.resolution?.vertical ?? 0,
      icc: bytes(.icc), exif: bytes(.exif), xmp: bytes(.xmp), iptc: bytes(.iptc))
    var format = request.layout.described
    return Self.withValues(request.values) { values, count in
      withUnsafePointer(to: &metadata) { metadata in
        withUnsafePointer(to: &format) { format in
          var writing = imghost_writing(
            struct_size: UInt32(MemoryLayout<imghost_writing>.size), flags: 0, call: OpaquePointer(call),
            format: format, page_count: UInt32(request.pageCount), loop_count: UInt32(request.loopCount),
            metadata: metadata, values: values, value_count: count, reserved: 0, write: HostFunctions.write)
          return codec.begin(&writing)
        }
      }
    }
  }

  func rows(
    _ number: UInt64, _ body: inout WireReader, _ memory: (any CodecMemory)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    var reader = body
    let (top, count, stride) = try Self.parsed { () throws(WireError) in
      (
        Int(try reader.integer(UInt32.self)), Int(try reader.integer(UInt32.self)),
        Int(clamping: try reader.integer(UInt64.self))
      )
    }
    guard let (file, encoder) = open, let memory, count > 0, top + count <= file.page.height,
      stride >= file.page.rowByteCount
    else { throw .request }
    let (byteCount, overflows) = stride.multipliedReportingOverflow(by: count)
    guard !overflows, let pixels = memory.codecInput(byteCount) else { throw .failed("needs more memory than is free") }
    var picture = file.page.described
    picture.valid = imghost_region(left: 0, top: Int32(top), width: Int32(file.page.width), height: Int32(count))
    picture.stride = stride
    picture.pixels = UnsafeRawPointer(pixels)
    call.pointee.write = { file.bytes.append(contentsOf: $0) }
    try check(codec.write_rows(encoder, OpaquePointer(call), &picture))
    return encoded(number, file)
  }

  func endPage(_ number: UInt64, _ body: inout WireReader, _ call: UnsafeMutablePointer<Call>)
    throws(CodecFailure) -> WireWriter
  {
    var reader = body
    let (delay, next) = try Self.parsed { () throws(WireError) in
      (try reader.number(), try reader.integer(UInt8.self) != 0 ? try reader.layout() : nil)
    }
    guard let (file, encoder) = open else { throw .request }
    call.pointee.write = { file.bytes.append(contentsOf: $0) }
    if let next {
      file.page = next
      var described = next.described
      try check(codec.end_page(encoder, OpaquePointer(call), delay, &described))
    } else {
      try check(codec.end_page(encoder, OpaquePointer(call), delay, nil))
    }
    return encoded(number, file)
  }

  func finish(_ number: UInt64, _ call: UnsafeMutablePointer<Call>) throws(CodecFailure) -> WireWriter {
    guard let (file, encoder) = open else { throw .request }
    call.pointee.write = { file.bytes.append(contentsOf: $0) }
    try check(codec.finish(encoder, OpaquePointer(call)))
    return encoded(number, file)
  }

  /// Hands over encoded bytes: as many as are asked for, and fit.
  func take(_ number: UInt64, _ body: inout WireReader, _ memory: (any CodecMemory)?) throws(CodecFailure) -> WireWriter
  {
    var reader = body
    let wanted = try Self.parsed { () throws(WireError) in Int(clamping: try reader.integer(UInt64.self)) }
    guard let file = writing, let memory, wanted > 0, wanted <= file.waiting, let target = memory.codecOutput(wanted)
    else { throw .request }
    file.bytes.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + file.taken, byteCount: wanted) }
    file.taken += wanted
    if file.waiting == 0 { (file.bytes, file.taken) = ([], 0) }
    return encoded(number, file)
  }

  private var open: (file: Writing, encoder: UnsafeMutableRawPointer)? {
    guard let writing, let encoder = writing.encoder else { return nil }
    return (writing, encoder)
  }

  func encoded(_ number: UInt64, _ file: Writing) -> WireWriter {
    var message = Message.done.begin(call: number)
    message.append(UInt64(file.waiting))
    return message
  }
}
