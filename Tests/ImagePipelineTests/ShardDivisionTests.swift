import ImageCore
import Scheduling
import Testing

@testable import ImagePipeline

@Suite struct ShardDivisionTests {
  /// Units that make files of as many pixels as given.
  private static func units(_ widths: [Int]) throws -> [PlanUnit] {
    let job = Job(.save, position: nil, qos: .default, parent: CancellationToken())
    let format = SaveFormat(
      codec: FakeCodec(width: 1, height: 1),
      arguments: try Arguments(RawArguments(), parameters: [], positionalCount: 0))
    return widths.enumerated().map { index, width in
      var unit = PlanUnit()
      let place = InternedPath("\(index).png")
      unit.add(
        FileOutput(
          picture: Fake.file(FakeCodec(width: width, height: 1_000)), format: format, use: nil, job: job, place: place,
          hashed: nil,
          index: job.addOutput(place)))
      return unit
    }
  }

  private static func shards(_ widths: [Int], _ count: Int) throws -> [Int] {
    ShardDivision(ShardDivision.bundles(try units(widths)), count: count).bundles.map(\.shard)
  }

  @Test func sharesAreConsecutiveAndEqual() throws {
    #expect(try Self.shards([Int](repeating: 100, count: 12), 4) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    // The large picture has a shard for itself.
    #expect(try Self.shards([100, 100, 6_000, 100, 100], 3) == [0, 0, 1, 2, 2])
    #expect(try Self.shards([100], 3) == [1])
    #expect(try Self.shards([], 3) == [])
  }

  @Test(arguments: [1, 2, 3, 7, 100]) func everyPictureHasOneShard(_ count: Int) throws {
    let units = try Self.units((1...40).map { $0 * 37 % 400 + 1 })
    let division = ShardDivision(ShardDivision.bundles(units), count: count)
    let shards = division.bundles.map(\.shard)
    #expect(shards == shards.sorted())
    #expect(shards.allSatisfy { (0..<count).contains($0) })
    let all = (0..<count).flatMap { division.units(of: $0) }
    #expect(all.map { $0.files[0].path } == units.map { $0.files[0].path })
    #expect(division.units(butOf: 0).count == units.count - division.units(of: 0).count)
  }

  @Test func digestTellsDivisionsApart() throws {
    func digest(_ widths: [Int], _ count: Int) throws -> String {
      ShardDivision(ShardDivision.bundles(try Self.units(widths)), count: count).digest
    }
    #expect(try digest([100, 200], 2) == digest([100, 200], 2))
    #expect(try digest([100, 200], 2) != digest([100, 200], 3))
    #expect(try digest([100, 200], 2) != digest([100, 201], 2))
  }

  @Test(
    arguments: [
      ("3/8", 3, 8), ("0/1", 0, 1), ("8/8", nil, nil), ("-1/8", nil, nil), ("3", nil, nil), ("3/8/1", nil, nil),
      ("/8", nil, nil), ("3/", nil, nil), ("a/8", nil, nil), ("0/100001", nil, nil),
    ] as [(String, Int?, Int?)])
  func numbersOfShards(_ text: String, _ number: Int?, _ count: Int?) {
    let index = ShardIndex(text)
    #expect(index?.number == number)
    #expect(index?.count == count)
  }
}
