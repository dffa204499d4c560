"""Work for several processes."""

import os
import resource


def share(items, work, processes, finish=None):
    """Each process takes the next item as soon as it is free. Prints the sum of their peak sizes.

    `finish` is called at the end, in the first of them.
    """
    queue, end = os.pipe()
    os.write(end, b"".join(index.to_bytes(4, "big") for index in range(len(items))))
    os.close(end)
    children = []
    for _ in range(processes - 1):
        child = os.fork()
        if child == 0:
            children = None
            break
        children.append(child)
    while index := os.read(queue, 4):
        work(items[int.from_bytes(index, "big")])
    if children is None:
        os._exit(0)
    peak = 0
    for child in children:
        _, status, usage = os.wait4(child, 0)
        if status != 0:
            raise ChildProcessError(f"a worker ended with status {status}")
        peak += usage.ru_maxrss
    if finish:
        finish()
    peak += resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print("peak-bytes", peak * 1024)
