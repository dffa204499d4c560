import Testing

@testable import BenchReport

@Suite struct PlotTests {
  private func line(_ work: String, _ peer: String, ratio: Double?) -> ReportLine {
    ReportLine(work: work, ours: Figures(seconds: 1), peer: peer, theirs: nil, ratio: ratio)
  }

  @Test(arguments: [
    ("libvips 8.18.7 with img2pdf, two threads", "libvips"),
    ("Pillow-SIMD 12.1.1.post0, two processes", "Pillow-SIMD"),
    ("vipsthumbnail (8.14.1)", "vipsthumbnail"), ("img2pdf 0.6.3, internal engine", "img2pdf"),
    ("one FIFO pool, same load", "one FIFO pool"), ("imghost --jobs 1", "imghost --jobs"), ("vips", "vips"),
  ])
  func family(peer: String, family: String) { #expect(Plot.family(peer) == family) }

  @Test func rowsAreWorksAndMarksTheirPeers() {
    let plot = Plot([
      line("A", "vipsthumbnail (8.14)", ratio: 0.5),
      line("A", "libvips 8.18", ratio: 2),
      line("B", "libvips 8.18, two threads", ratio: 0.8),
      line("B", "img2pdf", ratio: nil),
      line("C", "imghost --jobs 1", ratio: 0.5),
    ])
    #expect(plot.peers == ["vipsthumbnail", "libvips"])
    #expect(
      plot.rows == [
        Plot.Row(
          title: "A",
          marks: [.init(peer: "vipsthumbnail", factor: 2), .init(peer: "libvips", factor: 0.5)]),
        Plot.Row(title: "B", marks: [.init(peer: "libvips", factor: 1.25)]),
      ])
  }

  @Test func drawingHoldsEveryTitleAndMark() {
    let svg = Plot([line("8 < 9 & more", "img2pdf", ratio: 0.5), line("8 < 9 & more", "libvips", ratio: 0.1)]).svg
    #expect(svg.contains("8 &lt; 9 &amp; more"))
    // Twice imghost's time: the middle of the scale of 0 to 4, on a bar from 440 to 820.
    #expect(svg.contains("<circle cx=\"630.0\""))
    #expect(svg.contains(">10.0</text>"))
    #expect(svg.hasSuffix("</svg>\n"))
    #expect(svg.contains("prefers-color-scheme: dark"))
    // One mark in the legend and one in the row for each.
    #expect(svg.components(of: "<circle") == 2)
  }

  @Test func legendWrapsBeforeItsEdge() {
    let layout = LegendLayout(Array(repeating: "DispatchQueue.qos", count: 8), width: 980)
    #expect(layout.lineCount == 2)
    #expect(layout.places.map(\.line) == [0, 0, 0, 0, 0, 1, 1, 1])
    #expect(layout.places[5].x == layout.places[0].x)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
