/// The variable that tells a worker that it runs under a debugger or checker of a plugin's author, so that it does not
/// confine itself. Workers that are started normally never have the variable, because the host builds their
/// environment.
package enum WorkerDebugging {
  package static let variable = "IMGHOST_WORKER_DEBUGGING"
}
