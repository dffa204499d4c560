/// The FNV-1a hash, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv. Unlike `Hasher`, it has the same result in
/// every process. It gives no protection against deliberate collisions.
package enum FNV {
  package static func hash(_ text: String) -> UInt32 {
    text.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}
