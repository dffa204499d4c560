import CPNG
import ImageCore
import ImageMetadata

/// A picture's metadata as PNG chunks.
struct PNGMetadata {
  private let profile: [UInt8]
  private let exif: [UInt8]
  /// The resolution in pixels per metre; nil if it is unknown or does not fit.
  let phys: spng_phys?
  /// The text chunks: their types and data.
  let texts: [(StaticString, [UInt8])]

  init(_ metadata: PictureMetadata, _ layout: PictureLayout) {
    profile = ICCProfile.matches(metadata.iccProfile, layout.format.model) ? metadata.iccProfile : []
    exif = EXIFBlock.forWriting(metadata, layout)
    phys = metadata.resolution.flatMap(Self.phys)
    var texts: [(StaticString, [UInt8])] = []
    if !metadata.xmp.isEmpty { texts.append(("iTXt", PNGText.xmpData(metadata.xmp))) }
    if !metadata.iptc.isEmpty { texts.append(("tEXt", PNGText.iptcData(metadata.iptc))) }
    self.texts = texts
  }

  private static func phys(_ resolution: Resolution) -> spng_phys? {
    let across = (resolution.horizontal / 0.0254).rounded()
    let down = (resolution.vertical / 0.0254).rounded()
    let limits = 1.0...2_147_483_647
    guard limits.contains(across), limits.contains(down) else { return nil }
    return spng_phys(ppu_x: UInt32(across), ppu_y: UInt32(down), unit_specifier: 1)
  }

  /// Calls `body` with an iCCP and an eXIf chunk, whose pointers are valid during the call. libspng declares them as
  /// mutable but only reads them.
  func withChunks(_ body: (spng_iccp?, spng_exif?) throws(PictureError) -> Void) throws(PictureError) {
    var profile = profile
    var exif = exif
    // Typed throws do not work through two nested closures, so the error is stored in a variable.
    var failure: PictureError?
    profile.withUnsafeMutableBytes { profile in
      exif.withUnsafeMutableBytes { exif in
        do throws(PictureError) {
          try body(Self.iccp(profile), Self.exif(exif))
        } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }

  private static func iccp(_ bytes: UnsafeMutableRawBufferPointer) -> spng_iccp? {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return nil }
    var chunk = spng_iccp()
    withUnsafeMutableBytes(of: &chunk.profile_name) { name in
      name.copyBytes(from: Array("ICC Profile".utf8))
    }
    chunk.profile_len = bytes.count
    chunk.profile = base.assumingMemoryBound(to: CChar.self)
    return chunk
  }

  private static func exif(_ bytes: UnsafeMutableRawBufferPointer) -> spng_exif? {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return nil }
    return spng_exif(length: bytes.count, data: base.assumingMemoryBound(to: CChar.self))
  }
}
