import ImageCore
import PluginHost
import Testing

#if canImport(Glibc)
  import Glibc
#endif

extension PluginHostTests {
  /// What a plugin asks the system for and does not get.
  @Suite struct ConfinementTests {
    /// What the plugin says of a call, or what became of it. `TRIES` gives a negative number for failure.
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
    ])
    func fails(_ call: String, _ code: Int32) throws {
      #expect(try words(["TRIES=\(call)"]) == "plugin 'odd' got error \(code)")
    }

    @Test(
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
      "open(\"/proc/self/maps\", O_RDONLY)", "open(\"/dev/null\", O_RDONLY)",
      "open(\"/usr\", O_RDONLY | O_DIRECTORY)", "getrlimit(RLIMIT_DATA, (struct rlimit[1]){})",
      "raise(0)", "mprotect(mmap(0, 4096, 1, 34, -1, 0), 4096, 7)", "prctl(PR_SET_NAME, \"x\")",
      "pthread_create((pthread_t[1]){}, NULL, (void *(*)(void *))destroy, NULL)",
      "dlopen(\"libz.so.1\", RTLD_NOW) == NULL && dlopen(\"libm.so.6\", RTLD_NOW) == NULL ? -1 : 0",
    ])
    func staysAllowed(_ call: String) throws {
      #expect(try words(["TRIES=\(call)"]) == "plugin 'odd' succeeded")
    }

    /// Landlock does not reach threads that run already: then no file can be opened at all.
    @Test func threadsFromBeforeAreConfinedToo() throws {
      let waits = "pthread_create((pthread_t[1]){}, NULL, (void *(*)(void *))pause, NULL)"
      #expect(
        try words(["CONSTRUCTOR=\(waits)", "TRIES=open(\"/dev/null\", O_RDONLY)"])
          == "plugin 'odd' got error \(EACCES)")
    }

    @Test func memoryIsBounded() throws {
      #expect(try words(["EATS_MEMORY"]) == "plugin 'odd' was stopped")
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

    @Test func whatIsEnforcedIsFoundOutByTrying() {
      let report = host().isolation()
      #expect(report.enforced.contains("processes") && report.enforced.contains("no network"))
      #expect(report.missing.allSatisfy { $0.hasPrefix("Landlock: ") })
      let none = host(worker: "/nowhere/worker").isolation()
      #expect(none.enforced.isEmpty && none.summary.contains("could not be started"))
    }
  }
}
