import Foundation
import PictureTestSupport
import Testing

/// Captions in scripts whose signs stand above, below and before their letters, in books that are verified.
struct CaptionScriptTests {
  private static let texts = [
    "བོད་", "བཀྲ་ཤིས་བདེ་ལེགས", "ཨོཾ་མ་ཎི་པདྨེ་ཧཱུྃ", "Room 1\u{fe0f}\u{20e3} and #\u{fe0f}\u{20e3}", "12\u{20e3}3\u{20e3}",
    "नमस्ते हिन्दी क्षत्रिय", "सुँदर की र्क", "សួស្តីកម្ពុជា ព្រះ", "สวัสดีครับ น้ำ ผู้ใหญ่ ที่", "ສະບາຍດີ ນ້ຳ", "မင်္ဂလာပါ ကြောင်း",
    "שָׁלוֹם עוֹלָם", "hello שָׁלוֹם 12", "السَّلَامُ عَلَيْكُمْ", "اُردُو زبان", "日本語 中文 한국어", "か\u{3099} は\u{309a}",
    "e\u{301} n\u{303} a\u{328}\u{301} Z\u{351}\u{36b}\u{343}", "a\u{20dd} b\u{20de}", "தமிழ் கொ கோ", "বাংলা কো ক্ষ",
    "తెలుగు క్ష్మ", "ಕನ್ನಡ ಕೋ", "മലയാളം കോ", "සිංහල ක්‍ෂ", "ગુજરાતી ક્ષિ", "ਪੰਜਾਬੀ ਕਿ", "👩‍🚀 🇩🇪 ok",
  ]

  /// One book for all: each text that is left is found again. Characters without a font are left out with a note.
  @Test func booksAreVerified() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try Pixels.waves(60, 40).jpeg())
    let captions = Self.texts.map { "\"\($0)\"" }.joined(separator: ", ")
    let outcome = try folder.run(
      """
      local all = {}
      for i = 1, \(Self.texts.count) do all[i] = img.open("a.jpg") end
      img.book("b.pdf", all, { paper = "a6", margin = "8mm", captions = { \(captions) }, verify = true })
      """)
    outcome.expect(status: 0, error: "\(Self.texts.count) pages, verified")
  }

  /// A sign over a letter is copied with its letter.
  @Test func textIsCopiedInOrder() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try Pixels.waves(60, 40).jpeg())
    let outcome = try folder.run(
      "img.book(\"b.pdf\", { img.open(\"a.jpg\") }, { paper = \"a6\", margin = \"8mm\", caption = \"བོད་\", verify = true })"
    )
    outcome.expect(status: 0)
    // A machine without a Tibetan font draws nothing.
    guard !outcome.error.contains("no installed font"),
      let text = try SecondOpinions.run("pdftotext", [folder("b.pdf"), "-"])?.text
    else { return }
    #expect(text.split(whereSeparator: \.isWhitespace).joined() == "བོད་", "\(text)")
  }
}
