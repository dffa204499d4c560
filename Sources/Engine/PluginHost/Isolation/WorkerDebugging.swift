/// The environment variable that tells a worker not to confine itself, because it runs under a plugin author's debugger
/// or checker. Workers that are started normally never have the variable, because the host builds their environment.
package enum WorkerDebugging {
  package static let variable = "IMGHOST_WORKER_DEBUGGING"
}
