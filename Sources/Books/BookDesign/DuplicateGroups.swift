import PictureTraits

/// Groups of neighbouring pictures that look alike: bursts and repeated shots of one subject.
struct DuplicateGroups {
  /// The groups of two or more pictures, as lists of the pictures' indices.
  let groups: [[Int]]

  /// The maximum number of differing bits, of 64, between the fingerprints of two pictures of a burst.
  private static let burstDistance = 8
  /// The maximum number of differing bits for other pictures, including those without a known time.
  private static let equalDistance = 3
  /// The maximum time in seconds between two successive pictures of a burst.
  private static let burstTime = 15.0
  /// The contrast below which fingerprints are meaningless, because very dark or flat pictures look alike.
  private static let leastContrast = 0.03

  /// - Parameter candidates: the indices of pictures that may be left out, in order. Each joins the group before it if
  ///   it resembles that group's first picture, so that gradual changes do not form one long group.
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
    // A portrait and a landscape picture are never duplicates.
    guard (first.width > first.height) == (next.width > next.height) else { return false }
    let distance = (one.fingerprint ^ other.fingerprint).nonzeroBitCount
    if let time = next.time, let before = last.time, abs(time - before) <= burstTime {
      return distance <= burstDistance
    }
    return distance <= equalDistance
  }
}
