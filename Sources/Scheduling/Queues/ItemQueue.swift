/// The items of one class that could run, first in first out; those that were put aside stand in front.
///
/// Amortised constant time at both ends. An item that has left for another class leaves its entry behind,
/// which is passed over.
struct ItemQueue {
  private struct Entry {
    let item: WorkItem
    let ticket: UInt32
  }

  private var front: [Entry] = []
  private var items: [Entry] = []
  private var head = 0
  /// Items, without the entries that are out of date.
  private(set) var count = 0

  mutating func append(_ item: WorkItem) { items.append(enter(item)) }
  mutating func prepend(_ item: WorkItem) { front.append(enter(item)) }

  private mutating func enter(_ item: WorkItem) -> Entry {
    precondition(!item.ledger.isQueued, "an item stands in one queue at a time")
    item.ledger.ticket &+= 1
    item.ledger.isQueued = true
    count += 1
    return Entry(item: item, ticket: item.ledger.ticket)
  }

  /// Takes an item out, wherever it stands.
  mutating func remove(_ item: WorkItem) {
    precondition(item.ledger.isQueued)
    item.ledger.ticket &+= 1
    item.ledger.isQueued = false
    count -= 1
  }

  /// The first item, left where it is.
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

  /// All items, in order.
  var all: [WorkItem] {
    (front.reversed() + items[head...]).filter { $0.item.ledger.ticket == $0.ticket }.map(\.item)
  }
}
