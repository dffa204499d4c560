import COpenJPEG
import ImageCore
import PDFTestSupport

/// A lossless JPEG 2000 file that libopenjp2 encodes from samples in memory.
struct TestJPEG2000 {
  var width = 40
  var height = 28
  var components = 3
  var bits = 8
  var isSigned = false
  /// Whether the last component is opacity, which a channel definition box states.
  var hasAlpha = false
  /// The subsampling of components after the first, across and down.
  var subsampling = 1
  var colours = OPJ_CLRSPC_SRGB
  var isCodestream = false
  /// Whether the picture has tiles of 16x16 pixels.
  var isTiled = false
  /// Samples of pictures with different seeds differ everywhere.
  var seed = 1

  /// Returns the sample of component `band` at (x, y), counted from 0.
  func sample(_ x: Int, _ y: Int, _ band: Int) -> Int {
    let block = (x * 4 / width + seed * 3) ^ (y * 4 / height * 5)
    let value = x * 613 + y * 1_021 + block * 9_473 * (band + 2) + seed * 13_577
    return value >> (bits < 16 ? 3 : 0) & (1 << bits - 1)
  }

  func encoded() -> [UInt8] {
    let image = makeImage()
    defer { opj_image_destroy(image) }
    let codec = opj_create_compress(isCodestream ? OPJ_CODEC_J2K : OPJ_CODEC_JP2)
    defer { opj_destroy_codec(codec) }
    var parameters = opj_cparameters_t()
    opj_set_default_encoder_parameters(&parameters)
    (parameters.tcp_numlayers, parameters.cp_disto_alloc, parameters.numresolution) = (1, 1, 3)
    parameters.tcp_mct = components >= 3 && subsampling == 1 ? 1 : 0
    if isTiled { (parameters.tile_size_on, parameters.cp_tdx, parameters.cp_tdy) = (1, 16, 16) }
    let sink = Sink()
    let stream = opj_stream_default_create(0)
    defer { opj_stream_destroy(stream) }
    sink.attach(stream)
    let isDone =
      opj_setup_encoder(codec, &parameters, image) != 0
      && opj_start_compress(codec, image, stream) != 0 && opj_encode(codec, stream) != 0
      && opj_end_compress(codec, stream) != 0
    precondition(isDone, "libopenjp2 does not encode \(self)")
    return withExtendedLifetime(sink) { sink.bytes }
  }

  private func makeImage() -> UnsafeMutablePointer<opj_image_t> {
    var list = (0..<components).map { band in
      var component = opj_image_cmptparm_t()
      let step = band > 0 ? subsampling : 1
      (component.dx, component.dy) = (UInt32(step), UInt32(step))
      (component.w, component.h) = (UInt32(width / step), UInt32(height / step))
      (component.prec, component.sgnd) = (UInt32(bits), isSigned ? 1 : 0)
      return component
    }
    let image = opj_image_create(UInt32(components), &list, colours)!
    (image.pointee.x1, image.pointee.y1) = (UInt32(width), UInt32(height))
    for band in 0..<components {
      let component = image.pointee.comps[band]
      for index in 0..<Int(component.w * component.h) {
        let (x, y) = (index % Int(component.w), index / Int(component.w))
        component.data[index] = Int32(sample(x, y, band) - (isSigned ? 1 << (bits - 1) : 0))
      }
    }
    if hasAlpha { image.pointee.comps[components - 1].alpha = 1 }
    return image
  }

  /// Returns the file with `extra` at the end of its header box.
  static func adding(_ extra: [UInt8], to file: [UInt8]) -> [UInt8] {
    let place = file.indices.first { file[$0...].starts(with: Array("jp2h".utf8)) }! - 4
    let count = Int(file[place + 2]) << 8 | Int(file[place + 3])
    var result = file
    result.insert(contentsOf: extra, at: place + count)
    result[place + 2] = UInt8((count + extra.count) >> 8)
    result[place + 3] = UInt8((count + extra.count) & 255)
    return result
  }

  static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let count = body.count + 8
    return [0, 0, UInt8(count >> 8), UInt8(count & 255)] + Array(name.utf8) + body
  }

  /// A palette with three columns for all 8-bit indices, and the mapping of the columns to component 0.
  static let palette: [UInt8] =
    box("pclr", [1, 0, 3, 7, 7, 7] + (0..<768).map { UInt8(truncatingIfNeeded: $0 * 89) })
    + box("cmap", [0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2])

  /// The encoder's output, in memory.
  private final class Sink {
    var bytes: [UInt8] = []
    var position = 0

    func attach(_ stream: UnsafeMutablePointer<opj_stream_t?>?) {
      opj_stream_set_user_data(stream, Unmanaged.passUnretained(self).toOpaque(), nil)
      opj_stream_set_write_function(stream) { buffer, count, context in
        Sink.of(context).write(UnsafeRawBufferPointer(start: buffer, count: count))
        return count
      }
      opj_stream_set_skip_function(stream) { count, context in
        let sink = Sink.of(context)
        sink.move(to: sink.position + Int(count))
        return count
      }
      opj_stream_set_seek_function(stream) { offset, context in
        Sink.of(context).move(to: Int(offset))
        return 1
      }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Sink {
      Unmanaged<Sink>.fromOpaque(context!).takeUnretainedValue()
    }

    private func move(to offset: Int) {
      if offset > bytes.count { bytes += [UInt8](repeating: 0, count: offset - bytes.count) }
      position = offset
    }

    private func write(_ new: UnsafeRawBufferPointer) {
      let end = position + new.count
      if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(position..<end, with: new)
      position = end
    }
  }
}

extension TestJPEG2000 {
  /// The fingerprint of a gray or RGB picture as it was before it was encoded.
  var fingerprint: PixelFingerprint {
    let layout = PictureLayout(width: width, height: height, format: components == 1 ? .gray8 : .rgb8)
    var accumulator = PixelFingerprint.Accumulator(layout)
    for y in 0..<height {
      let row = (0..<width).flatMap { x in
        (0..<components).map { UInt8(sample(x, y, $0) >> max(0, bits - 8)) }
      }
      row.withUnsafeBytes { accumulator.add(1, from: $0.baseAddress!, stride: row.count) }
    }
    return accumulator.finish()!
  }
}
