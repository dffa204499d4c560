import CPluginABI
import ImageCore

/// A file that the exported codec has open: an instance in the sense of imghost_plugin.h.
final class ExportedReading {
  private let bytes: [UInt8]
  private let header: PictureHeader
  private var source: (any RowSource)?
  private let notes = Notes()
  /// The memory that the image's pointers refer to.
  private var kept: [UnsafeMutableRawBufferPointer] = []

  private init(_ bytes: [UInt8]) throws(PictureError) {
    self.bytes = bytes
    header = try exported.readHeader(bytes)
  }

  deinit { for memory in kept { memory.deallocate() } }

  static func of(_ instance: UnsafeMutableRawPointer?) -> ExportedReading {
    Unmanaged<ExportedReading>.fromOpaque(instance!).takeUnretainedValue()
  }

  static func open(
    _ call: OpaquePointer?, _ file: UnsafePointer<imghost_file>?, page: UInt32,
    _ instance: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ image: UnsafeMutablePointer<imghost_image>?
  ) -> Int32 {
    guard let content = file?.pointee.content, let instance, let image else { return IMGHOST_FAILED }
    do throws(PictureError) {
      let reading = try ExportedReading(Array(UnsafeBufferPointer(start: content.bytes, count: content.count)))
      reading.describe(&image.pointee)
      instance.pointee = Unmanaged.passRetained(reading).toOpaque()
      return IMGHOST_OK
    } catch { return fail(call, error) }
  }

  private static func fail(_ call: OpaquePointer?, _ error: PictureError) -> Int32 {
    error.description.withCString { services.pointee.set_error(call, $0) }
    return IMGHOST_FAILED
  }

  private func describe(_ image: inout imghost_image) {
    let layout = header.layout
    image.flags =
      IMGHOST_IMAGE_STREAMED | (header.isEmbeddable ? IMGHOST_IMAGE_EMBEDDABLE : 0)
      | (exported.codec.isLossless ? IMGHOST_IMAGE_LOSSLESS : 0)
      | (layout.format.model == .cmyk ? IMGHOST_IMAGE_CMYK : 0)
    image.page_count = 1
    image.sample = layout.format.sample == .u8 ? IMGHOST_SAMPLE_U8 : IMGHOST_SAMPLE_U16
    image.bands = UInt32(layout.bands)
    image.width = Int32(layout.width)
    image.height = Int32(layout.height)
    let factors = header.shrinkFactors.filter { $0 > 1 }.sorted().prefix(16)
    image.shrink_count = UInt32(factors.count)
    withUnsafeMutableBytes(of: &image.shrinks) { shrinks in
      for (index, factor) in factors.enumerated() {
        shrinks.storeBytes(of: UInt32(factor), toByteOffset: index * 4, as: UInt32.self)
      }
    }
    image.working_bytes = UInt64(header.decoderByteCount + bytes.count)
    let metadata = header.metadata
    image.metadata.orientation = UInt32(metadata.orientation.rawValue)
    image.metadata.resolution_x = metadata.resolution?.horizontal ?? 0
    image.metadata.resolution_y = metadata.resolution?.vertical ?? 0
    image.metadata.icc = keep(metadata.iccProfile)
    image.metadata.exif = keep(metadata.exifBlock)
    image.metadata.xmp = keep(metadata.xmp)
    image.metadata.iptc = keep(metadata.iptc)
    describeFacts(&image)
  }

  private func describeFacts(_ image: inout imghost_image) {
    let facts = header.details.sorted { $0.key < $1.key }.prefix(64).map { name, value in
      let (text, number): (String?, Double) =
        switch value {
        case .text(let text): (text, 0)
        case .texts(let texts): (texts.joined(separator: ", "), 0)
        case .integer(let number): (nil, Double(number))
        case .number(let number): (nil, number)
        case .numbers(let numbers): (nil, numbers.first ?? 0)
        }
      return imghost_fact(name: keep(name), text: text.map { keep($0) }, number: number)
    }
    let list = UnsafeMutableBufferPointer<imghost_fact>.allocate(capacity: facts.count)
    _ = list.initialize(from: facts)
    kept.append(UnsafeMutableRawBufferPointer(list))
    image.fact_count = UInt32(facts.count)
    image.facts = UnsafePointer(list.baseAddress)
  }

  private func keep(_ text: String) -> UnsafePointer<CChar> {
    UnsafeRawPointer(keep(Array(text.utf8) + [0]).bytes!).assumingMemoryBound(to: CChar.self)
  }

  private func keep(_ bytes: [UInt8]) -> imghost_bytes {
    guard !bytes.isEmpty else { return imghost_bytes() }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    kept.append(memory)
    return imghost_bytes(bytes: memory.baseAddress!.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  func read(_ request: UnsafePointer<imghost_read>?) -> Int32 {
    guard let request = request?.pointee, let output = request.output?.pointee, let rows = output.writable else {
      return IMGHOST_FAILED
    }
    notes.call = request.call
    do throws(PictureError) {
      if output.valid.top == request.region.top { source = try begin(request) }
      guard let source else { return IMGHOST_FAILED }
      try source.read(Int(output.valid.height), into: rows, stride: output.stride)
      return IMGHOST_OK
    } catch { return Self.fail(request.call, error) }
  }

  private func begin(_ request: imghost_read) throws(PictureError) -> any RowSource {
    let options = DecodeOptions(
      shrink: Int(request.shrink), acceptsDamage: request.flags & IMGHOST_READ_DAMAGED != 0)
    let notes = notes
    let decoder = try exported.makeDecoder(bytes, options, OperationContext.serial.noting { notes.pass($0) })
    let region = Region(
      left: Int(request.region.left), top: Int(request.region.top), width: Int(request.region.width),
      height: Int(request.region.height))
    let whole = Region(left: 0, top: 0, width: decoder.layout.width, height: decoder.layout.height)
    return region == whole ? decoder : CroppedSource(decoder, region)
  }
}

/// Passes the decoder's notes about a file to the host, as part of the current call.
///
/// `@unchecked Sendable`: only one thread calls a codec, and the codec's context starts no others.
private final class Notes: @unchecked Sendable {
  var call: OpaquePointer?

  func pass(_ text: String) { text.withCString { services.pointee.log(call, IMGHOST_LOG_FILE, $0) } }
}
