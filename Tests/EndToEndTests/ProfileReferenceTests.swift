import CReferenceColour
import Foundation
import ImageCodecs
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Conversions of the built program against Little CMS in floating point, for profiles with known difficulties.
@Suite struct ProfileReferenceTests {
  /// A profile, and the function that creates it.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// The tolerance in 8-bit levels, in addition to half a level for rounding.
    var tolerance: Float = 1
    let bytes: @Sendable () throws -> [UInt8]
    var testDescription: String { name }

    static func debian(_ path: String, _ why: String) -> Case {
      Case(name: "\(path): \(why)") { Array(try Data(contentsOf: URL(filePath: "/usr/share/color/icc/" + path))) }
    }

    /// A profile of tables with colours far outside Display P3. Samples of 33 steps cannot follow the target's curve
    /// there: Little CMS's own conversion of 8 bits is off by 14 levels.
    static func table(_ version: Double) -> Case {
      Case(name: "tables, version \(version)", tolerance: 5) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
          count = reference_colour_table_profile(version, buffer.baseAddress, buffer.count)
        }
        try #require(!bytes.isEmpty)
        return bytes
      }
    }
  }

  static let colours: [Case] = [
    Case(name: "Display P3, version 4") { StandardProfile.displayP3.bytes },
    Case(name: "Rec. 2020, version 4, out of gamut") { StandardProfile.rec2020.bytes },
    Case(name: "1 MB") { enlarged(StandardProfile.displayP3.bytes, to: 1 << 20) },
    .table(2.4), .table(4.3),
    .debian("sRGB.icc", "version 2, curves of 1,024 entries"),
    .debian("compatibleWithAdobeRGB1998.icc", "a power, version 2"),
    .debian("LStar-RGB.icc", "the curve of lightness"),
    .debian("CineonLog_M.icc", "a logarithm, no light below a value"),
    .debian("ghostscript/rommrgb.icc", "primaries beyond the colours that exist"),
    .debian("ghostscript/esrgb.icc", "an extended range"),
    .debian("ghostscript/ps_rgb.icc", "version 4 without curves"),
  ]

  static let grays: [Case] = [
    .debian("Gray.icc", "version 2"), .debian("Gray-CIE_L.icc", "Lab as the connection space"),
    .debian("ghostscript/sgray.icc", "the curve of sRGB"), .debian("ghostscript/ps_gray.icc", "version 4"),
  ]

  /// Within a level of Little CMS.
  @Test(arguments: sampled(colours), [1, 2]) func colour(_ profile: Case, _ sampleBytes: Int) throws {
    try compare(profile, PixelFormat(sampleBytes == 1 ? .u8 : .u16, .rgb))
  }

  @Test(arguments: grays, [1, 2]) func gray(_ profile: Case, _ sampleBytes: Int) throws {
    try compare(profile, PixelFormat(sampleBytes == 1 ? .u8 : .u16, .gray))
  }

  /// White points may differ, which matrices hold exactly.
  @Test func absolute() throws {
    let named = ["compatibleWithAdobeRGB1998", "rommrgb", "esrgb", "LStar"]
    for profile in Self.colours.filter({ test in named.contains { test.name.contains($0) } }) {
      try compare(profile, .rgb8, isAbsolute: true)
    }
  }

  private func compare(_ test: Case, _ format: PixelFormat, isAbsolute: Bool = false) throws {
    let profile = try test.bytes()
    let sampleBytes = format.sample.byteCount
    let pixels = samples(format)
    var metadata = PictureMetadata()
    metadata.iccProfile = profile
    let folder = try Folder()
    try folder.write("in.png", try pixels.encoded(PNGCodec(), metadata: metadata))
    let intent = isAbsolute ? "absolute" : "relative"
    let outcome = try folder.run(
      "img.open(\"in.png\"):to_profile(\"display-p3\", { intent = \"\(intent)\" }):save(\"out.png\")")
    #expect(outcome.status == 0 && !outcome.error.contains("note"), "\(outcome)")
    let result = try Pixels(file: folder("out.png"))
    let target = StandardProfile.displayP3.bytes
    let input = levels(pixels.bytes, sampleBytes).map { Float($0) }
    let top: Float = sampleBytes == 1 ? 255 : 65_535
    let count = pixels.width * pixels.height
    var expected = [Float](repeating: 0, count: count * 3)
    let code = reference_colour_convert(
      profile, profile.count, target, target.count, input.map { $0 / top }, &expected, count,
      isAbsolute ? 1 : 0)
    try #require(code == 0)
    let own = levels(result.bytes, sampleBytes)
    try #require(own.count == expected.count)
    let worst = zip(own, expected).map { abs(Float($0) - min(max($1, 0), 1) * top) }.max() ?? .infinity
    #expect(worst <= (sampleBytes == 1 ? test.tolerance + 0.5 : test.tolerance * 257), "\(worst)")
  }

  private func levels(_ bytes: [UInt8], _ sampleBytes: Int) -> [Int] {
    guard sampleBytes == 2 else { return bytes.map(Int.init) }
    return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
  }

  /// Random colours, then gray ones and pure ones of each level.
  private func samples(_ format: PixelFormat) -> Pixels {
    var random = SplitMix(21)
    return Pixels(64, 32, format) { x, y in
      let level = y % 4 * 64 + x
      return (0..<format.bands).flatMap { band -> [UInt8] in
        let value =
          switch y / 4 {
          case 0...4: UInt8(truncatingIfNeeded: random.next())
          case 5: UInt8(level)
          case 6: band == x % 3 ? UInt8(level) : 0
          default: band == x % 3 ? 255 : UInt8(level)
          }
        return format.sample.byteCount == 1 ? [value] : [UInt8(truncatingIfNeeded: random.next()), value]
      }
    }
  }

  /// The same profile with a tag that nobody knows, whose content is large (ICC.1:2022, 7.3).
  private static func enlarged(_ profile: [UInt8], to size: Int) -> [UInt8] {
    func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func number(_ at: Int) -> Int { profile[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    let count = number(128)
    var table: [UInt8] = []
    for index in 0..<count {
      let entry = 132 + 12 * index
      table += profile[entry..<entry + 4] + big(number(entry + 4) + 12) + profile[entry + 8..<entry + 12]
    }
    let body = Array(profile[(132 + 12 * count)...])
    let start = 132 + 12 * (count + 1) + body.count
    table += Array("zzzz".utf8) + big(start) + big(size - start)
    let content = Array("data".utf8) + [UInt8](repeating: 0x5a, count: size - start - 4)
    return big(size) + Array(profile[4..<128]) + big(count + 1) + table + body + content
  }
}
