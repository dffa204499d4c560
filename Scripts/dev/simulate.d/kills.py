"""Runs that are killed, each followed by checks, and resumed. See Scripts/dev/simulate."""

import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import time

import common
from common import Failure
from workload import Workload

# The number of kills in one folder, which form a round. A round depends only on its number.
KILLS_OF_A_ROUND = 10
CALLS = {
    "renameat": 40, "renameat2": 6, "mkdirat": 12, "unlinkat": 10, "write": 60, "ftruncate": 3, "flock": 40, "fsync": 20,
    "fdatasync": 20, "openat": 60, "openat2": 30, "close": 60, "fcntl": 40, "copy_file_range": 8,
}


class Round(Workload):
    def killed(self, length):
        """Starts a run and kills it at a random time or system call. Returns false if it had already ended."""
        call, wait = None, 0
        if self.draw.random() < 0.5 and shutil.which("strace"):
            name = self.draw.choice(sorted(CALLS))
            call = name, self.draw.randrange(1, CALLS[name])
        else:
            wait = self.draw.random() * length
        return common.kill(self.command(), self.folder, self.environment, call, wait) == -signal.SIGKILL

    def play(self, kills):
        done = 0
        self.edit(1)
        # Half of the rounds begin with nothing, the others with files of an earlier version.
        versions = []
        began = time.monotonic()
        if self.draw.random() < 0.5:
            self.expect(self.run(self.command()), "the first run")
            versions = [1]
            self.edit(2)
        self.leave_a_strangers_file()
        length = max(0.1, time.monotonic() - began) / 2
        tries = 0
        while done < kills:
            tries += 1
            if tries > 40 * KILLS_OF_A_ROUND:
                raise Failure("only %d of %d runs could be killed" % (done, kills))
            is_killed = self.killed(length)
            done += is_killed
            files = self.files()
            self.check_whole(files, versions + [self.version], may_lack=not versions)
            if is_killed and self.draw.random() < 0.8:
                continue
            # Running the script again resumes the killed run. After that, a new version is made.
            self.finish()
            versions = [self.version]
            self.edit(self.version + 1)
        self.finish()
        return done

    def finish(self):
        self.expect(self.run(self.command()), "the resumed run")
        self.check_final(self.files())


def play(seed, kills, programs, keeps):
    round = Round(seed, programs, pictures=5)
    try:
        done = round.play(kills)
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        problem = "%s%s" % (failure, " (kept in %s)" % round.folder if keeps else "")
        if not keeps:
            round.close()
        return 0, problem
    round.close()
    return done, None


def main():
    options = common.arguments("simulate --kills", 1000, "--keep")
    rounds = [
        (options.seed + index, min(KILLS_OF_A_ROUND, options.count - index * KILLS_OF_A_ROUND))
        for index in range((options.count + KILLS_OF_A_ROUND - 1) // KILLS_OF_A_ROUND)]
    killed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda round: (round, play(*round, options.programs, options.keep)), rounds)
        for (seed, kills), (done, problem) in results:
            killed += done
            if problem:
                failed += 1
                print("round %d: %s; again: simulate --kills %d --seed %d" % (seed, problem, kills, seed), flush=True)
    print("%d runs killed in %d rounds, %d failed" % (killed, len(rounds), failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
