/// A queue of items of one class: first in, first out, except that items that are put back come first.
///
/// Appending and removing the first item take amortised constant time. A removed item leaves an outdated entry behind,
/// which is skipped later.
struct ItemQueue {
  private struct Entry {
    let item: WorkItem
    let ticket: UInt32
  }

  /// Items that were put back. The next one to take is last.
  private var front: [Entry] = []
  private var items: [Entry] = []
  private var head = 0
  /// The number of items, without outdated entries.
  private(set) var count = 0

  mutating func append(_ item: WorkItem) { items.append(enter(item)) }

  /// Puts back an item that was in a queue before, ahead of all new items. Among items that were put back, the one that
  /// became ready first is first.
  mutating func prepend(_ item: WorkItem) {
    let entry = enter(item)
    var low = 0
    var high = front.count
    while low < high {
      let middle = (low + high) / 2
      if front[middle].item.ledger.place > item.ledger.place {
        low = middle + 1
      } else {
        high = middle
      }
    }
    front.insert(entry, at: low)
  }

  private mutating func enter(_ item: WorkItem) -> Entry {
    precondition(!item.ledger.isQueued, "an item is in one queue at a time")
    item.ledger.ticket &+= 1
    item.ledger.isQueued = true
    count += 1
    if front.count + items.count - head > 2 * count + 64 { dropOutdated() }
    return Entry(item: item, ticket: item.ledger.ticket)
  }

  /// Removes an item at any position.
  mutating func remove(_ item: WorkItem) {
    precondition(item.ledger.isQueued)
    item.ledger.ticket &+= 1
    item.ledger.isQueued = false
    count -= 1
    // Outdated entries keep their items alive, so they are removed when only such entries are left.
    if count == 0 {
      front.removeAll(keepingCapacity: front.count <= 64)
      items.removeAll(keepingCapacity: items.count <= 64)
      head = 0
    }
  }

  private mutating func dropOutdated() {
    items.removeFirst(head)
    head = 0
    front.removeAll { $0.item.ledger.ticket != $0.ticket }
    items.removeAll { $0.item.ledger.ticket != $0.ticket }
  }

  /// Returns the first item without removing it.
  mutating func first() -> WorkItem? {
    while let entry = front.last {
      if entry.item.ledger.ticket == entry.ticket { return entry.item }
      front.removeLast()
    }
    while head < items.count {
      let entry = items[head]
      if entry.item.ledger.ticket == entry.ticket { return entry.item }
      dropHead()
    }
    return nil
  }

  private mutating func dropHead() {
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: items.count <= 64)
      head = 0
    } else if head >= 64, head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
  }

  var all: [WorkItem] {
    (front.reversed() + items[head...]).filter { $0.item.ledger.ticket == $0.ticket }.map(\.item)
  }
}
