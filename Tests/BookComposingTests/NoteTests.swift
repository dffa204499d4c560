import PDFBook
import Testing

@testable import BookComposing

/// The wording of notes about whole books.
@Suite struct NoteTests {
  private func coarse(_ resolutions: [Double]) -> String? {
    var pictures = CoarsePictures(least: 150)
    for (index, dpi) in resolutions.enumerated() { pictures.add(index, dpi) }
    return pictures.note(of: resolutions.count) { "'\($0).jpg'" }
  }

  @Test(
    arguments: [
      ([300], nil), ([149.9], nil),
      (
        [300, 99.99],
        "'1.jpg' is shown at 99.9, fewer than the 150 pixels per inch of 'min_dpi'; show it smaller, or take a larger file"
      ),
      (
        [120, 300, 100],
        "2 of 3 pictures are shown at fewer than the 150 pixels per inch of 'min_dpi', '2.jpg' at the fewest, 100; show them smaller, or take larger files"
      ),
    ] as [([Double], String?)])
  func coarsePictures(_ resolutions: [Double], _ note: String?) { #expect(coarse(resolutions) == note) }
}
