import BookDesign
import PictureTraits
import XCTest

/// Properties that every design has, over pictures of many shapes and hints.
final class DesignPropertyTests: XCTestCase {
  private let papers = [Samples.square, Samples.landscape, Samples.portrait]

  func testEveryDesignIsValid() throws {
    var numbers = SeededNumbers(seed: 24)
    for name in DesignStyle.names {
      let style = try Samples.style(name)
      for (round, count) in [1, 2, 3, 4, 5, 7, 11, 12, 30, 60, 137, 300, 1000].enumerated() {
        let size = papers[round % 3]
        let (pictures, hints) = numbers.pictures(count)
        let request = DesignRequest(
          pictures: pictures, hints: hints, sections: sections(of: count, &numbers), style: style,
          paper: Samples.paper(size.width, size.height, style))
        let design = try XCTUnwrap(BookDesigner.design(request), "\(name) \(count)")
        check(design, request, "\(name), \(count) pictures")
        XCTAssertEqual(design, BookDesigner.design(request), "\(name) \(count): the same request, another design")
      }
    }
  }

  func testPicturesAtTheEndChangeNoEarlierSection() throws {
    var numbers = SeededNumbers(seed: 5)
    for name in DesignStyle.names {
      let style = try Samples.style(name)
      let (pictures, hints) = numbers.pictures(90)
      let ends = [17, 18, 41, 77]
      func design(_ count: Int) throws -> BookDesign {
        let bounds = [0] + ends + [count]
        return try XCTUnwrap(
          BookDesigner.design(
            DesignRequest(
              pictures: Array(pictures.prefix(count)), hints: Array(hints.prefix(count)),
              sections: zip(bounds, bounds.dropFirst()).map { $0..<$1 }, style: style,
              paper: Samples.paper(566.9, 566.9, style))))
      }
      let first = try design(78)
      func earlier(_ design: BookDesign) -> [DesignPage] { design.pages.filter { $0.slots[0].picture < 77 } }
      for count in 79...90 { XCTAssertEqual(earlier(first), earlier(try design(count)), "\(name) \(count)") }
    }
  }

  func testThePageTargetIsMetWhenItCanBe() throws {
    var numbers = SeededNumbers(seed: 60)
    for name in ["album", "magazine", "minimal"] {
      let style = try Samples.style(name)
      let count = 80
      var (pictures, _) = numbers.pictures(count)
      for index in pictures.indices { pictures[index].traits?.fingerprint = UInt64(index) &* 0x9e37_79b9_7f4a_7c15 }
      let most = style.templates.map(\.slots.count).max()!
      for pages in [(count + most - 1) / most + 8, 40, 50, 60, 79] {
        let request = DesignRequest(
          pictures: pictures, sections: [0..<20, 20..<25, 25..<80], style: style,
          paper: Samples.paper(566.9, 566.9, style), pageCount: pages)
        let design = try XCTUnwrap(BookDesigner.design(request))
        XCTAssertEqual(design.pageCount, pages, "\(name) \(pages)")
        XCTAssertEqual(design.notes, [], "\(name) \(pages)")
        check(design, request, "\(name), \(pages) pages")
      }
    }
  }

  func testAnImpossiblePageTargetGivesTheNearestAndANote() throws {
    let style = try Samples.style("album")
    let pictures = [DesignPicture](repeating: DesignPicture(width: 3000, height: 2000), count: 24)
    for (pages, found, note) in [
      (60, 24, "'pages' is 60, but 24 pictures in this style fill 24 pages at most; there are 24"),
      (1, 4, "'pages' is 1, but 24 pictures in this style need at least 4 pages; there are 4"),
    ] {
      let request = DesignRequest(
        pictures: pictures, style: style, paper: Samples.paper(566.9, 566.9, style), pageCount: pages)
      let design = try XCTUnwrap(BookDesigner.design(request))
      XCTAssertEqual(design.pageCount, found)
      XCTAssertEqual(design.notes, [note])
      check(design, request, "\(pages) pages")
    }
  }

  // MARK: - Properties

  private func sections(of count: Int, _ numbers: inout SeededNumbers) -> [Range<Int>] {
    var sections: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, start + Int.random(in: 1...40, using: &numbers))
      sections.append(start..<end)
      start = end
    }
    return sections
  }

  private func check(_ design: BookDesign, _ request: DesignRequest, _ name: String) {
    let placed = design.pages.map { $0.slots.map(\.picture).sorted() }
    let left = Set(design.leftOut.map(\.picture))
    XCTAssertEqual(placed.flatMap(\.self), request.pictures.indices.filter { !left.contains($0) }, "\(name): order")
    var place = 0
    var last = ""
    for page in design.pages {
      XCTAssertEqual(page.place, place, name)
      XCTAssertFalse(page.slots.isEmpty, "\(name): page \(place) is blank")
      XCTAssertNotEqual(page.template, last, "\(name): page \(place) repeats \(last)")
      last = page.template
      if page.isSpread { XCTAssertEqual((place + request.paper.pagesBefore) % 2, 1, "\(name): a spread on one sheet") }
      check(page, request, "\(name), page \(place)")
      place += page.pageCount
    }
    for section in request.sections {
      for page in design.pages {
        let inside = page.slots.count { section.contains($0.picture) }
        XCTAssertTrue(inside == 0 || inside == page.slots.count, "\(name): page \(page.place) has two sections")
      }
    }
  }

  private func check(_ page: DesignPage, _ request: DesignRequest, _ name: String) {
    let width = request.paper.width * (page.isSpread ? 2 : 1)
    for (index, slot) in page.slots.enumerated() {
      let box = slot.rectangle
      XCTAssertTrue(
        box.left >= -0.01 && box.top >= -0.01 && box.right <= width + 0.01 && box.bottom <= request.paper.height + 0.01,
        "\(name): \(box) is outside of the page")
      XCTAssertTrue(box.width > 0 && box.height > 0, "\(name): \(box) is empty")
      for other in page.slots[(index + 1)...] {
        XCTAssertTrue(
          box.right <= other.rectangle.left + 0.01 || other.rectangle.right <= box.left + 0.01
            || box.bottom <= other.rectangle.top + 0.01 || other.rectangle.bottom <= box.top + 0.01,
          "\(name): pictures overlap")
      }
      XCTAssertTrue(UnitRectangle.whole.contains(slot.crop), "\(name): \(slot.crop)")
      XCTAssertGreaterThanOrEqual(slot.kept, 0.9, name)
      let picture = request.pictures[slot.picture]
      let shape = Double(picture.width) * slot.crop.width / (Double(picture.height) * slot.crop.height)
      XCTAssertEqual(shape, box.width / box.height, accuracy: shape * 0.002, "\(name): the picture is distorted")
      let hint = request.hints.isEmpty ? DesignHint() : request.hints[slot.picture]
      if let keep = hint.keep {
        XCTAssertTrue(slot.crop.contains(keep, tolerance: 1e-5), "\(name): cuts what must stay")
      }
      if hint.hero { XCTAssertEqual(page.slots.count, 1, "\(name): a hero shares its page") }
    }
  }
}
