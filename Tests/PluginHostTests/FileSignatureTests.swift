import Testing

@testable import PluginHost

/// The signatures that codecs declare: which texts are read, and which files they match.
@Suite struct FileSignatureTests {
  @Test(
    "a text that is not a signature is refused",
    arguments: [
      "", " ", "ff", ":", "0:", ":ff", "0:f", "0:fff", "0:gg", "0:.f", "0:+f", "0:-0", "+0:ff", "-1:ff", "0-:ff",
      "-:ff", "0-+4:ff", "5-4:ff", "0-1-2:ff", "0:ff:ff", "x:ff", "4096:ff", "0-4096:ff", "99999999999999999999:ff",
      "0:ff 1", "0:é0", "0:0 1:0", "0:00 1:00 2:00 3:00 4:00 5:00 6:00 7:00 8:00", "0:..", "0:....", "0:.. 4-8:....",
    ])
  func refused(_ text: String) {
    #expect(FileSignature(text) == nil)
  }

  @Test(
    "a signature matches the files that have its bytes",
    arguments: [
      ("0:5249", [0x52, 0x49, 0x46], true),
      ("0:5249", [0x52, 0x49], true),
      ("0:5249", [0x52], false),
      ("0:5249", [], false),
      ("0:5249", [0x52, 0x4A], false),
      ("0:aBcD", [0xAB, 0xCD], true),
      ("1:49", [0x52, 0x49], true),
      ("0:52..46", [0x52, 0, 0x46], true),
      ("0:52..46", [0x52, 0x46], false),
      ("1-2:46", [0x46, 0, 0x46], true),
      ("1-2:46", [0x46, 0, 0, 0x46], false),
      ("1-4095:46", [0, 0, 0x46], true),
      ("0:52 2:46", [0x52, 0, 0x46], true),
      ("0:52 2:46", [0x52, 0, 0x47], false),
      ("4095:46", [0x46], false),
    ] as [(String, [UInt8], Bool)])
  func matching(_ text: String, _ prefix: [UInt8], _ isMatch: Bool) throws {
    #expect(try #require(FileSignature(text)).matches(prefix) == isMatch)
  }

  @Test("precision counts the bytes that are compared")
  func precision() throws {
    #expect(try #require(FileSignature("0:52..46 4-8:0102")).precision == 4)
    #expect(try #require(FileSignature("0:.. 4-8:....01")).precision == 1)
  }
}
