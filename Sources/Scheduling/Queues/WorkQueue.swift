/// First in, first out, one for each class. Amortised constant time at both ends.
struct WorkQueue {
  private var items: [WorkItem] = []
  private var head = 0

  mutating func append(_ item: WorkItem) { items.append(item) }

  /// The first item that nobody has claimed; claimed ones in front of it are dropped.
  mutating func first() -> WorkItem? {
    while head < items.count {
      if !items[head].isClaimed { return items[head] }
      removeFirst()
    }
    return nil
  }

  mutating func removeFirst() {
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
  }

  /// Takes every item out.
  mutating func removeAll() -> [WorkItem] {
    defer {
      items = []
      head = 0
    }
    return Array(items[head...])
  }
}
