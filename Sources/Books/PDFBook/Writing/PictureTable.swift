import ImageCore

/// The objects of stored pictures by the pictures' identities: about 21 bytes per picture, for books of millions.
///
/// Extendible hashing (Fagin, Nievergelt, Pippenger, Strong: "Extendible hashing", ACM TODS 4(3), 1979): the first bits
/// of an identity select a bucket, and a full bucket is split in two. Thus no large table has to be copied when the
/// number of pictures grows.
struct PictureTable {
  /// The first 12 bytes of an identity, which is a SHA-256 digest, and the object of its picture.
  private struct Entry {
    let first: UInt64
    let second: UInt32
    let object: Int32

    init(_ identity: SHA256Digest, object: Int) {
      first = identity.prefix
      second = UInt32(identity.second >> 32)
      self.object = Int32(object)
    }
  }

  private struct Bucket {
    /// The number of leading bits shared by all entries of the bucket.
    let depth: Int
    var entries: [Entry] = []
  }

  /// The maximum number of entries in a bucket, which takes 1 KB with the allocator's overhead.
  private static let bucketCount = 61
  private var buckets = [Bucket(depth: 0)]
  /// The indices of buckets, by the first `depth` bits.
  private var directory: [Int32] = [0]
  private var depth = 0
  private(set) var count = 0

  /// Returns a picture's object; nil if it is not stored.
  func object(of identity: SHA256Digest) -> Int? {
    let wanted = Entry(identity, object: 0)
    let entries = buckets[bucket(of: wanted)].entries
    return entries.first { $0.first == wanted.first && $0.second == wanted.second }.map { Int($0.object) }
  }

  /// Adds a picture that is not in the table.
  mutating func add(_ identity: SHA256Digest, object: Int) {
    let entry = Entry(identity, object: object)
    while buckets[bucket(of: entry)].entries.count == Self.bucketCount { split(bucket(of: entry)) }
    buckets[bucket(of: entry)].entries.append(entry)
    count += 1
  }

  private func bucket(of entry: Entry) -> Int { depth == 0 ? 0 : Int(directory[Int(entry.first >> (64 - depth))]) }

  private mutating func split(_ index: Int) {
    let full = buckets[index]
    if full.depth == depth {
      directory = directory.flatMap { [$0, $0] }
      depth += 1
    }
    var halves = [Bucket(depth: full.depth + 1), Bucket(depth: full.depth + 1)]
    for half in 0..<2 { halves[half].entries.reserveCapacity(Self.bucketCount) }
    for entry in full.entries { halves[Int(entry.first >> (63 - full.depth) & 1)].entries.append(entry) }
    buckets[index] = halves[0]
    buckets.append(halves[1])
    // The second half of the directory entries that selected the full bucket now selects the new one.
    let places = 1 << (depth - full.depth)
    let first = Int(full.entries[0].first >> (64 - depth)) / places * places
    for place in first + places / 2..<first + places { directory[place] = Int32(buckets.count - 1) }
  }
}
