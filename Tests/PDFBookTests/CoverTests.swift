import ImageCore
import Testing

@testable import PDFBook

/// The geometry of a cover with hinges and turn-ins.
struct CoverTests {
  private func layout(_ options: [(String, ParameterValue)]) throws -> BookLayout {
    let named = [("layout", ParameterValue.text("cover")), ("paper", .text("200mm x 100mm"))]
    let arguments = try Arguments(
      RawArguments(named: (named + [("orientation", .text("landscape"))] + options).map { (name: $0.0, value: $0.1) }),
      parameters: BookParameters.all, positionalCount: 0)
    return try BookLayout(arguments)
  }

  private let pictures = [LayoutPicture](repeating: LayoutPicture(width: 400, height: 200), count: 3)
  private func points(_ millimetres: Double) -> Double { millimetres * 72 / 25.4 }

  @Test func hingesAndTurnInsEnlargeTheSheet() throws {
    let layout = try layout([
      ("cover_pages", .integer(60)), ("paper_thickness", .text("0.3mm")), ("cover_thickness", .text("1.5mm")),
      ("hinge", .text("10mm")), ("turn_in", .text("15mm")), ("fit", .text("cover")),
    ])
    let page = try #require(try layout.pages(of: pictures).first)
    // Two boards, a spine of 30 sheets and twice the cover, and what goes around.
    let spine = 30 * 0.3 + 2 * 1.5
    #expect(abs(page.size.width - points(2 * 200 + spine + 2 * 10 + 2 * 15)) < 0.01)
    #expect(abs(page.size.height - points(100 + 2 * 15)) < 0.01)
    let (front, back, middle) = (page.cells[0].visible, page.cells[1].visible, page.cells[2].visible)
    #expect(abs(back.left) < 0.01 && abs(back.right - middle.left) < 0.01)
    #expect(abs(middle.width - points(spine)) < 0.01 && abs(front.left - middle.right) < 0.01)
    #expect(abs(front.right - page.size.width) < 0.01 && abs(front.top - page.size.height) < 0.01)
    // A title stays on the board.
    #expect(abs(layout.frontArea.left - (front.left + points(10))) < 0.01)
    #expect(abs(layout.frontArea.right - (front.right - points(15))) < 0.01)
  }

  @Test func marginsKeepPicturesOnTheBoards() throws {
    let layout = try layout([
      ("cover_thickness", .text("2mm")), ("cover_pages", .integer(2)), ("paper_thickness", .text("0.1mm")),
      ("hinge", .text("8mm")), ("turn_in", .text("15mm")), ("margin", .text("5mm")), ("fit", .text("cover")),
    ])
    let page = try #require(try layout.pages(of: Array(pictures.prefix(2))).first)
    for cell in page.cells {
      #expect(abs(cell.visible.width - points(190)) < 0.01 && abs(cell.visible.height - points(90)) < 0.01)
    }
    #expect(page.cells[0].visible.left > page.cells[1].visible.right)
  }

  @Test func aBindingStandsForPublishedLengths() throws {
    for binding in Binding.all {
      let layout = try layout([("binding", .text(binding.name)), ("cover_pages", .integer(60))])
      let other = try self.layout(
        binding.options.map { ($0.name, .text($0.length)) } + [("cover_pages", .integer(60))])
      #expect(layout.options.binding.sheetThickness > 0)
      #expect(layout.options.binding == other.options.binding, "\(binding.name)")
    }
    // One's own length counts.
    let own = try layout([("binding", .text("hardcover")), ("hinge", .text("3mm"))])
    #expect(abs(own.options.binding.hinge - points(3)) < 0.01 && own.options.binding.turnIn > 0)
  }

  @Test func everyBindingNamesItsSource() {
    #expect(Binding.all.allSatisfy { $0.source.hasPrefix("http") && !$0.options.isEmpty })
    #expect(Set(Binding.all.map(\.name)).count == Binding.all.count)
  }
}
