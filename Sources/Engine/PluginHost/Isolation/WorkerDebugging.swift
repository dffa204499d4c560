/// The sign by which a worker knows that it runs under a debugger or checker of a plugin's author. It confines itself to
/// nothing then. Workers that are started otherwise never get the variable, because their environment is made for them.
package enum WorkerDebugging {
  package static let variable = "IMGHOST_WORKER_DEBUGGING"
}
