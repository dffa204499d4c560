/// The variable that informs a worker that it runs under a debugger or checker of a plugin's author. It does not
/// confine itself then. Workers that are started normally never have the variable, because the host builds their
/// environment.
package enum WorkerDebugging {
  package static let variable = "IMGHOST_WORKER_DEBUGGING"
}
