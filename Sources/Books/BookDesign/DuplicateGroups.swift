import PictureTraits

/// Neighbouring pictures that show the same: bursts, and shots repeated until one succeeded.
struct DuplicateGroups {
  /// Groups of two or more, each by the pictures' places in order.
  let groups: [[Int]]

  /// The most of 64 bits in which fingerprints of pictures taken right after each other may differ.
  private static let burstDistance = 8
  /// The same for pictures of which it is not known when they were taken, or not right after each other.
  private static let equalDistance = 3
  /// Seconds between two pictures of a burst.
  private static let burstTime = 15.0
  /// The contrast below which fingerprints say nothing: pictures without light are all alike.
  private static let leastContrast = 0.03

  /// - Parameter candidates: the places of pictures that may be left out, in order. Only neighbours are compared, each
  ///   with the first of its group, so that a slow change does not become one long group.
  init(_ candidates: [Int], _ pictures: [DesignPicture]) {
    var groups: [[Int]] = []
    var group: [Int] = []
    for place in candidates {
      if let first = group.first, Self.areAlike(pictures[first], pictures[place], last: pictures[group.last!]) {
        group.append(place)
        continue
      }
      groups.append(group)
      group = [place]
    }
    groups.append(group)
    self.groups = groups.filter { $0.count > 1 }
  }

  private static func areAlike(_ first: DesignPicture, _ next: DesignPicture, last: DesignPicture) -> Bool {
    guard let one = first.traits, let other = next.traits, min(one.contrast, other.contrast) > leastContrast else {
      return false
    }
    // A portrait after a landscape is another picture, whatever it shows.
    guard (first.width > first.height) == (next.width > next.height) else { return false }
    let distance = (one.fingerprint ^ other.fingerprint).nonzeroBitCount
    if let time = next.time, let before = last.time, abs(time - before) <= burstTime {
      return distance <= burstDistance
    }
    return distance <= equalDistance
  }
}
