import XCTest

@testable import PDFBook

/// Layouts with a wanted number of pages.
final class PageTargetTests: XCTestCase {
  private static let kinds: [LayoutKind] = [.grid, .justified, .masonry]

  /// Pictures of many shapes, of which one in seven is a panorama.
  private func pictures(_ count: Int) -> [LayoutPicture] {
    let shapes = [(3, 2), (2, 3), (4, 3), (1, 1), (9, 16), (3, 2), (3, 1)]
    return (0..<count).map { index in
      let (width, height) = shapes[index % shapes.count]
      return LayoutPicture(width: width * 400, height: height * 400)
    }
  }

  private func layout(_ kind: LayoutKind, pages: Int, titlePage: Bool = false) -> BookLayout {
    var layout = BookLayout()
    layout.setup.paper = PageSize(width: 595, height: 842)
    layout.setup.margins = PageMargins(top: 36, right: 36, bottom: 36, left: 36)
    (layout.options.rowGap, layout.options.columnGap) = (8, 8)
    layout.options.kind = kind
    layout.options.pageTarget = pages
    layout.options.pagesBefore = titlePage ? 1 : 0
    return layout
  }

  func testBooksHaveTheWantedPages() throws {
    for kind in Self.kinds {
      for (count, targets) in [
        (1, [1]), (12, [1, 2, 5, 11, 12]), (61, [2, 7, 20, 33, 61]), (300, [12, 66, 100, 299]),
      ] {
        for target in targets {
          let pages = try layout(kind, pages: target).pages(of: pictures(count))
          check(pages, count, target, "\(kind), \(count) pictures on \(target) pages")
        }
      }
    }
  }

  func testSectionsShareThePages() throws {
    let sections = [0..<5, 5..<6, 6..<40, 40..<61]
    for kind in Self.kinds {
      for target in [4, 9, 20, 61] {
        let pages = try layout(kind, pages: target).pages(of: pictures(61), segments: sections.map { .pictures($0) })
        let name = "\(kind) in sections on \(target) pages"
        check(pages, 61, target, name)
        for section in sections {
          let own = pages.filter { page in page.cells.contains { section.contains($0.picture) } }
          XCTAssertTrue(
            own.allSatisfy { page in page.cells.allSatisfy { section.contains($0.picture) } },
            "\(name): \(section) begins on a page of its own")
        }
      }
    }
  }

  func testTitlePageCounts() throws {
    XCTAssertEqual(try layout(.grid, pages: 7, titlePage: true).pages(of: pictures(30)).count, 6)
  }

  func testGridKeepsWhatIsGiven() throws {
    var layout = layout(.grid, pages: 5)
    layout.options.columns = 2
    for page in try layout.pages(of: pictures(30)) {
      XCTAssertLessThanOrEqual(Set(page.cells.map { ($0.frame.left * 10).rounded() }).count, 2)
    }
    layout.options.rows = 2
    XCTAssertEqual(try layout.pages(of: pictures(30)).count, 8, "2 rows of 2 need 8 pages at least")
    layout.options.pageTarget = 15
    XCTAssertEqual(try layout.pages(of: pictures(30)).map(\.cells.count), Array(repeating: 2, count: 15))
  }

  func testSpreadsTakeTheWidestPictures() throws {
    let shapes = [1.0, 3, 1.5, 1, 1, 2.5, 1, 1.5]
    let pictures = shapes.map { LayoutPicture(width: Int($0 * 1000), height: 1000) }
    for target in 8...12 {
      let pages = try layout(.spread, pages: target).pages(of: pictures)
      XCTAssertEqual(pages.count, min(target, 11), "\(target) pages")
      XCTAssertTrue(pages.allSatisfy { $0.cells.count == 1 }, "no page is blank")
      for (index, page) in pages.enumerated() where page.cells[0].part == .first {
        XCTAssertEqual(index % 2, 1, "page \(index + 1) is the left one of two")
      }
    }
    let ten = try layout(.spread, pages: 10).pages(of: pictures)
    XCTAssertEqual(
      Set(ten.filter { $0.cells[0].part != .whole }.map { $0.cells[0].picture }), [1, 2], "5 would begin on the right")
  }

  func testFacingPagesOfRowsEndAlike() throws {
    var layout = layout(.justified, pages: 9)
    layout.options.pageTarget = nil
    let pages = try layout.pages(of: pictures(61))
    let ends = pages.map { page in page.cells.map(\.visible.bottom).min()! }
    for left in stride(from: 1, to: pages.count - 1, by: 2) where abs(ends[left] - ends[left + 1]) > 0.01 {
      let gap = abs(ends[left] - ends[left + 1]) / Double(Set(pages[left].cells.map(\.visible.bottom)).count - 1)
      XCTAssertGreaterThan(
        gap, 0.015 * 770 * 0.5, "pages \(left + 1) and \(left + 2) end at \(ends[left]), \(ends[left + 1])")
    }
    XCTAssertTrue(
      stride(from: 1, to: pages.count - 1, by: 2).contains { abs(ends[$0] - ends[$0 + 1]) < 0.01 }, "some are aligned")
  }

  func testUnreachableTargetsGiveTheNearest() throws {
    for kind in Self.kinds {
      XCTAssertEqual(try layout(kind, pages: 40).pages(of: pictures(12)).count, 12, "\(kind)")
      let sections = [0..<4, 4..<8, 8..<12]
      XCTAssertEqual(
        try layout(kind, pages: 1).pages(of: pictures(12), segments: sections.map { .pictures($0) }).count, 3, "\(kind)"
      )
    }
    XCTAssertEqual(try layout(.spread, pages: 3).pages(of: pictures(12)).count, 12)
  }

  private func check(_ pages: [PlannedPage], _ count: Int, _ target: Int, _ name: String) {
    XCTAssertEqual(pages.count, target, name)
    XCTAssertEqual(pages.flatMap { $0.cells.map(\.picture) }.sorted(), Array(0..<count), name)
    for (index, page) in pages.enumerated() {
      XCTAssertFalse(page.cells.isEmpty, "\(name): page \(index + 1) is blank")
      for cell in page.cells {
        XCTAssertTrue(
          cell.visible.left >= 35.9 && cell.visible.bottom >= 35.9 && cell.visible.left + cell.visible.width <= 559.1
            && cell.visible.bottom + cell.visible.height <= 806.1, "\(name): \(cell.visible) is outside the margins")
      }
    }
  }
}
