import BookExpectations
import ImageCore

/// The expectations of a document's content, indexed for look-ups by the checks.
struct ExpectationIndex: Sendable {
  let expected: VerificationExpectations
  /// The expected places of pictures, by the digests of their stored data. Pages and numbers count from 1.
  private var places: [ShortDigest: [(page: Int, number: Int)]] = [:]
  /// The numbers of the expected pages, by the digests of their content.
  private var contents: [ShortDigest: [Int]] = [:]
  /// Up to `captionPages` pages that are expected to contain a text, by the text's letters.
  private var captions: [String: [Int]] = [:]
  private static let captionPages = 4
  /// Whether the expectations record the origin of any picture: its source files, or that it was drawn.
  let notesSources: Bool

  init(_ expected: VerificationExpectations) {
    self.expected = expected
    notesSources = expected.pages.contains { page in
      page.pictures.contains { $0.source != nil || $0.isDrawn || !$0.otherSources.isEmpty }
    }
    for (index, page) in expected.pages.enumerated() {
      if let content = page.content { contents[content, default: []].append(index + 1) }
      for (number, picture) in page.pictures.enumerated() {
        places[picture.digest, default: []].append((index + 1, number + 1))
      }
      for caption in page.captions {
        let letters = PageText.letters(caption.text.unicodeScalars)
        if captions[letters, default: []].count < Self.captionPages {
          captions[letters, default: []].append(index + 1)
        }
      }
    }
  }

  /// Returns the expectation of a page; nil after the last.
  func page(_ number: Int) -> PageExpectation? {
    number <= expected.pages.count ? expected.pages[number - 1] : nil
  }

  /// Returns whether any page is expected to have this content.
  @Sendable func knows(content digest: ShortDigest) -> Bool { contents[digest] != nil }

  /// Returns the page that is expected to have this content; nil if there is none, or more than one.
  func page(withContent digest: ShortDigest?) -> Int? {
    let pages = digest.flatMap { contents[$0] } ?? []
    return pages.count == 1 ? pages[0] : nil
  }

  /// Returns a page that is expected to contain a text with these letters: preferably the given page, else the first
  /// one; nil if there is none, or if there are no letters.
  func page(withCaption letters: String, near page: Int) -> Int? {
    guard !letters.isEmpty, let pages = captions[letters] else { return nil }
    let isOwn = expected.pages[page - 1].captions.contains {
      PageText.letters($0.text.unicodeScalars) == letters
    }
    return isOwn ? page : pages.first
  }

  /// Returns the expected place of the picture with this digest: on the given page if possible, else the first place.
  func place(of digest: ShortDigest?, near page: Int) -> (page: Int, number: Int)? {
    let all = digest.flatMap { places[$0] } ?? []
    return all.first { $0.page == page } ?? all.first
  }

  /// The signatures of the expected pages.
  var signatures: [PageSignature] { expected.pages.map(PageSignature.init) }
}
