/// Shares a wanted number of pages among the sections of a book.
enum PageShares {
  /// Returns the number of pages of each section: together the wanted number, or the nearest one that is possible.
  ///
  /// Each further page goes to the section whose pages are the fullest, the first of several.
  ///
  /// - Parameters:
  ///   - least: the fewest pages of each section, at least 1.
  ///   - most: the most: the number of its pictures, or twice that if each may take two pages.
  ///   - loads: what fills the pages of each, in any unit.
  static func shares(of pages: Int, least: [Int], most: [Int], loads: [Double]) -> [Int] {
    var shares = least
    for _ in 0..<max(0, pages - least.reduce(0, +)) {
      var fullest: Int?
      for section in shares.indices where shares[section] < most[section] {
        let load = loads[section] / Double(shares[section])
        if fullest.map({ load > loads[$0] / Double(shares[$0]) }) ?? true { fullest = section }
      }
      guard let fullest else { break }
      shares[fullest] += 1
    }
    return shares
  }

  /// Returns a number of pictures divided among pages as evenly as possible, the larger parts first.
  static func evenly(_ pictures: Int, over pages: Int) -> [Int] {
    (0..<pages).map { pictures / pages + ($0 < pictures % pages ? 1 : 0) }
  }
}
