import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// The committed files of every codec plugin, read by the program in confined workers.
@Suite(.wholeRuns) struct CodecFixtureTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs"

  /// `svg/uses.svg` is left out: drawing half a million elements takes seconds before it is refused.
  private static let slow: Set<String> = ["svg/uses.svg"]

  /// "tiff/pages.tif" and so on, but for texts and scripts.
  private static let names: [String] = Built.files(in: fixtures).flatMap { format in
    Built.files(in: fixtures + "/" + format)
      .filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".py") }.map { format + "/" + $0 }
  }.filter { !slow.contains($0) }

  /// The size, the pixels and the number of pages that each header announces.
  private static let headers = """
    avif/alpha.avif 65x49 rgba8 1
    avif/alpha_noispe.avif 80x80 rgba8 1
    avif/animated.avif 65x49 rgba8 4
    avif/colors-animated-12bpc-keyframes-0-2-3.avif 64x64 rgba16 5
    avif/cropped.avif 40x20 rgb8 1
    avif/display-p3.avif 64x64 rgb8 1
    avif/draw_points_idat.avif 33x11 rgba8 1
    avif/draw_points_idat_progressive.avif 33x11 rgba8 1
    avif/extended_pixi.avif 4x4 rgb8 1
    avif/gray-alpha.avif 65x49 graya8 1
    avif/gray.avif 65x49 gray8 1
    avif/hlg.avif 64x64 rgb16 1
    avif/lossless.avif 65x49 rgb8 1
    avif/lossy.avif 65x49 rgb8 1
    avif/metadata.avif 65x49 rgb8 1
    avif/pq.avif 64x64 rgb16 1
    avif/premultiplied.avif 65x49 rgba8 1
    avif/rec709.avif 64x64 rgb8 1
    avif/sofa_grid1x5_420.avif 1024x770 rgb8 1
    avif/ten-bits.avif 65x49 rgb16 1
    avif/turned.avif 65x49 rgb8 1
    avif/twelve-bits-alpha.avif 65x49 rgba16 1
    avif/white_1x1.avif 1x1 rgb8 1
    gif/animated-truncated.gif 37x2 rgba8 7
    gif/background_outside_palette.gif 1x1 rgb8 2
    gif/decompression_bomb_extents.gif 100x100 rgb8 2
    gif/different_transparency.gif 100x100 rgba8 2
    gif/disposal-0.gif 25x25 rgba8 7
    gif/disposal-1.gif 9x19 rgba8 2
    gif/disposal-10.gif 37x2 rgba8 7
    gif/disposal-12.gif 31x9 rgba8 6
    gif/disposal-17.gif 34x14 rgba8 5
    gif/disposal-5.gif 40x9 rgb8 6
    gif/dispose_bgnd_transparency.gif 38x32 rgba8 10
    gif/dispose_prev_first_frame.gif 100x50 rgba8 2
    gif/duplicate_frame.gif 10x10 rgb8 3
    gif/interlaced.gif 90x60 rgb8 1
    gif/missing_background.gif 32x32 rgba8 4
    gif/no_palette.gif 1x1 rgb8 2
    gif/no_palette_with_transparency.gif 2x2 rgba8 2
    gif/second_frame_comment.gif 1x1 rgb8 3
    gif/still.gif 90x60 rgb8 1
    gif/text_mono.gif 100x30 rgb8 1
    gif/transparent_dispose.gif 3x1 rgba8 3
    heif/LA_8-29x100.heif 29x100 rgba8 1
    heif/L_10-29x100.heif 29x100 rgb16 1
    heif/L_8.heif 128x128 rgb8 1
    heif/L_xmp_latin1.heic 16x16 rgb8 1
    heif/RGBA_10-29x100.heif 29x100 rgba16 1
    heif/RGB_12-29x100.heif 29x100 rgb16 1
    heif/RGB_8-29x100.heif 29x100 rgb8 1
    heif/RGB_8_chroma444.heif 29x100 rgb8 1
    heif/alpha.heic 65x49 rgba8 1
    heif/apple.heic 64x64 rgb16 1
    heif/exif.heic 260x196 rgb8 1
    heif/grid.heic 196x260 rgb8 1
    heif/hlg.heic 64x64 rgb16 1
    heif/pq.heic 64x64 rgb16 1
    heif/rec2020.heic 64x64 rgb16 1
    heif/still.heic 65x49 rgb8 1
    heif/ten-bits.heic 65x49 rgb16 1
    heif/thumbnail.heic 256x192 rgb8 1
    heif/two.heic 65x49 rgb8 2
    jpeg2000/00r1_graya_la.jp2 32x32 graya8 1
    jpeg2000/16bit.cropped.j2k 64x64 gray16 1
    jpeg2000/16bit.cropped.jp2 64x64 gray16 1
    jpeg2000/9bit.j2k 128x128 gray16 1
    jpeg2000/alpha.jp2 75x53 rgba8 1
    jpeg2000/bits12.jp2 75x53 rgb16 1
    jpeg2000/bits2.jp2 75x53 gray8 1
    jpeg2000/codestream.j2k 75x53 rgb8 1
    jpeg2000/comment.jp2 1x1 gray8 1
    jpeg2000/crash-d2c9.j2k 64x64 gray16 1
    jpeg2000/issue_6194.j2k 8x8 gray16 1
    jpeg2000/lossy.jp2 75x53 rgb8 1
    jpeg2000/rgb_trns_ycbc.j2k 64x64 rgba8 1
    jpeg2000/rgb_trns_ycbc.jp2 64x64 rgba8 1
    jpeg2000/subsampled.jp2 75x53 rgb8 1
    jpeg2000/tiles.jp2 75x53 rgb8 1
    jpegxl/alpha_premultiplied.jxl 1024x1024 rgba16 1
    jpegxl/alpha_triangles.jxl 1024x1024 rgba16 1
    jpegxl/animated.jxl 90x60 rgb8 5
    jpegxl/animation_spline.jxl 320x320 rgb8 60
    jpegxl/blendmodes.jxl 1024x1024 rgba16 1
    jpegxl/grayscale.jxl 200x200 gray8 1
    jpegxl/grayscale_jpeg.jxl 200x200 gray8 1
    jpegxl/hlg.jxl 64x64 rgb16 1
    jpegxl/lossless-c.jxl 90x60 rgb8 1
    jpegxl/lossless-d4.jxl 90x60 rgba16 1
    jpegxl/lossless-gr.jxl 90x60 gray8 1
    jpegxl/lossless-la.jxl 90x60 graya8 1
    jpegxl/lossy.jxl 90x60 rgb8 1
    jpegxl/patches_lossless.jxl 1600x1096 rgba8 1
    jpegxl/pq.jxl 64x64 rgb16 1
    jpegxl/progressive.jxl 90x60 rgb8 1
    jpegxl/sunset_logo.jxl 1386x924 rgba16 1
    jpegxl/transcoded.jxl 90x60 rgb8 1
    pdf/Sample_Td-matrix.pdf 1755x1240 rgb8 1
    pdf/box.pdf 125x125 rgb8 1
    pdf/bytes.pdf 1241x1755 rgb8 1
    pdf/encrypted_doc_no_id.pdf 1240x1755 rgb8 3
    pdf/imagemagick-ASCII85Decode.pdf 8x8 rgb8 1
    pdf/imagemagick-CCITTFaxDecode.pdf 8x8 rgb8 1
    pdf/imagemagick-images.pdf 8x8 rgb8 6
    pdf/imagemagick-lzw.pdf 8x8 rgb8 1
    pdf/inkscape-abc.pdf 591x591 rgb8 1
    pdf/issue-297.pdf 1275x1650 rgb8 1
    pdf/issue-3850-1bit-indexed-flate.pdf 1275x1650 rgb8 1
    pdf/r6-empty-password.pdf 1241x1754 rgb8 1
    pdf/reportlab-inline-image.pdf 1241x1754 rgb8 1
    pdf/toy.pdf 1275x1650 rgb8 1
    pdf/two-different-pages.pdf 1242x1755 rgb8 2
    raw/bayer.dng 160x120 rgb8 1
    raw/big-endian.dng 96x64 rgb8 1
    raw/bits10.dng 96x64 rgb8 1
    raw/bits12.dng 96x64 rgb8 1
    raw/bits14.dng 96x64 rgb8 1
    raw/cut.dng 96x64 rgb8 1
    raw/gray.dng 96x64 rgb8 1
    raw/green-first.dng 96x64 rgb8 1
    raw/linear.dng 96x64 rgb8 1
    raw/lossless-tiles.dng 96x64 rgb8 1
    raw/lossless.dng 96x64 rgb8 1
    raw/masked.dng 96x64 rgb8 1
    raw/nikon.nef 96x64 rgb8 1
    raw/olympus.orf 96x64 rgb8 1
    raw/pentax.pef 96x64 rgb8 1
    raw/preview-progressive.dng 48x32 rgb8 1
    raw/preview-small.dng 96x64 rgb8 1
    raw/preview-turned.dng 90x60 rgb8 1
    raw/preview.dng 96x64 rgb8 1
    raw/samsung.srw 96x64 rgb8 1
    raw/sony.arw 96x64 rgb8 1
    raw/strips.dng 96x64 rgb8 1
    raw/table.dng 96x64 rgb8 1
    raw/turned.dng 120x160 rgb8 1
    svg/bevel.svg 200x200 rgba8 1
    svg/clip.svg 200x200 rgba8 1
    svg/gradient.svg 200x200 rgba8 1
    svg/image.svg 200x200 rgba8 1
    svg/invalid-link.svg 200x200 rgba8 1
    svg/lighting.svg 200x200 rgba8 1
    svg/marker.svg 200x200 rgba8 1
    svg/nested.svg 200x200 rgba8 1
    svg/path.svg 200x200 rgba8 1
    svg/recursive-mask.svg 200x200 rgba8 1
    svg/recursive-use.svg 200x200 rgba8 1
    tiff/associated.tif 75x53 rgba8 1
    tiff/bigtiff_jpeg.tif 75x53 rgb8 1
    tiff/bits12.tif 75x53 rgb16 1
    tiff/bits16_big_endian.tif 75x53 rgb16 1
    tiff/bits2.tif 75x53 gray8 1
    tiff/cielab.tif 75x53 rgb8 1
    tiff/cmyk.tif 75x53 cmyk8 1
    tiff/fax_g3.tif 75x53 gray8 1
    tiff/fax_g4.tif 75x53 gray8 1
    tiff/fax_g4_lsb.tif 75x53 gray8 1
    tiff/fax_g4_strips.tif 75x53 gray8 1
    tiff/fax_g4_turned.tif 75x53 gray8 1
    tiff/fax_runs.tif 2700x2624 gray8 1
    tiff/float.tif 75x53 rgb16 1
    tiff/jpeg_rgb.tif 75x53 rgb8 1
    tiff/jpeg_strip.tif 75x53 rgb8 1
    tiff/jpeg_strips.tif 75x53 rgb8 1
    tiff/jpeg_strips_turned.tif 75x53 rgb8 1
    tiff/jpeg_tiles.tif 75x53 rgb8 1
    tiff/orientation5.tif 30x20 rgb8 1
    tiff/orientation6.tif 30x20 rgb8 1
    tiff/orientation7.tif 30x20 rgb8 1
    tiff/orientation8.tif 30x20 rgb8 1
    tiff/pages.tif 75x53 gray8 2
    tiff/palette4.tif 75x53 rgb8 1
    tiff/planar.tif 75x53 rgb8 1
    tiff/pyramid.tif 75x53 rgb8 1
    tiff/straight.tif 75x53 rgba8 1
    tiff/tiles.tif 75x53 rgb8 1
    webp/alpha.webp 90x60 rgba8 1
    webp/anim_frame1.webp 82x82 rgb8 1
    webp/anim_frame2.webp 82x82 rgb8 1
    webp/animated-blend.webp 40x30 rgba8 8
    webp/animated-opaque.webp 90x60 rgb8 5
    webp/animated-truncated.webp 40x30 rgba8 9
    webp/animated.webp 40x30 rgba8 9
    webp/color_index.webp 30x30 rgba8 1
    webp/dark.webp 1x1 rgb8 1
    webp/hopper.webp 128x128 rgb8 1
    webp/hopper_orientation_5.webp 128x128 rgb8 1
    webp/hopper_orientation_6.webp 128x128 rgb8 1
    webp/lossless-alpha.webp 90x60 rgba8 1
    webp/lossless.webp 90x60 rgb8 1
    webp/lossless_indexed_1bit_palette.webp 230x128 rgb8 1
    webp/lossless_indexed_2bit_palette.webp 230x128 rgb8 1
    webp/lossless_indexed_4bit_palette.webp 500x300 rgb8 1
    webp/lossy.webp 90x60 rgb8 1
    webp/metadata.webp 90x60 rgb8 1
    webp/random_lossy.webp 99x87 rgb8 4
    """

  /// The files that are refused, and words of the reason.
  private static let refused = [
    "avif/truncated.avif": "has a damaged header",
    "gif/no_palette.gif": "has no colours for frame 1",
    "gif/truncated.gif": "ends in the middle of frame 1",
    "gif/zero_width.gif": "has no pixels",
    "heif/truncated.heic": "ends too early",
    "jpeg2000/00r0_gray_l.jp2": "has components subsampled in a way that imghost does not read",
    "jpeg2000/00r1_graya_la.jp2": "has components subsampled in a way that imghost does not read",
    "jpeg2000/crash-4fb0.j2k": "has samples of 25 bits",
    "jpeg2000/crash-d2c9.j2k": "has components subsampled in a way that imghost does not read",
    "jpeg2000/unbound_variable.jp2": "ends before its pixels",
    "jpeg2000/unknown_mode.j2k": "has a damaged header",
    "jpeg2000/zero_height.j2k": "has a damaged header",
    "jpegxl/truncated.jxl": "ends in the middle of its pixels",
    "pdf/encrypted.pdf": "is encrypted",
    "pdf/r3-user-password.pdf": "is encrypted",
    "pdf/truncated.pdf": "is damaged beyond repair",
    "raw/cut.dng": "ends in the middle of its raw samples",
    "svg/entities.svg": "entity reference loop",
    "svg/huge.svg": "give a width",
    "webp/truncated.webp": "ends in the middle of its pixels",
  ]

  private static let newerLibrary = "apt-get install -t bookworm-backports libheif1 libheif-plugin-libde265"

  /// The files that one version of a library reads and another refuses, and words of the reasons.
  private static let either: [String: [String]] = [
    // libavif 0.11, and 1.0 and newer.
    "avif/color_grid_alpha_grid_tile_shared_in_dimg.avif": [
      "has tiles that do not make up its picture", "is larger or more unusual than libavif reads",
    ],
    "avif/colors-animated-8bpc-audio.avif": ["has a damaged header"],
    "heif/gain-map.heic": [newerLibrary], "heif/owners.heic": [newerLibrary],
  ]

  /// Every fixture in one folder: `tiff/pages.tif` becomes `tiff-pages.tif`.
  private func everything() throws -> Folder {
    let folder = try Folder()
    for name in Self.names { try folder.copy(Self.fixtures + "/" + name, to: Self.flat(name)) }
    return folder
  }

  private static func flat(_ name: String) -> String { name.replacingOccurrences(of: "/", with: "-") }

  @Test func eachFileIsReadOrRefused() throws {
    let folder = try everything()
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):save(\"out/\" .. path .. \".png\") end",
      "--on-error", "continue", arguments: Self.names.map(Self.flat), seconds: 20)
    #expect(outcome.signal == nil && outcome.status == 1, "\(outcome)")
    for name in Self.names {
      let file = Self.flat(name), isWritten = folder.exists("out/" + file + ".png")
      let reasons = outcome.messages.filter { $0.contains("open: \(file): ") }
      if let words = Self.refused[name] {
        #expect(!isWritten && reasons.count == 1 && reasons[0].contains(words), "\(name): \(reasons)")
      } else if let words = Self.either[name] {
        let isRefused = reasons.count == 1 && words.contains(where: reasons[0].contains)
        #expect(isWritten ? reasons.isEmpty : isRefused, "\(name): \(reasons)")
      } else {
        #expect(isWritten && reasons.isEmpty, "\(name): \(reasons)")
      }
    }
    #expect(folder.temporaries.isEmpty)
  }

  @Test func headersSayWhatTheFilesHold() throws {
    let folder = try everything()
    let expected = Self.headers.split(separator: "\n").map(String.init)
    let names = expected.map { String($0.prefix { $0 != " " }) }
    let outcome = try folder.imghost(["info", "--json"] + names.map(Self.flat), seconds: 20)
    outcome.expect(status: 0)
    let found = try zip(names, outcome.outputLines).map { name, line in
      let fact = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let numbers = ["width", "height", "pages"].map { fact[$0] as? Int ?? 0 }
      return "\(name) \(numbers[0])x\(numbers[1]) \(fact["pixels"] as? String ?? "") \(numbers[2])"
    }
    #expect(found == expected)
  }

  @Test func losslessJPEG2000KeepsThePixels() throws {
    let folder = try Folder()
    for (name, script) in [
      ("write", "local p = img.open(arg[1]):resize(700) p:save(\"a.png\") p:save(\"a.jp2\", { lossless = true })"),
      ("read", "img.open(\"a.jp2\"):save(\"b.png\")"),
    ] {
      let outcome = try folder.run(script, arguments: [Built.photos + "/coffee.png"])
      #expect(outcome.status == 0, "\(name): \(outcome)")
    }
    #expect(try Pixels(file: folder("a.png")).bytes == Pixels(file: folder("b.png")).bytes)
  }
}
