import Foundation
import Scheduling
import TestSupport
import Testing

@testable import RunTrace

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of an SVG file, read by a strict parser.
private final class Elements: NSObject, XMLParserDelegate {
  struct Element {
    let name: String
    let attributes: [String: String]
    var text = ""

    func number(_ name: String) -> Double { Double(attributes[name] ?? "") ?? .nan }
  }

  private(set) var all: [Element] = []
  private var open: [Int] = []

  init(_ svg: String) throws {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    let isWellFormed = parser.parse()
    #expect(isWellFormed, "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    open.append(all.count)
    all.append(Element(name: name, attributes: attributes))
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if let last = open.last { all[last].text += text }
  }

  func rectangles(_ classes: Set<String>) -> [Element] {
    all.filter { $0.name == "rect" && classes.contains($0.attributes["class"] ?? "") }
  }

  var rows: [Element] { rectangles(["row"]) }
  /// Blocks, without those of the legend, which have no title.
  var blocks: [Element] {
    rectangles(Set(QualityOfService.allCases.map(\.name))).filter { $0.number("y") > 60 }
  }
  var texts: [String] { all.filter { $0.name == "text" }.map(\.text) }
  var titles: [String] { all.filter { $0.name == "title" }.map(\.text) }
}

@Suite struct TimelineTests {
  /// Every block lies in one row, and none outside the drawing.
  private func checkPlaces(_ elements: Elements) {
    let rows = elements.rows
    for block in elements.blocks {
      let top = block.number("y")
      let left = block.number("x")
      let isInside = rows.contains { row in
        top >= row.number("y") - 0.01
          && top + block.number("height") <= row.number("y") + row.number("height") + 0.02
          && left >= row.number("x") - 0.01
          && left + block.number("width") <= row.number("x") + row.number("width") + 1.01
      }
      #expect(isInside, "\(block)")
    }
  }

  @Test func aFewSteps() throws {
    let elements = try Elements(Timeline(Records.small()).svg)
    // Two adjacent steps of one picture are one block; four rows, and two plots.
    #expect(elements.blocks.count == 4 && elements.rows.count == 6)
    checkPlaces(elements)
    let texts = elements.texts
    #expect(texts.contains("10.0 ms on 2 workers, 57% busy"), "\(texts)")
    #expect(texts.contains("a \"b\" <c>\u{FFFD}.jpg"))
    for label in ["foreground 0", "foreground 1", "background 0", "waiting 0", "20%", "75%"] {
      #expect(texts.contains(label), "\(label)")
    }
    for label in ["user-interactive", "default", "background", "cancelled", "book written"] {
      #expect(texts.contains(label), "\(label)")
    }
    // Classes that do not occur are not in the legend.
    #expect(!texts.contains("user-initiated"))
    #expect(texts.contains("to 3") && texts.contains("to 5.0 MB"))
    #expect(
      elements.titles.contains(
        "a \"b\" <c>\u{FFFD}.jpg, default: 2.0 ms in 2 steps from 1.0 ms, foreground 0; "
          + "decode jpeg 500 µs, resize 300 µs, encode jpeg 200 µs"), "\(elements.titles)")
  }

  @Test(.thorough, arguments: [(10_000, 2), (10_000, 64), (40_000, 1), (3, 3), (128, 128)])
  func manySteps(_ steps: Int, _ workers: Int) throws {
    let svg = Timeline(Records.large(steps: steps, workers: workers)).svg
    let elements = try Elements(svg)
    #expect(elements.rows.count == workers + 2)
    #expect(elements.blocks.count >= min(steps, workers))
    #expect(elements.blocks.count <= 25_000 && svg.utf8.count < 4 << 20)
    checkPlaces(elements)
  }

  @Test func nothingAtAll() throws {
    let elements = try Elements(Timeline(TraceRecord(duration: 0, workers: 2)).svg)
    #expect(elements.blocks.isEmpty && elements.texts.contains("0 µs on 2 workers, 0% busy"))
  }

  @Test func whatWasDroppedIsTold() throws {
    var record = Records.small()
    record.droppedCount = 1234
    let texts = try Elements(Timeline(record).svg).texts
    #expect(texts.contains("incomplete: the last 1,234 events did not fit into memory"))
  }

  @Test func narrowBlocksBecomeColumns() {
    let steps = Records.large(steps: 1000, workers: 1).steps
    let content = RowBlocks(steps, column: 10_000_000, gap: 0)
    #expect(content.blocks.isEmpty && content.columns.count == 100)
    #expect(content.columns.values.reduce(0) { $0 + $1.busy } == 1000 * 900_000)
    #expect(content.columns.values.reduce(0) { $0 + $1.blockCount } == 1000)
  }

  @Test func adjacentStepsOfTheSameWorkAreOneBlock() {
    let row = Records.worker
    let blocks = RowBlocks.merged(
      [
        .init(row, "a", .default, began: 0, ended: 10),
        .init(row, "a", .default, began: 15, ended: 20),
        .init(row, "a", .utility, began: 20, ended: 30),
        .init(row, "a", .utility, began: 50, ended: 60),
        .init(row, "b", .utility, began: 60, ended: 70),
      ], gap: 5)
    #expect(blocks.map(\.name) == ["a", "a", "a", "b"])
    #expect(blocks.map(\.began) == [0, 20, 50, 60] && blocks.map(\.ended) == [20, 30, 60, 70])
    #expect(blocks.map(\.busy) == [15, 10, 10, 10] && blocks[0].steps == 0..<2)
  }

  @Test func plotsKeepPeaks() {
    let scale = TimeScale(left: 0, right: 10, duration: 1000)
    let levels = [
      TraceRecord.Level(time: 100, ready: SIMD8(), bytes: 4),
      TraceRecord.Level(time: 110, ready: SIMD8(), bytes: 100),
      TraceRecord.Level(time: 120, ready: SIMD8(), bytes: 2),
    ]
    let plot = AreaPlot(levels, scale, layerCount: 1) { [Double($0.bytes)] }
    #expect(plot.columns.map { $0[0] } == [0, 100, 2, 2, 2, 2, 2, 2, 2, 2] && plot.peak == 100)
    #expect(plot.paths(y: 0, height: 50)[0]?.hasPrefix("M0 50L1 50L1 0L2 0L2 49L") == true)
  }

  @Test(arguments: [
    (400_000, "µs"), (10_000_000, "ms"), (749_000_000, "ms"), (5_600_000_000, "s"),
    (3_600_000_000_000, "s"),
  ])
  func ticks(_ duration: Int, _ unit: String) {
    let scale = TimeScale(left: 116, right: 944, duration: duration)
    let ticks = scale.ticks
    #expect((4...12).contains(ticks.count), "\(ticks)")
    #expect(ticks.allSatisfy { $0.label.hasSuffix(" " + unit) && $0.time <= duration })
    #expect(Set(ticks.map(\.label)).count == ticks.count)
  }

  @Test func labelsShowWhatDiffers() {
    let labels = BlockLabels(["photo-01.jpg", "photo-12.jpg", "for the script"])
    #expect(labels.texts("photo-12.jpg") == ["photo-12.jpg", "photo-12", "12"])
    #expect(labels.texts("for the script") == ["for the script"])
    #expect(SVGText.fitted(labels.texts("photo-12.jpg"), into: 20, size: 11) == "12")
    #expect(SVGText.fitted(["a long name without end"], into: 60, size: 11) == "a long na…")
    #expect(SVGText.fitted(["a long name"], into: 10, size: 11) == nil)
  }

  @Test func operationsOwnTimes() {
    let row = Records.worker
    let times = OperationTimes([
      .init(row, "resize", began: 0, ended: 100), .init(row, "decode", began: 10, ended: 40),
      .init(TraceRow(.low, 1), "decode", began: 20, ended: 30),
      .init(row, "decode", began: 50, ended: 60), .init(row, "encode", began: 100, ended: 130),
    ])
    #expect(times.own == [60, 30, 10, 10, 30])
    #expect(times.total == ["resize": 60, "decode": 50, "encode": 30])
    #expect(OperationTimes.sorted(times.total).map(\.name) == ["resize", "decode", "encode"])
  }
}
