import CPluginABI
import ImageCore
import Platform

extension CodecService {
  /// An open page.
  struct Reading {
    let content: any FileContent
    let file: UnsafeMutablePointer<imghost_file>
    let instance: UnsafeMutableRawPointer
    let values: [WireValue]
    var image: imghost_image
  }

  private static var emptyImage: imghost_image {
    var image = imghost_image()
    image.struct_size = UInt32(MemoryLayout<imghost_image>.size)
    image.metadata.struct_size = UInt32(MemoryLayout<imghost_metadata>.size)
    image.metadata.orientation = 1
    return image
  }

  func open(
    _ number: UInt64, _ body: inout WireReader, _ content: (any FileContent)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    let (page, values) = try Self.parsed { () throws(WireError) in
      (try body.integer(UInt32.self), try body.values())
    }
    abandon()
    if content == nil, let reading, reading.values == values, let turn = codec.turn {
      var image = Self.emptyImage
      let result = turn(reading.instance, OpaquePointer(call), page, &image)
      if result != IMGHOST_OK { closeReading() }
      try check(result)
      self.reading?.image = image
    } else {
      let kept = content ?? reading?.content
      closeReading()
      guard let kept else { throw .request }
      try open(kept, page, values, call)
    }
    guard let reading else { throw .request }
    return try opened(number, reading.image)
  }

  func closeReading() {
    guard let reading else { return }
    codec.close(reading.instance)
    reading.file.deallocate()
    self.reading = nil
  }

  private func open(
    _ content: any FileContent, _ page: UInt32, _ values: [WireValue], _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) {
    guard codec.open != nil else { throw .request }
    let file = UnsafeMutablePointer<imghost_file>.allocate(capacity: 1)
    file.initialize(
      to: imghost_file(
        struct_size: UInt32(MemoryLayout<imghost_file>.size), flags: 0, content: content.described))
    var image = Self.emptyImage
    var instance: UnsafeMutableRawPointer?
    let result = values.withDescribed { codec.open(OpaquePointer(call), file, page, $0, $1, &instance, &image) }
    guard result == IMGHOST_OK, let instance else {
      if let instance { codec.close(instance) }
      file.deallocate()
      try check(result)
      throw .failed("")
    }
    reading = Reading(content: content, file: file, instance: instance, values: values, image: image)
  }

  private func opened(_ number: UInt64, _ image: imghost_image) throws(CodecFailure) -> WireWriter {
    // One more than the limit is enough for the host to detect that there are too many.
    let shrinkCount = min(Int(image.shrink_count), CodecImage.maximumShrinks + 1)
    let factCount = image.facts == nil ? 0 : min(Int(image.fact_count), CodecImage.maximumFacts + 1)
    var message = Message.opened.begin(call: number)
    for field in [Self.flags(image, storedCodec), image.page_count, image.sample, image.bands] { message.append(field) }
    message.append(image.width)
    message.append(image.height)
    message.append(UInt32(shrinkCount))
    withUnsafeBytes(of: image.shrinks) { shrinks in
      for index in 0..<min(shrinkCount, CodecImage.maximumShrinks) {
        message.append(shrinks.load(fromByteOffset: index * 4, as: UInt32.self))
      }
    }
    message.append(image.working_bytes)
    message.append(image.delay)
    message.append(image.loop_count)
    message.append(image.metadata.orientation)
    message.append(image.metadata.resolution_x)
    message.append(image.metadata.resolution_y)
    for part in MetadataPart.allCases { message.append(UInt64(Self.bytes(part, image.metadata).count)) }
    message.append(image.colour_primaries)
    message.append(image.transfer_characteristics)
    message.append(image.peak_luminance)
    message.append(UInt32(factCount))
    for index in 0..<min(factCount, CodecImage.maximumFacts) {
      let fact = image.facts[index]
      message.append(text: Self.text(fact.name))
      message.append(UInt8(fact.text == nil ? 0 : 1))
      message.append(text: Self.text(fact.text))
      message.append(fact.number)
    }
    return message
  }

  /// Returns the flags of an image, without those for stored forms if the codec cannot provide stored forms.
  private static func flags(_ image: imghost_image, _ stored: imghost_stored_codec?) -> UInt32 {
    let all = IMGHOST_IMAGE_JPEG | IMGHOST_IMAGE_FAX | IMGHOST_IMAGE_RESTORABLE
    return stored?.stored == nil ? image.flags & ~all : image.flags
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text, count: text.map { strnlen($0, Limits.text) } ?? 0)
  }

  private static func bytes(_ part: MetadataPart, _ metadata: imghost_metadata) -> imghost_bytes {
    let bytes =
      switch part {
      case .icc: metadata.icc
      case .exif: metadata.exif
      case .xmp: metadata.xmp
      case .iptc: metadata.iptc
      }
    return bytes.bytes == nil ? imghost_bytes() : bytes
  }

  /// Answers with a piece of the open page's metadata.
  func metadata(_ number: UInt64, _ body: inout WireReader) throws(CodecFailure) -> WireWriter {
    let (part, offset) = try Self.parsed { () throws(WireError) in
      (MetadataPart(rawValue: try body.integer(UInt8.self)), Int(clamping: try body.integer(UInt64.self)))
    }
    guard let part, let reading else { throw .request }
    let bytes = Self.bytes(part, reading.image.metadata)
    guard offset <= bytes.count else { throw .request }
    var message = Message.done.begin(call: number)
    let count = min(MetadataPart.pieceByteCount, bytes.count - offset)
    message.append(text: UnsafeBufferPointer(start: bytes.bytes.map { $0 + offset }, count: count))
    return message
  }

  func read(
    _ number: UInt64, _ body: inout WireReader, _ memory: (any CodecMemory)?, _ call: UnsafeMutablePointer<Call>
  ) throws(CodecFailure) -> WireWriter {
    let request = try Self.parsed { () throws(WireError) in try ReadRequest(from: &body) }
    guard let reading, let memory, request.stride >= 0, request.bytesBehind >= 0 else { throw .request }
    let image = reading.image
    let (byteCount, overflows) = request.stride.multipliedReportingOverflow(by: request.rows.count)
    let (place, isBeyond) = byteCount.addingReportingOverflow(request.bytesBehind)
    guard !overflows, !isBeyond, let rows = memory.codecOutput(place) else {
      throw .failed("needs more memory than is free")
    }
    func reduced(_ side: Int32) -> Int { (Int(side) + request.shrink - 1) / request.shrink }
    let region = request.region
    let (width, height) = (reduced(image.width), reduced(image.height))
    guard region.isInside(width: width, height: height) else { throw .request }
    let rowByteCount = region.width * Int(image.bands) * (image.sample == IMGHOST_SAMPLE_U8 ? 1 : 2)
    guard request.stride >= rowByteCount else { throw .request }
    let isInk = image.flags & IMGHOST_IMAGE_CMYK != 0
    let hasAlpha = (image.bands % 2 == 0) != isInk
    let output = imghost_picture(
      struct_size: UInt32(MemoryLayout<imghost_picture>.size), sample: image.sample, bands: image.bands,
      alpha: hasAlpha ? IMGHOST_ALPHA_STRAIGHT : IMGHOST_ALPHA_NONE, width: Int32(width),
      height: Int32(height),
      valid: imghost_region(
        left: Int32(region.left), top: Int32(request.rows.lowerBound), width: Int32(region.width),
        height: Int32(request.rows.count)), stride: request.stride, pixels: rows, writable: rows)
    let result = withUnsafePointer(to: output) { output in
      var read = imghost_read(
        struct_size: UInt32(MemoryLayout<imghost_read>.size),
        flags: request.acceptsDamage ? IMGHOST_READ_DAMAGED : 0, call: OpaquePointer(call),
        shrink: UInt32(request.shrink), reserved: 0,
        region: imghost_region(
          left: Int32(region.left), top: Int32(region.top), width: Int32(region.width), height: Int32(region.height)),
        output: output)
      return codec.read(reading.instance, &read)
    }
    try check(result)
    // After success, the message describes damage that the codec tolerated.
    if !call.pointee.error.isEmpty { call.pointee.log(IMGHOST_LOG_WARNING, call.pointee.error) }
    return Message.done.begin(call: number)
  }
}
