import Foundation
import Testing

/// Runs on a cluster whose scheduler is a shell script: it runs every task at once, one after the other.
struct ClusterTests {
  private let folder: Folder

  /// Answers like `sbatch --parsable`. A merge does not start after a failed array, or while there is a file `hold`
  /// next to this script. With a file `full` all jobs wait, and with a file `refuse` it fails with the text of that
  /// file.
  private static let sbatch = """
    #!/bin/sh
    here=$(dirname "$0")
    array= dependency=
    for word; do
      case $word in
      --array=*) array=${word#*=} ;;
      --chdir=*) folder=${word#*=} ;;
      --job-name=*) name=${word#*=} ;;
      --dependency=*) dependency=$word ;;
      esac
    done
    script=$word
    if [ -f "$here/refuse" ]; then cat "$here/refuse" >&2; exit 1; fi
    cd "$folder" || exit 1
    if [ -f "$here/full" ]; then echo "$name|41|0|PENDING|Resources" >> "$here/queue"; echo 41; exit; fi
    option() { sed -n "s/^#SBATCH --$1=//p" "$script" | tail -n 1; }
    array=${array:-$(option array)}
    output=$(option output)
    if [ -z "$array" ]; then
      if [ -z "$dependency" ] || [ ! -f "$here/failed" ] && [ ! -f "$here/hold" ]; then
        sh "$script" > "$output" 2> "$(option error)"
      fi
      echo 42
      exit
    fi
    rm -f "$here/failed"
    echo "$array" >> "$here/arrays"
    for part in $(echo "$array" | tr , ' '); do
      for task in $(seq "${part%-*}" "${part#*-}"); do
        log=$(echo "$output" | sed "s/%a/$task/")
        SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=1 sh "$script" >> "$log" 2>&1 || touch "$here/failed"
      done
    done
    echo 41

    """

  private static let script = """
    local img = require "imghost"
    local photos = img.glob(arg[1] .. "/*.{jpg,png}")
    photos:map(function(p) return p:thumbnail(90, 90) end):save("thumbs/{stem}-{ext}.jpg")
    img.book("b.pdf", photos:map(function(p) return p:resize(90) end), { caption = "{stem}" })
      :on_done(function(result) print(result.ok, result.pages) end)
    """

  init() throws {
    folder = try Folder()
    try folder.write("my script.lua", Self.script)
    try folder.write("bin/sbatch", Self.sbatch)
    try folder.write("bin/squeue", "#!/bin/sh\ncat \"$(dirname \"$0\")/queue\" 2>/dev/null || true\n")
    try folder.write("bin/scancel", "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/cancelled\"\n")
    for name in ["sbatch", "squeue", "scancel"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder("bin/\(name)"))
    }
  }

  private func imghost(_ words: String..., path: String? = nil) throws -> Outcome {
    let path = path ?? folder("bin") + ":/usr/bin:/bin"
    return try folder.imghost(words, environment: ["PATH": path, "XDG_STATE_HOME": folder("state")], seconds: 60)
  }

  private var runs: [String] { Built.files(in: folder("state/imghost/runs")) }

  /// The bytes of all files in a folder.
  private func files(in name: String) -> [String: [UInt8]] {
    let names = folder.files.filter { $0.hasPrefix(name + "/") }
    return Dictionary(uniqueKeysWithValues: names.map { (String($0.dropFirst(name.count)), folder.bytes($0)) })
  }

  @Test func filesAndWordsOfALocalRun() throws {
    let local = try imghost("run", "--out", "local", "my script.lua", Built.photos)
    let cluster = try imghost(
      "submit", "--engine", "slurm", "--shards", "3", "--out", "far", "my script.lua", Built.photos)
    #expect(cluster.status == 0 && local.status == 0, "\(cluster)")
    #expect(cluster.output == local.output)
    #expect(files(in: "far") == files(in: "local"))
    let run = try #require(runs.first)
    #expect(cluster.messages.first?.hasPrefix("imghost: run \(run), array 41 and merge 42") == true)
    // The scripts and the logs are kept.
    let kept = folder.files.filter { $0.contains(run) }.compactMap { $0.components(separatedBy: run + "/").last }
    #expect(
      kept == [
        "job.sh", "logs/merge.log", "logs/merge.out", "logs/shard-0.log", "logs/shard-1.log", "logs/shard-2.log",
        "merge.sh", "merge.status", "run.json",
      ])
    #expect(try imghost("status", run).outputLines.last == "  merge     ended with status 0")
    let again = try imghost("resume", run)
    again.expect(status: 0, error: "is finished")
  }

  @Test func detachedRunIsFollowedByItsName() throws {
    let submitted = try imghost("submit", "--detach", "--shards", "2", "--out", "far", "my script.lua", Built.photos)
    #expect(submitted.outputLines == runs)
    let followed = try imghost("status", "--follow", runs[0])
    #expect(followed.status == 0 && followed.outputLines == ["true\t\(Built.samples.count)"])
    // By its folder, too.
    #expect(try imghost("status", folder("state/imghost/runs/" + runs[0])).status == 0)
  }

  @Test func dryRunWritesNothing() throws {
    let outcome = try imghost(
      "submit", "--dry-run", "--shards", "2", "--partition", "night", "--time", "2:00:00", "--task-memory", "4G",
      "--task-cpus", "2", "--out", "far", "my script.lua", Built.photos, path: "/nowhere")
    outcome.expect(status: 0)
    for line in [
      "#SBATCH --partition=night", "#SBATCH --time=2:00:00", "#SBATCH --mem=4096M", "#SBATCH --cpus-per-task=2",
      "#SBATCH --array=0-1", "  -- 'my script.lua' \\",
    ] {
      #expect(outcome.outputLines.contains(line), "\(line)")
    }
    #expect(!folder.exists("state") && !folder.exists("far"))
  }

  @Test func resumeMakesWhatIsLeft() throws {
    try folder.write("bin/hold", "")
    _ = try imghost("submit", "--detach", "--shards", "3", "--out", "far", "my script.lua", Built.photos)
    let run = runs[0]
    try FileManager.default.removeItem(atPath: folder("far/.imghost/my script.lua/shard-1-of-3.json"))
    let state = try imghost("status", run)
    state.expect(status: 1)
    #expect(state.error.contains("imghost: 1 of 3 shards is not made; 'imghost resume \(run)' makes what is left"))
    try FileManager.default.removeItem(atPath: folder("bin/hold"))
    let resumed = try imghost("resume", run)
    resumed.expect(status: 0)
    #expect(String(decoding: folder.bytes("bin/arrays"), as: UTF8.self) == "0-2\n1\n")
    _ = try imghost("run", "--out", "local", "my script.lua", Built.photos)
    #expect(files(in: "far") == files(in: "local"))
  }

  /// The failure is that of a local run, and a mended picture lets the run be resumed.
  @Test func failureStops() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/rocket.jpg"))
    try folder.write("photos/a.jpg", [UInt8](bytes))
    try folder.write("photos/b.jpg", [UInt8](bytes.prefix(bytes.count / 2)))
    let local = try imghost("run", "--out", "far", "my script.lua", "photos")
    try? FileManager.default.removeItem(atPath: folder("far"))
    let outcome = try imghost("submit", "--shards", "2", "--out", "far", "my script.lua", "photos")
    #expect(outcome.status == 1 && local.status == 1)
    // What becomes of which output depends on how far they are.
    let reason = "my script.lua:2: open: photos/b.jpg: truncated file; "
    #expect(outcome.messages[1].hasPrefix(reason) && local.messages[0].hasPrefix(reason), "\(outcome) \(local)")
    #expect(outcome.messages.last?.hasPrefix("imghost: shard 1 of 2 failed; 'imghost resume ") == true)
    try folder.write("photos/b.jpg", [UInt8](bytes))
    #expect(try imghost("resume", runs[0]).status == 0)
  }

  /// Ctrl-C cancels the jobs, a lost connection does not.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(_ signal: Int32) throws {
    try folder.write("bin/full", "")
    let submit = try Command(
      arguments: ["submit", "--progress", "always", "--shards", "2", "--out", "far", "my script.lua", Built.photos],
      folder: folder.path, environment: ["PATH": folder("bin") + ":/usr/bin:/bin", "XDG_STATE_HOME": folder("state")]
    ).start()
    #expect(submit.wait { submit.soFar.contains("0/2 shards, waiting in the queue (Resources)") })
    submit.send(signal)
    let outcome = submit.finish(within: 20)
    #expect(outcome.status == 128 + signal && outcome.signal == nil, "\(outcome)")
    let cancelled = String(decoding: folder.bytes("bin/cancelled"), as: UTF8.self)
    let run = try #require(runs.first)
    guard signal != SIGHUP else { return #expect(cancelled.isEmpty) }
    #expect(cancelled == "--name=imghost-\(run)\n--name=imghost-\(run)-merge\n")
    #expect(outcome.error.contains("imghost: interrupted; the jobs are cancelled, and 'imghost resume \(run)' makes"))
  }

  @Test func refusals() throws {
    let missing = try imghost("submit", "--out", "far", "my script.lua", Built.photos, path: "/nowhere")
    #expect(missing.status == 1 && missing.messages.count == 1)
    #expect(missing.error.hasPrefix("imghost: cannot find 'sbatch' of Slurm; "))
    try folder.write("bin/refuse", "sbatch: error: Batch job submission failed: Invalid partition name specified\n")
    let refused = try imghost("submit", "--out", "far", "my script.lua", Built.photos)
    #expect(refused.status == 1 && refused.messages.count == 1)
    #expect(refused.error.hasPrefix("imghost: Slurm refused the job: Invalid partition name specified; choose one "))
    // Nothing is left of runs that do not exist.
    #expect(runs.isEmpty)
  }

  @Test(arguments: [
    (["submit", "-"], "nodes cannot read a script from standard input; name a file"),
    (["submit", "--partition", "a b", "my script.lua"], "invalid value 'a b' for --partition"),
    (["submit", "--sbatch", "my script.lua", "my script.lua"], "--sbatch: my script.lua:1: expected '#SBATCH"),
    (["submit", "--runs", "a%b", "my script.lua"], "Slurm cannot keep logs in a folder with '%' in its path"),
    (["status", "nothing"], "no run 'nothing' in "), (["resume", "nothing"], "no run 'nothing' in "),
  ])
  func wrongUsage(_ words: [String], _ message: String) throws {
    let outcome = try folder.imghost(words, environment: ["XDG_STATE_HOME": folder("state")])
    outcome.expect(status: 2, error: message)
  }

  /// A script with mistakes is not submitted.
  @Test func mistakesComeFirst() throws {
    try folder.write("bad.lua", "local img = require 'imghost'\nimg.open('none.jpg'):save('a.png')\n")
    let outcome = try imghost("submit", "--out", "far", "bad.lua", path: "/nowhere")
    outcome.expect(status: 1, error: "bad.lua:2: open: none.jpg: the file does not exist")
  }

  @Test func stagedPicturesGiveTheSameFiles() throws {
    _ = try imghost("run", "--out", "local", "my script.lua", Built.photos)
    try folder.makeFolder("disk")
    let staged = try imghost("run", "--stage", "disk", "--out", "staged", "my script.lua", Built.photos)
    #expect(staged.status == 0 && files(in: "staged") == files(in: "local"))
    #expect(files(in: "disk").isEmpty)
    let missing = try imghost("run", "--stage", "none", "my script.lua", Built.photos)
    missing.expect(status: 2, error: "--stage: none: No such file or directory")
  }
}
