/// Curves of red, green and blue, each at 4,096 equal steps from 0 to 1.
struct BandCurves {
  static let steps = 4096

  private let samples: [Float]

  init(_ samples: [Float]) {
    precondition(samples.count == 3 * Self.steps)
    self.samples = samples
  }

  /// Returns the value at a position, interpolated between steps.
  func value(_ position: Double, _ band: Int) -> Double {
    let low = min(Int(position), Self.steps - 2)
    let entry = band * Self.steps + low
    return Double(samples[entry]) + Double(samples[entry + 1] - samples[entry]) * (position - Double(low))
  }

  /// Makes a table for each band. Bands with the same curve share one.
  func tables<Entry>(_ make: (_ band: Int) -> UnsafePointer<Entry>) -> Tables<Entry> {
    func curve(_ band: Int) -> ArraySlice<Float> { samples[band * Self.steps..<(band + 1) * Self.steps] }
    var tables: [UnsafePointer<Entry>] = []
    for band in 0..<3 {
      let twin = (0..<band).first { curve($0).elementsEqual(curve(band)) }
      tables.append(twin.map { tables[$0] } ?? make(band))
    }
    return (tables[0], tables[1], tables[2])
  }

  typealias Tables<Entry> = (UnsafePointer<Entry>, UnsafePointer<Entry>, UnsafePointer<Entry>)

  static func table<Entry>(_ count: Int, _ value: (Int) -> Entry) -> UnsafePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
    for index in 0..<count { entries[index] = value(index) }
    return UnsafePointer(entries)
  }

  /// Frees tables, some of which may be shared.
  static func free<Entry>(_ tables: Tables<Entry>) {
    for table in Set([tables.0, tables.1, tables.2]) { table.deallocate() }
  }
}
