/// Decides which outputs are made together.
///
/// Outputs of one file are one task, which reads the file once; a plain canvas is nothing to share. Where
/// that gives fewer tasks than there are workers, the outputs of a file are divided among as many tasks
/// as there are workers: reading it again costs less than a worker that has nothing to do.
struct TaskGroups {
  private let workers: Int
  /// The pictures of each file that are written, in the order they are first seen.
  private var members: [ObjectIdentifier: [ObjectIdentifier: Int]] = [:]
  private var made: [Key: TaskBuilder] = [:]
  private(set) var builders: [TaskBuilder] = []

  private struct Key: Hashable {
    let root: ObjectIdentifier
    let part: Int
  }

  init(workers: Int) { self.workers = workers }

  /// Counts a picture that is written. All of them, before the first `builder`.
  mutating func count(_ picture: Picture) {
    let root = Self.root(picture)
    let place = members[root]?.count ?? 0
    if members[root]?[ObjectIdentifier(picture)] == nil {
      members[root, default: [:]][ObjectIdentifier(picture)] = place
    }
  }

  /// The task that makes a picture.
  mutating func builder(_ picture: Picture, _ make: () -> TaskBuilder) -> TaskBuilder {
    let root = Self.root(picture)
    let all = members[root] ?? [:]
    let parts = members.count < workers ? min(workers, all.count) : 1
    let place = all[ObjectIdentifier(picture)] ?? 0
    let key = Key(root: root, part: place * parts / max(1, all.count))
    if let known = made[key] { return known }
    let fresh = make()
    made[key] = fresh
    builders.append(fresh)
    return fresh
  }

  private static func root(_ picture: Picture) -> ObjectIdentifier {
    let root = picture.root
    if case .canvas = root.step { return ObjectIdentifier(picture) }
    return ObjectIdentifier(root)
  }
}
