import Dispatch

/// Runs `body` on the main queue, after what was put there before; with a delay in seconds if one is given.
func onMain(after seconds: Double? = nil, _ body: @escaping @Sendable @MainActor () -> Void) {
  let work: @Sendable () -> Void = { MainActor.assumeIsolated(body) }
  guard let seconds else { return DispatchQueue.main.async(execute: work) }
  DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: work)
}
