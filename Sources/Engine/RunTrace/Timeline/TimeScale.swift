/// Converts nanoseconds to horizontal pixels, and back.
struct TimeScale {
  let left: Double
  let right: Double
  /// The duration of the whole drawing in nanoseconds.
  let duration: Int

  var width: Double { right - left }

  func x(_ time: Int) -> Double { left + width * Double(min(max(time, 0), duration)) / Double(duration) }

  /// Returns the duration, in nanoseconds, that a number of pixels represents.
  func time(_ pixels: Double) -> Double { pixels / width * Double(duration) }

  struct Tick: Equatable {
    let time: Int
    let label: String
  }

  /// Ticks at round times: multiples of 1, 2 or 5 times a power of ten, as many as there is room for.
  var ticks: [Tick] {
    var step = 1
    let least = Int(time(72).rounded(.up))
    search: while true {
      for factor in [1, 2, 5] where step * factor >= least {
        step *= factor
        break search
      }
      step *= 10
    }
    // The unit of the axis, chosen so that ticks have few digits after the point.
    let unit: String
    let scale: Int
    switch step {
    case 200_000_000...: (unit, scale) = ("s", 1_000_000_000)
    case 200_000...: (unit, scale) = ("ms", 1_000_000)
    default: (unit, scale) = ("µs", 1000)
    }
    var digits = 0
    while digits < 3, step * [1, 10, 100, 1000][digits] % scale != 0 { digits += 1 }
    return stride(from: 0, through: duration, by: step).map { time in
      let number = Quantity.decimal(Double(time) / Double(scale), time == 0 ? 0 : digits)
      return Tick(time: time, label: "\(number) \(unit)")
    }
  }
}
