import Platform
import Synchronization
import Testing

@Suite struct OrderedWorkTests {
  @Test(arguments: [(0, 2), (1, 4), (100, 1), (1_000, 4)])
  func resultsComeInOrder(_ count: Int, _ threads: Int) {
    var delivered: [Int] = []
    OrderedWork.run(count, threads: threads, ahead: threads + 1) { number in
      number * number
    } deliver: {
      delivered.append($0)
      return true
    }
    let numbers = Array(0..<count)
    let (squares, negatives) = (numbers.map { $0 * $0 }, numbers.map { -$0 })
    #expect(delivered == squares)
    #expect(OrderedWork.map(numbers, threads: threads) { -$0 } == negatives)
  }

  /// Work does not run farther ahead than said, and ends when nobody wants more.
  @Test func workWaitsForItsDelivery() {
    let begun = Atomic(0)
    var most = 0
    var delivered = 0
    OrderedWork.run(1_000, threads: 3, ahead: 5) { number in
      begun.add(1, ordering: .relaxed)
      return number
    } deliver: { number in
      delivered += 1
      most = max(most, begun.load(ordering: .relaxed) - delivered)
      return number < 99
    }
    #expect(delivered == 100)
    #expect(most <= 5)
  }

  /// A single thread calls in order, so that the work may keep a state.
  @Test func oneThreadCallsInOrder() {
    let last = Atomic(-1)
    let isInOrder = Atomic(true)
    OrderedWork.run(500, threads: 1, ahead: 3) { number in
      if last.exchange(number, ordering: .relaxed) != number - 1 { isInOrder.store(false, ordering: .relaxed) }
    } deliver: {
      true
    }
    let result = isInOrder.load(ordering: .relaxed)
    #expect(result)
  }
}

@Suite struct BackgroundConsumerTests {
  private final class Collected: @unchecked Sendable {
    // Used by one thread at a time.
    var items: [Int] = []
    var mostAtOnce = 0
  }

  /// Few items are worked on by the caller; of many all are done at the end, in their order.
  @Test(arguments: [0, 1, 7, 8, 9, 5_000]) func itemsKeepTheirOrder(_ count: Int) {
    let collected = Collected()
    let consumer = BackgroundConsumer<Int>(batchCount: 8) { items in
      collected.items += items
      collected.mostAtOnce = max(collected.mostAtOnce, items.count)
    }
    for number in 0..<count { consumer.add(number) }
    consumer.finish()
    #expect(collected.items == Array(0..<count))
    #expect(collected.mostAtOnce <= 8)
    consumer.add(count)
    consumer.finish()
    #expect(collected.items == Array(0...count))
  }

  /// A book that is given up leaves no thread that waits.
  @Test func itEndsWithoutBeingFinished() {
    final class Mark: Sendable {}
    weak var mark: Mark?
    do {
      let made = Mark()
      mark = made
      let consumer = BackgroundConsumer<Int>(batchCount: 2) { [made] _ in withExtendedLifetime(made) {} }
      for number in 0..<100 { consumer.add(number) }
    }
    // The thread lets go of it when it ends.
    var tries = 0
    while mark != nil, tries < 1_000 {
      usleep(10_000)
      tries += 1
    }
    #expect(mark == nil)
  }
}
