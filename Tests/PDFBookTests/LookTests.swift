import BookDesign
import BookExpectations
import ImageCore
import PDFTestSupport
import PictureTraits
import Testing

@testable import PDFBook

/// Veils, shadows, round corners and the baseline grid.
struct LookTests {
  private struct Numbers {
    var state: UInt64
    mutating func next(_ range: ClosedRange<Double>) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Double(state >> 11) / Double(1 << 53) * (range.upperBound - range.lowerBound)
    }
    mutating func colour() -> Colour { Colour(red: next(0...1), green: next(0...1), blue: next(0...1)) }
  }

  @Test func everyTextCanBeReadOnAVeil() {
    var numbers = Numbers(state: 7)
    for round in 0..<2_000 {
      let text = round == 0 ? Colour.white : round == 1 ? .black : numbers.colour()
      let veil = text.veil()
      let pictures = [Colour.white, .black, numbers.colour()]
      for picture in pictures {
        func mixed(_ own: Double, _ under: Double) -> Double { own * veil.alpha + under * (1 - veil.alpha) }
        let seen = Colour(
          red: mixed(veil.red, picture.red), green: mixed(veil.green, picture.green),
          blue: mixed(veil.blue, picture.blue))
        #expect(text.contrast(to: seen) >= Colour.readableContrast - 1e-9, "\(text) on \(picture)")
      }
    }
    #expect(abs(Colour.white.veil().alpha - 0.535) < 0.001)
    #expect(abs(Colour.black.contrast(to: .white) - 21) < 1e-9)
  }

  @Test(arguments: [0.02, 0.35, 0.55, 0.9, 0.999]) func layersAddUp(whole: Double) {
    let layers = SoftLayers(whole: whole)
    var left = 1.0
    for _ in layers.shares { left *= 1 - layers.opacity }
    #expect(1 - left >= whole - 1e-6 && 1 - left < whole + 0.03, "\(1 - left)")
    #expect(layers.shares == layers.shares.sorted() && layers.shares.allSatisfy { (0..<1).contains($0) })
    #expect(abs(layers.opacity * 1_000 - (layers.opacity * 1_000).rounded()) < 1e-9)
  }

  private static let page = PageRectangle(left: 0, bottom: 0, width: 400, height: 300)

  @Test func cornersFitTheirPicture() {
    let box = PageRectangle(left: 50, bottom: 50, width: 100, height: 40)
    #expect(RoundedRectangle(box, radius: 1_000).radii == [20, 20, 20, 20])
    #expect(!RoundedRectangle(box, radius: -3).isRound)
    let atEdge = RoundedRectangle(
      PageRectangle(left: 0, bottom: 50, width: 100, height: 250), radius: 9, inside: Self.page)
    #expect(atEdge.radii == [0, 9, 0, 0])
    #expect(!RoundedRectangle(Self.page, radius: 9, inside: Self.page).isRound)
  }

  private func layout(_ options: [(String, ParameterValue)]) throws -> BookLayout {
    let arguments = try Arguments(
      RawArguments(named: options.map { (name: $0.0, value: $0.1) }), parameters: Self.parameters, positionalCount: 0)
    return try BookLayout(arguments)
  }

  /// The options of layouts, with two that a book declares.
  static let parameters =
    [ParameterDescriptor("caption", .text, help: ""), ParameterDescriptor("background", .colour, help: "")]
    + BookParameters.all

  private static let grid: [(String, ParameterValue)] = [
    ("layout", .text("grid")), ("rows", .integer(2)), ("columns", .integer(2)), ("paper", .text("a5")),
    ("margin", .text("10mm")), ("gutter", .text("2mm")), ("corners", .text("3mm")), ("shadow", .text("1mm 4mm")),
    ("border", .text("1mm")), ("fit", .text("cover")),
  ]

  @Test func shadowsLieBelowAllPicturesAndBorders() throws {
    let layout = try layout(Self.grid)
    let pictures = [LayoutPicture](repeating: LayoutPicture(width: 30, height: 20), count: 4)
    let page = try layout.page(layout.pages(of: pictures)[0]) { _ in .standIn() }
    let shadows = page.under.prefix { if case .layers = $0 { true } else { false } }
    #expect(shadows.count == 4 && page.under.count == 8 && page.isTranslucent)
    #expect(page.placements.allSatisfy { $0.outline?.isRound == true && $0.clip != nil })
    let coloured = try self.layout(Self.grid + [("cell_background", .text("red"))])
    let under = try coloured.page(coloured.pages(of: pictures)[0]) { _ in .standIn() }.under
    let kinds = under.map { shape in
      switch shape {
      case .fill: "fill"
      case .layers: "shadow"
      default: "border"
      }
    }
    #expect(kinds == ["fill", "shadow", "border"].flatMap { [String](repeating: $0, count: 4) })
  }

  @Test(arguments: ["pdf/a-1b", "pdf/x-1a"]) func nothingIsTransparentWhereItMustNotBe(standard: String) throws {
    let layout = try layout(
      Self.grid + [("conformance", .text(standard)), ("caption_position", .text("over")), ("background", .text("red"))])
    let pictures = [LayoutPicture](repeating: LayoutPicture(width: 30, height: 20, hasCaption: true), count: 4)
    let page = try layout.page(layout.pages(of: pictures)[0]) { _ in .standIn(caption: "a") }
    #expect(page.under.count == 8 && page.over.count == 4 && !page.isTranslucent)
    guard case .layers(let areas, let colour, _)? = page.under.first else {
      Issue.record("no shadow")
      return
    }
    #expect(areas.count == 1 && colour.red > 0.5 && colour.red < 1 && colour.green == 0)
  }

  @Test func aCaptionOnAPictureHasAVeil() throws {
    let layout = try layout([
      ("paper", .text("a5")), ("fit", .text("cover")), ("caption", .text("x")), ("caption_position", .text("over")),
    ])
    #expect(layout.setup.captions.hasScrim && layout.setup.captions.background == nil)
    let plan = try layout.singlePage(LayoutPicture(width: 30, height: 20, hasCaption: true), 0)
    let (cell, trim) = (plan.cells[0], layout.trim(of: plan.size))
    let low = PageRectangle(left: 20, bottom: 20, width: 50, height: 20)
    guard case .veil(let area, let colour, let mask, _)? = layout.ground(behind: low, on: cell, trim) else {
      Issue.record("no veil")
      return
    }
    // Letters are black here: the white behind them belongs to captions over pictures, as scripts ask for them.
    let wanted = Colour.black.veil()
    #expect(colour.red == wanted.red)
    #expect(area.top > low.top && area.top < trim.height / 2 && VeilMask(name: mask.name) == mask)
    // Whole behind the lines.
    let numbers = mask.name.dropFirst().split(separator: "-").compactMap { Double($0) }
    #expect(numbers[0] / 1_000 > wanted.alpha - 0.001 && numbers[1] == 0)
    #expect(area.bottom + numbers[2] / 1_000 * area.height >= low.top - area.height / 900)
    // A picture that the lines cover nearly gets a box.
    let high = PageRectangle(left: 20, bottom: 20, width: 50, height: trim.height * 0.6)
    guard case .fill(high, let box)? = layout.ground(behind: high, on: cell, trim) else {
      Issue.record("no box")
      return
    }
    #expect(box.alpha >= Colour.black.veil().alpha - 1e-9)
  }

  /// Captions of designed pages stand on lines of the grid, and pictures keep their place but for half a step.
  @Test(arguments: [CaptionPosition.below, .above, .over], [7.0, 12.5]) func captionsStandOnTheGrid(
    position: CaptionPosition, step: Double
  ) throws {
    var numbers = Numbers(state: 3)
    var layout = BookLayout()
    layout.options.kind = .auto
    layout.options.baseline = step
    layout.setup.paper = PageSize(width: 400, height: 500)
    layout.setup.captions.position = position
    for round in 0..<200 {
      let (width, height) = (numbers.next(40...300), numbers.next(40...300))
      let area = PageRectangle(
        left: numbers.next(0...(400 - width)), bottom: numbers.next(30...(470 - height)), width: width, height: height)
      let placed = layout.onGrid(area, mayCut: round % 2 == 0)
      let slot = DesignSlot(
        picture: 0, area: UnitRectangle(placed, of: layout.designedPageSize), crop: .whole, kept: 1)
      let picture = LayoutPicture(
        width: Int(width * 10), height: Int(height * 10), hasCaption: true)
      let page = try layout.designedPages(
        DesignPage(template: "", place: 0, slots: [slot]), [picture], lines: 1)[0]
      let line = (500 - page.cells[0].caption!.baseline) / step
      #expect(abs(line - line.rounded()) < 1e-3, "\(line)")
      let seen = page.cells[0].visible
      #expect(abs(seen.height - height) <= step + 0.01 && seen.width <= width + 0.01)
      if position == .below { #expect(abs(seen.top - area.top) < 0.01) }
    }
  }
}
