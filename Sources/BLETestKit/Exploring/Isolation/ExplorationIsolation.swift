/// Where the worlds of an exploration run.
public enum ExplorationIsolation: String, Codable, Sendable {
  /// In processes of their own, as many as the machine has processors: a body that traps, does not end or fills the memory ends its
  /// process only, and is a failure of its world.
  ///
  /// Such a process runs the same test from its beginning up to this call of `explore`, and then worlds one after another. What a
  /// body changes outside of its world is therefore not seen by the test, and what stands before the call in the test is executed
  /// in each process. What a body prints is not shown; where its process ends, its last lines on standard error are in the failure.
  ///
  /// Where no test of swift-testing runs, or the process cannot be started again, worlds run as with `none`, and
  /// `Exploration.isolationRemark` says why.
  case processes
  /// In the process of the test, on all processors: for debuggers and sanitizers. A body that traps ends the test.
  case none
}
