import BLESession
import Glibc

/// A server whose certificate can be replaced while it serves.
///
/// libmicrohttpd has one certificate for as long as a server runs. So another server takes over the listening socket, and
/// the former one keeps its connections until they end. At most two exist: where a third begins, the first is stopped, and
/// browsers that still followed its events come again with the number of their last one.
final class RenewedServer: Sendable {
  typealias Make = @Sendable (_ listener: Int32, WebServer.Identity?) throws(WebError) -> WebServer

  private struct State {
    var current: WebServer
    var former: WebServer?
    var identity: WebServer.Identity?
    var isStopped = false
  }

  /// Each server has a copy, which it closes.
  private let listener: Int32
  private let make: Make
  private let state: Guarded<State>

  /// Takes over the listener, also where it throws.
  init(listener: Int32, identity: WebServer.Identity?, make: @escaping Make) throws(WebError) {
    do throws(WebError) {
      state = Guarded(State(current: try make(Self.copy(of: listener), identity), identity: identity))
    } catch {
      close(listener)
      throw error
    }
    self.listener = listener
    self.make = make
  }

  deinit { close(listener) }

  private static func copy(of listener: Int32) throws(WebError) -> Int32 {
    let copy = fcntl(listener, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .listen(errno) }
    return copy
  }

  /// - Throws: `WebError`; then all is as it was.
  func renew(_ identity: WebServer.Identity) throws(WebError) {
    if state.with({ $0.identity == identity }) { return }
    let new = try make(Self.copy(of: listener), identity)
    let ended: WebServer? = state.with { state in
      if state.isStopped { return new }
      state.current.leave()
      let first = state.former
      (state.former, state.current, state.identity) = (state.current, new, identity)
      return first
    }
    // Not in the lock: it waits for the server's thread.
    ended?.stop()
  }

  func stop() {
    let all = state.with { state in
      state.isStopped = true
      return [state.former, state.current]
    }
    for server in all { server?.stop() }
  }
}
