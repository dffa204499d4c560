import ImageCore
import Testing

@Suite struct ByteCountTests {
  /// With a `k` of 1,000 bytes.
  static let texts: [(String, Int?)] = [
    ("80k", 80_000), ("80K", 80_000), ("80kb", 80_000), ("80KiB", 81_920), ("1.5M", 1_500_000), ("1.5MiB", 3 << 19),
    ("2G", 2_000_000_000), ("2gib", 2 << 30), ("1T", 1_000_000_000_000), ("500", 500), ("500b", 500), ("1", 1),
    ("0.5k", 500), (".5k", 500), ("0.5ki", nil), ("5iB", nil), ("", nil), ("k", nil), ("0", nil), ("0.5", nil),
    ("-1k", nil),
    ("1 k", nil), ("1e3", nil), ("0x10", nil),
    ("inf", nil), ("nan", nil), ("9999T", nil), ("1.2.3k", nil), ("80kk", nil),
  ]

  @Test(arguments: texts)
  func reads(_ text: String, _ expected: Int?) { #expect(ByteCount.parse(text, kilo: 1_000) == expected) }

  @Test func memoryCountsByPowersOfTwo() {
    for text in ["80k", "80kB", "80KiB"] { #expect(ByteCount.parse(text, kilo: 1_024) == 81_920) }
    #expect(ByteCount.parse("2G", kilo: 1_024) == 2 << 30)
  }

  static let values: [(value: ParameterValue, count: Int?)] = [
    (.text("80k"), 80_000), (.integer(5), 5), (.number(5.5), 5), (.integer(0), nil), (.integer(-1), nil),
    (.number(.nan), nil), (.number(.infinity), nil), (.integer(.max), nil), (.text("big"), nil), (.boolean(true), nil),
  ]

  @Test(arguments: values.indices)
  func checksArguments(_ index: Int) {
    let (value, count) = Self.values[index]
    let parameter = ParameterDescriptor("max_bytes", .byteCount, help: "")
    let arguments = try? Arguments(
      RawArguments(named: [(name: "max_bytes", value: value)]), parameters: [parameter], positionalCount: 0)
    #expect(arguments?.integer("max_bytes") == count)
  }
}
