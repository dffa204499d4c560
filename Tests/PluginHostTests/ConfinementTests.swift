import CSandbox
import Foundation
import ImageCore
import Platform
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// Requests of a plugin that the system refuses.
  @Suite struct ConfinementTests {
    /// The plugin's report on a call, or its failure. `TRIES` gives a negative number for failure.
    private func words(_ macros: [String]) throws -> String? {
      let plugins = host(try Built.plugin("misbehaving", macros))
      return try #require(plugins.definition(named: "odd")).failure()
    }

    @Test(arguments: [
      ("open(\"/dev/full\", O_WRONLY)", EACCES), ("creat(\"/dev/shm/imghost-test\", 0600)", EACCES),
      ("open(\"/dev/shm\", O_TMPFILE | O_RDWR, 0600)", EACCES),
      ("unlink(\"/dev/shm/imghost-test\")", EACCES),
      ("mkdir(\"/dev/shm/imghost-test\", 0700)", EACCES),
      ("open(\"/etc/passwd\", O_RDONLY)", EACCES), ("open(\"/\", O_RDONLY)", EACCES),
      ("memfd_create(\"imghost-test\", 0)", EACCES), ("ftruncate(3, 0)", EACCES),
      ("socket(AF_UNIX, SOCK_STREAM, 0)", EACCES), ("prctl(PR_SET_PDEATHSIG, 0)", EPERM),
      ("ioctl(2, TIOCSTI, \"x\")", ENOTTY), ("fcntl(0, F_ADD_SEALS, F_SEAL_SEAL)", EPERM),
      ("setpgid(0, 0)", ENOSYS), ("syscall(SYS_io_uring_setup, 1, NULL)", ENOSYS),
      ("syscall(SYS_openat2, -100, \"/etc/passwd\", NULL, 0)", ENOSYS),
      ("syscall(SYS_io_uring_enter, 0, 1, 0, 0, NULL, 0)", ENOSYS),
      ("syscall(SYS_io_uring_register, 0, 0, NULL, 0)", ENOSYS),
      ("syscall(SYS_clone3, (char[88]){0}, 88)", ENOSYS), ("shutdown(3, SHUT_RDWR)", ENOSYS),
      ("(long)mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0)", ENOMEM),
      ("(long)mmap(0, 4096, 3, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1, 0)", ENOMEM),
      ("(long)mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0)", ENOMEM),
      ("shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)", ENOSYS), ("hoard()", ENOMEM),
      ("setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY})", EPERM),
      ("open(\"/usr/lib/os-release\", O_RDONLY)", EACCES),
      ("open(\"/usr\", O_RDONLY | O_DIRECTORY)", EACCES),
      ("open(\"/proc\", O_RDONLY | O_DIRECTORY)", EACCES),
      ("open(\"/proc/self/root/etc/passwd\", O_RDONLY)", EACCES),
      ("open(\"/proc/net/dev\", O_RDONLY)", EACCES), ("open(\"/proc/self/net/tcp\", O_RDONLY)", EACCES),
      ("open(\"/proc/thread-self/net/unix\", O_RDONLY)", EACCES),
      ("open(\"/proc/self/mountinfo\", O_RDONLY)", EACCES), ("open(\"/proc/self/environ\", O_RDONLY)", EACCES),
      ("open(\"/proc/self\", O_RDONLY | O_DIRECTORY)", EACCES),
      ("open(\"/proc/self/task\", O_RDONLY | O_DIRECTORY)", EACCES),
      ("pwrite(2, \"x\", 1, 0)", ESPIPE), ("crowd(20000)", EAGAIN),
    ])
    func fails(_ call: String, _ code: Int32) throws {
      #expect(try words(["TRIES=\(call)"]) == "plugin 'odd' got error \(code)")
    }

    @Test(
      .thorough,
      arguments: [
        ("socket(AF_INET, SOCK_STREAM, 0)", "socket"), ("fork()", nil),
        ("system(\"true\")", nil), ("execl(\"/bin/true\", \"true\", (char *)NULL)", "execve"),
        ("kill(getppid(), SIGTERM)", "kill"), ("kill(-1, SIGTERM)", "kill"),
        ("ptrace(PTRACE_ATTACH, getppid(), 0, 0)", "ptrace"),
        ("syscall(SYS_pidfd_open, getppid(), 0)", "pidfd_open"),
        ("process_vm_readv(getppid(), NULL, 0, NULL, 0, 0)", "process_vm_readv"),
        ("unshare(0)", "unshare"),
      ] as [(String, String?)])
    func endsTheProcess(_ call: String, _ name: String?) throws {
      // How the C library starts a process is its own affair, and while it blocks all signals there are
      // no last words.
      let expected = "plugin 'odd' crashed (forbidden system call"
      let failure = try #require(try words(["TRIES=\(call)"]))
      #expect(name.map { failure == "\(expected) \($0))" } ?? failure.hasPrefix(expected))
    }

    @Test(arguments: [
      "open(\"/proc/self/maps\", O_RDONLY)", "open(\"/proc/self/status\", O_RDONLY)",
      "open(\"/proc/self/cgroup\", O_RDONLY)", "crowd(200)", "open(\"/dev/null\", O_RDONLY)",
      "open(\"/proc/cpuinfo\", O_RDONLY)", "getrlimit(RLIMIT_DATA, (struct rlimit[1]){})",
      "raise(0)", "mprotect(mmap(0, 4096, 1, 34, -1, 0), 4096, 7)", "prctl(PR_SET_NAME, \"x\")",
      "pthread_create((pthread_t[1]){}, NULL, (void *(*)(void *))destroy, NULL)",
      "dlopen(\"libz.so.1\", RTLD_NOW) == NULL && dlopen(\"libm.so.6\", RTLD_NOW) == NULL ? -1 : 0",
    ])
    func staysAllowed(_ call: String) throws {
      #expect(try words(["TRIES=\(call)"]) == "plugin 'odd' succeeded")
    }

    /// A constructor's thread is confined as every other is.
    @Test func threadsFromBeforeAreConfinedToo() throws {
      let waits = "pthread_create((pthread_t[1]){}, NULL, (void *(*)(void *))pause, NULL)"
      for (path, words) in [("/dev/null", "succeeded"), ("/etc/passwd", "got error \(EACCES)")] {
        #expect(
          try self.words(["CONSTRUCTOR=\(waits)", "TRIES=open(\"\(path)\", O_RDONLY)"])
            == "plugin 'odd' \(words)")
      }
    }

    /// The outcome of a call that a constructor makes.
    private func constructor(_ call: String) throws -> String? {
      try words(["CONSTRUCTOR=\(call)", "TRIES=(errno = code, constructed)"])
    }

    private static let hasLandlock = shim_landlock_version() > 0

    /// Foreign code runs while a library is loaded: it reads no more than later.
    @Test(
      .enabled(if: hasLandlock, "the kernel has no Landlock"),
      arguments: [
        ("open(\"/etc/passwd\", O_RDONLY)", EACCES), ("open(\"/etc/shadow\", O_RDONLY)", EACCES),
        ("open_of_host(\"mem\")", EACCES), ("open_of_host(\"environ\")", EACCES),
        ("open_of_host(\"maps\")", EACCES), ("open_of_host(\"cmdline\")", EACCES),
        ("open(\"/proc/1/status\", O_RDONLY)", EACCES), ("open(\"/\", O_RDONLY)", EACCES),
        ("(long)mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0)", ENOMEM),
      ])
    func constructorsReadNothing(_ call: String, _ code: Int32) throws {
      #expect(try constructor(call) == "plugin 'odd' got error \(code)")
    }

    @Test func constructorsReadWhatIsTheirs() throws {
      for path in ["/proc/self/maps", "/proc/cpuinfo", "/dev/urandom"] {
        #expect(
          try constructor("open(\"\(path)\", O_RDONLY)") == "plugin 'odd' succeeded", "\(path)")
      }
      // No capability is left, as root or not.
      let sets = "syscall(SYS_capget, (unsigned[2]){0x20080522, 0}, caps) | caps[0] | caps[1] | caps[3]"
      #expect(
        try constructor("({ unsigned caps[6] = {1}; \(sets) ? -1 : 0; })")
          == "plugin 'odd' succeeded")
    }

    /// A library in a folder of somebody's, found by the plugin's run path: that file and no other of the folder.
    @Test func ofAForeignFolderOnlyTheLibraryIsRead() throws {
      for (name, words) in [("libneeded.so", "succeeded"), ("secret", "got error \(EACCES)")] {
        let (plugin, library) = try Built.pluginWithLibrary {
          ["TRIES=open(\"\($0)/\(name)\", O_RDONLY)"]
        }
        try Data().write(to: URL(fileURLWithPath: library + "/secret"))
        let odd = try #require(host(plugin).definition(named: "odd"))
        #expect(odd.failure() == "plugin 'odd' \(words)")
      }
    }

    @Test(.unsanitized) func memoryIsBounded() throws {
      #expect(try words(["EATS_MEMORY"]) == "plugin 'odd' was stopped")
    }

    /// Private, shared, from devices, files without names and System V: all ways together give no more than one limit.
    @Test func allKindsOfMemoryHaveOneLimit() throws {
      let share = shim_memory_share()
      #expect(try words(["TRIES=gather(\(share)ul)"]) == "plugin 'odd' got error \(ENOMEM)")
      #expect(try words(["TRIES=gather(\(share / 2)ul)"]) == "plugin 'odd' succeeded")
    }

    @Test func closingTheChannelIsNoEscape() throws {
      #expect(
        try words(["TRIES=close(3)"])
          == "plugin 'odd' ended its process with status 0 in the middle of its work")
    }

    /// Foreign code also runs while a library is loaded.
    @Test func loadingIsConfinedToo() throws {
      let refusal = host(try Built.plugin("misbehaving", ["CONSTRUCTOR=kill(getppid(), SIGTERM)"]))
        .discover().first?.refusal
      #expect(
        refusal?.hasSuffix("could not be described: it crashed (forbidden system call kill)")
          == true)
    }

    @Test(.unsanitized) func whatIsEnforcedIsFoundOutByTrying() {
      let report = host().isolation()
      #expect(report.enforced.contains("processes") && report.enforced.contains("no network"))
      #expect(
        report.enforced.contains("no capabilities") && report.enforced.contains("none shared"))
      #expect(report.missing.isEmpty || !Self.hasLandlock, "\(report.missing)")
      let none = host(worker: "/nowhere/worker").isolation()
      #expect(none.enforced.isEmpty && none.summary.contains("could not be started"))
    }
  }
}
