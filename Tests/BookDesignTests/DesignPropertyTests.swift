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

  /// Fixed pages stay as they are, at their places, whatever lies around them.
  func testFixedPagesStay() throws {
    var numbers = SeededNumbers(seed: 77)
    for name in DesignStyle.names {
      let style = try Samples.style(name)
      for target in [nil, 40] {
        let (pictures, _) = numbers.pictures(60)
        let half = UnitRectangle(left: 0.1, top: 0.2, width: 0.3, height: 0.4)
        let other = UnitRectangle(left: 0.5, top: 0.2, width: 0.3, height: 0.4)
        var request = DesignRequest(
          pictures: pictures, sections: [0..<20, 20..<60], style: style, paper: Samples.paper(566.9, 566.9, style),
          pageCount: target)
        request.fixed = [
          DeclaredPage(pictures: 0..<0),
          DeclaredPage(pictures: 5..<7, slots: [.init(area: half), .init(area: other, crop: half)]),
          DeclaredPage(pictures: 20..<20),
          DeclaredPage(pictures: 30..<31, slots: [.init(area: .whole)], isSpread: true),
          DeclaredPage(pictures: 31..<33), DeclaredPage(pictures: 60..<60),
        ]
        request.openers = [50, 0]
        let design = try XCTUnwrap(BookDesigner.design(request))
        XCTAssertEqual(design.problems, [])
        XCTAssertEqual(design.pages.compactMap(\.fixed), Array(0..<6), name)
        XCTAssertEqual(design.pages.first?.fixed, 0)
        XCTAssertEqual(design.pages.last?.fixed, 5)
        var next = 0
        var places = 0
        for page in design.pages {
          XCTAssertEqual(page.place, places)
          places += page.pageCount
          let own = page.slots.map(\.picture).sorted()
          if let fixed = page.fixed { XCTAssertEqual(own, Array(request.fixed[fixed].pictures), name) }
          if let first = own.first {
            XCTAssertGreaterThanOrEqual(first, next, name)
            next = own.last! + 1
          }
          if page.isSpread { XCTAssertTrue(page.place % 2 == 1, "\(name): a spread begins on a left page") }
          if page.opens != nil { XCTAssertTrue(page.slots.allSatisfy { $0.area.top * 566.9 >= 50 }, name) }
        }
        let shown = Set(design.pages.flatMap(\.slots).map(\.picture)).union(design.leftOut.map(\.picture))
        XCTAssertEqual(shown.count, 60, name)
        let slot = try XCTUnwrap(design.pages.first { $0.fixed == 1 }).slots[0].area
        XCTAssertEqual(slot, half)
        if let target, name != "contact" { XCTAssertEqual(design.pageCount, target, name) }
      }
    }
  }

  func testFixedPagesThatCannotBeAreTold() throws {
    var numbers = SeededNumbers(seed: 78)
    let style = try Samples.style("album")
    let (pictures, _) = numbers.pictures(40)
    for (page, words) in [
      (DeclaredPage(pictures: 0..<2, template: "two rowz"), "did you mean 'two rows'?"),
      (DeclaredPage(pictures: 0..<3, template: "two rows"), "takes 2 pictures, and the page has 3"),
      (DeclaredPage(pictures: 0..<40), "no template of the style 'album' suits a page of 40 pictures"),
    ] {
      var request = DesignRequest(pictures: pictures, style: style, paper: Samples.paper(566.9, 566.9, style))
      request.fixed = [page]
      let design = try XCTUnwrap(BookDesigner.design(request))
      XCTAssertTrue(design.problems.first?.reason.contains(words) ?? false, "\(design.problems)")
    }
  }

  /// A caption beside its picture is measured from the left margin, which differs between left-hand and right-hand
  /// pages, and stays where it is if a low resolution makes the picture smaller.
  func testCaptionsOfFixedPagesHaveTheirPlaces() throws {
    var slot = TemplateSlot(UnitRectangle(left: 0, top: 0, width: 0.5, height: 1))
    slot.text = UnitRectangle(left: 0.6, top: 0, width: 0.4, height: 1)
    let style = DesignStyle(name: "beside", templates: [PageTemplate(name: "beside", slots: [slot])])
    let margins = DesignPaper.Margins(top: 20, bottom: 20, inner: 60, outer: 20)
    for width in [200, 4000] {
      var request = DesignRequest(
        pictures: (0..<2).map { _ in DesignPicture(width: width, height: width * 3 / 2, hasCaption: true) },
        style: style, paper: DesignPaper(width: 500, height: 500, margins: margins, gap: 0))
      request.fixed = [
        DeclaredPage(pictures: 0..<1, template: "beside"), DeclaredPage(pictures: 1..<2, template: "beside"),
      ]
      let design = try XCTUnwrap(BookDesigner.design(request))
      XCTAssertEqual(design.problems, [])
      for (page, left) in zip(design.pages, [margins.inner, margins.outer]) {
        let text = try XCTUnwrap(page.slots[0].text)
        XCTAssertEqual(text.left * 500, left + 0.6 * 420, accuracy: 0.01)
        XCTAssertEqual(text.right * 500, left + 420, accuracy: 0.01)
      }
    }
  }

  func testArrangementsTakeAnyNumberOfPictures() throws {
    var numbers = SeededNumbers(seed: 79)
    let style = try Samples.style("album")
    let (pictures, _) = numbers.pictures(90)
    for arrangement in PageArrangement.allCases {
      for count in [1, 2, 3, 5, 7, 12, 31, 90] {
        var request = DesignRequest(
          pictures: Array(pictures.prefix(count)), style: style, paper: Samples.paper(566.9, 566.9, style))
        request.fixed = [DeclaredPage(pictures: 0..<count, arrangement: arrangement)]
        let design = try XCTUnwrap(BookDesigner.design(request))
        XCTAssertEqual(design.problems, [])
        XCTAssertEqual(design.pages.count, 1)
        check(design, request, "\(arrangement) of \(count)")
        guard arrangement != .grid else { continue }
        for slot in design.pages[0].slots { XCTAssertEqual(slot.crop, .whole, "\(arrangement) of \(count)") }
      }
    }
  }

  /// A picture of one pixel is no large square of one colour.
  func testSpecksStaySmall() throws {
    for name in DesignStyle.names {
      let style = try Samples.style(name)
      let sizes = [(1, 1), (4000, 200), (4000, 3000), (3000, 4000), (4000, 3000), (2, 1)]
      let request = DesignRequest(
        pictures: sizes.map { DesignPicture(width: $0.0, height: $0.1) }, style: style,
        paper: Samples.paper(566.9, 566.9, style))
      let design = try XCTUnwrap(BookDesigner.design(request))
      check(design, request, name)
      for page in design.pages {
        for slot in page.slots where sizes[slot.picture].0 < 3 {
          let width = slot.area.width * 566.9 * Double(page.pageCount)
          XCTAssertLessThanOrEqual(min(width, slot.area.height * 566.9), 28.01, name)
        }
      }
    }
  }

  /// A picture of few pixels gets a place that it fills at 200 pixels per inch, whatever lies beside it.
  func testPicturesOfFewPixelsAreSharp() throws {
    for name in DesignStyle.names {
      let style = try Samples.style(name)
      for (index, size) in papers.enumerated() {
        let sizes = (0..<40).map { $0 % 7 == index ? (width: 451, height: 300) : (width: 6000, height: 4000) }
        let request = DesignRequest(
          pictures: sizes.map { DesignPicture(width: $0.width, height: $0.height) }, style: style,
          paper: Samples.paper(size.width, size.height, style))
        let design = try XCTUnwrap(BookDesigner.design(request))
        check(design, request, name)
        for page in design.pages {
          for slot in page.slots {
            let width = slot.area.width * size.width * Double(page.pageCount)
            let resolution = Double(sizes[slot.picture].width) * slot.crop.width * 72 / width
            XCTAssertGreaterThanOrEqual(resolution, 199.9, "\(name) \(slot)")
          }
        }
      }
    }
  }

  /// A panorama lies over two pages unless the fold would run through what draws the eye.
  func testTheFoldAvoidsWhatDrawsTheEye() throws {
    let style = try Samples.style("album")
    func isOverTwoPages(eyeAt column: Int) throws -> Bool {
      let pictures = (0..<9).map { index in
        let weights = (0..<256).map { Float(index == 4 && abs($0 % 16 - column) < 1 ? 1 : 0.01) }
        return DesignPicture(
          width: index == 4 ? 8000 : 4000, height: 3000,
          traits: PictureTraits(
            sharpness: 0.5, exposure: 0.5, contrast: 0.5, attention: AttentionMap(weights), fingerprint: 1 << index))
      }
      var hints = pictures.map { _ in DesignHint() }
      hints[4].hero = true
      let request = DesignRequest(
        pictures: pictures, hints: hints, style: style, paper: Samples.paper(566.9, 566.9, style),
        leavesOutDuplicates: false)
      let design = try XCTUnwrap(BookDesigner.design(request))
      return design.pages.contains { $0.isSpread && $0.slots.map(\.picture) == [4] }
    }
    XCTAssertTrue(try isOverTwoPages(eyeAt: 3))
    XCTAssertFalse(try isOverTwoPages(eyeAt: 8))
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
    let ratio = request.paper.width * Double(page.pageCount) / request.paper.height
    for (index, slot) in page.slots.enumerated() {
      let box = slot.area
      XCTAssertTrue(UnitRectangle.whole.contains(box, tolerance: 1e-5), "\(name): \(box) is outside of the page")
      XCTAssertTrue(box.width > 0 && box.height > 0, "\(name): \(box) is empty")
      for other in page.slots[(index + 1)...] {
        XCTAssertFalse(box.overlaps(other.area, tolerance: 1e-5), "\(name): pictures overlap")
      }
      XCTAssertTrue(UnitRectangle.whole.contains(slot.crop), "\(name): \(slot.crop)")
      XCTAssertGreaterThanOrEqual(slot.kept, 0.9, name)
      let picture = request.pictures[slot.picture]
      let shape = Double(picture.width) * slot.crop.width / (Double(picture.height) * slot.crop.height)
      XCTAssertEqual(
        shape, box.width / box.height * ratio, accuracy: shape * 0.002, "\(name): the picture is distorted")
      let hint = request.hints.isEmpty ? DesignHint() : request.hints[slot.picture]
      if let keep = hint.keep {
        XCTAssertTrue(slot.crop.contains(keep, tolerance: 1e-5), "\(name): cuts what must stay")
      }
      if hint.hero { XCTAssertEqual(page.slots.count, 1, "\(name): a hero shares its page") }
    }
  }
}
