/// Divides the outputs of a graph among units.
///
/// Outputs made from one file, for jobs that wait for the same jobs, are one unit, which reads the file once. A picture
/// that starts with a canvas has its own unit, because there is no file to share. If there are fewer files and such
/// pictures than workers, the outputs of a file are divided among several units, at most one for each worker, because
/// reading the file again costs less than an idle worker.
struct UnitGroups {
  private let workers: Int
  /// The files, and the pictures that start with a canvas, so far. Counting stops when there are as many as workers.
  private var roots: Set<ObjectIdentifier> = []
  /// The written pictures of each file, with their numbers in the order of counting; empty once there are as many files
  /// as workers.
  private var members: [ObjectIdentifier: [ObjectIdentifier: Int]] = [:]
  private var places: [Key: Int] = [:]
  /// The units, in the order in which their first outputs were added.
  private(set) var units: [PlanUnit] = []

  private struct Key: Hashable {
    let root: ObjectIdentifier
    let part: Int
    /// The jobs that must end before the unit starts.
    let after: [ObjectIdentifier]
  }

  init(workers: Int) { self.workers = workers }

  private var isDivided: Bool { roots.count < workers }

  /// Counts a picture that is written. Called for all such pictures before the first output is added.
  mutating func count(_ picture: Picture) {
    guard isDivided else { return }
    let root = Self.root(picture)
    roots.insert(root)
    let place = members[root]?.count ?? 0
    if members[root]?[ObjectIdentifier(picture)] == nil {
      members[root, default: [:]][ObjectIdentifier(picture)] = place
    }
    if !isDivided { members = [:] }
  }

  mutating func add(_ file: FileOutput) { units[place(file.picture, for: file.job)].add(file) }

  mutating func add(_ entry: DocumentEntry) { units[place(entry.picture, for: entry.job)].add(entry) }

  /// Returns the index of the unit that makes a picture for a job.
  private mutating func place(_ picture: Picture, for job: Job) -> Int {
    let root = Self.root(picture)
    let key = Key(root: root, part: part(of: picture, from: root), after: job.after.map { ObjectIdentifier($0) })
    if let known = places[key] { return known }
    places[key] = units.count
    units.append(PlanUnit())
    return units.count - 1
  }

  private func part(of picture: Picture, from root: ObjectIdentifier) -> Int {
    guard isDivided, let all = members[root], let place = all[ObjectIdentifier(picture)] else { return 0 }
    return place * min(workers, all.count) / all.count
  }

  private static func root(_ picture: Picture) -> ObjectIdentifier {
    let root = picture.root
    if case .canvas = root.step { return ObjectIdentifier(picture) }
    return ObjectIdentifier(root)
  }
}
