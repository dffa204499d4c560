import BenchReport

/// A whole job of imghost: a Lua script and its arguments.
struct Batch {
  let title: String
  let script: String
  var arguments: [String]
  let bench: Bench

  /// The folder that imghost writes to.
  var out: String { bench.scratch.path + "/ours" }
  /// The folder that the peers write to.
  var peerOut: String { bench.scratch.path + "/peer" }

  /// - Parameter script: Lua text, in which `img` is imghost's module.
  init(_ title: String, _ bench: Bench, _ script: String, _ arguments: [String]) {
    self.title = title
    self.bench = bench
    self.arguments = arguments
    self.script = TextFile.write("local img = require \"imghost\"\n" + script, bench.scratch.path + "/batch.lua")
  }

  func command(_ options: [String] = []) -> Command {
    Command(words: [Folder.sibling("imghost"), "run", "--out", out] + options + [script] + arguments)
  }

  /// Creates both folders, or empties them.
  func prepare() throws(BenchFailure) {
    try Folder.empty(out)
    try Folder.empty(peerOut)
  }

  func contest(_ peers: [PeerCommand]) throws(BenchFailure) -> [ProgramContest.Result] {
    try ProgramContest(ours: command(), peers: peers, folders: (ours: [out], peers: [peerOut]), bench: bench).results()
  }
}

extension Inputs {
  /// Returns the photographs, and creates them if there are none.
  func neededPhotos() throws(BenchFailure) -> [String] {
    if photos.isEmpty {
      BenchProgram.message("making photographs")
      let script = Folder.build + "/../Scripts/dev/bench-photos"
      guard Folder.make(photoFolder), Measurement([script, photoFolder]) != nil else {
        throw .noPhotographs(photoFolder)
      }
    }
    guard !photos.isEmpty else { throw .noPhotographs(photoFolder) }
    return photos
  }
}
