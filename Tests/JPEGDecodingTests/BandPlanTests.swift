import JPEGTables
import Testing

@testable import JPEGDecoding

/// The division of pictures with restart markers among workers.
@Suite struct BandPlanTests {
  /// A colour picture with chrominance at half the size both ways.
  private func geometry(_ width: Int, _ height: Int, shrink: Int) throws -> FrameGeometry {
    let code = try #require(HuffmanCode(counts: [1] + [UInt8](repeating: 0, count: 15), symbols: [0]))
    let components = [2, 1, 1].map {
      BaselineFrame.Component(
        horizontalSampling: $0, verticalSampling: $0, quantisation: Array(repeating: 1, count: 64), dc: code, ac: code)
    }
    let frame = BaselineFrame(width: width, height: height, components: components, restartInterval: 1, dataOffset: 0)
    return try #require(FrameGeometry(frame, shrink: shrink))
  }

  private func workers(_ count: Int) -> DecodingWorkers {
    DecodingWorkers(count: count) { count, body in for index in 0..<count { body(index) } }
  }

  private func plan(_ geometry: FrameGeometry, interval: Int, workers count: Int = 2) -> BandPlan? {
    BandPlan(geometry, mcuRows: geometry.mcusDown, restartInterval: interval, workers: workers(count))
  }

  /// 300 megapixels: what a band holds does not grow with the picture or the workers.
  @Test(arguments: [1, 2, 4, 8], [2, 4, 64])
  func bandsAreSmall(_ shrink: Int, _ count: Int) throws {
    let geometry = try geometry(20_000, 15_000, shrink: shrink)
    let plan = try #require(self.plan(geometry, interval: 1250, workers: count))
    // Chrominance is as wide as the picture below 1/1.
    let bytes = plan.rowsPerBand * geometry.rowsPerMCU * geometry.width * (shrink == 1 ? 3 : 6) / 2
    #expect(bytes <= 2 << 20 || plan.parts == 2, "\(plan): \(bytes)")
    #expect(plan.rowsPerPart == 1 && (2...64).contains(plan.parts) && !plan.passesOver)
  }

  /// Parts begin with segments where these are some rows, or within short ones.
  @Test(arguments: [
    (250, 3, false), (500, 4, false), (1000, 4, false), (125, 3, false), (7, 7, false),
    (61, 3, true), (1, 3, false),
  ])
  func partsFollowSegments(_ interval: Int, _ rows: Int, _ passesOver: Bool) throws {
    let geometry = try geometry(4000, 3000, shrink: 1)
    let plan = try #require(self.plan(geometry, interval: interval))
    #expect(plan.rowsPerPart == rows && plan.passesOver == passesOver, "\(plan)")
  }

  @Test func othersAreLeftToOneWorker() throws {
    let large = try geometry(4000, 3000, shrink: 1)
    #expect(plan(large, interval: 0) == nil, "no markers")
    #expect(plan(large, interval: 250, workers: 1) == nil, "no others")
    #expect(plan(large, interval: 999) == nil, "long segments that end anywhere")
    #expect(plan(large, interval: 30_000) == nil, "two segments")
    let small = try geometry(600, 400, shrink: 1)
    #expect(plan(small, interval: 38) == nil, "a small picture")
  }
}
