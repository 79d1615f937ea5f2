import Dispatch
import Glibc
import Testing

@testable import BLETransports

@Suite("Listening sockets")
struct StreamListenerTests {
  /// The queue closes the descriptor in a job of its own, after the one that runs here.
  @Test("I12.5 a listener that was closed refuses clients at once, also at another name of its file")
  func closed() throws {
    let (folder, queue) = (try TemporaryFolder(), DispatchQueue(label: "listener"))
    let results = try queue.sync {
      let listener = try StreamListener(path: folder.path("socket"), on: queue) { _ in }
      #expect(link(folder.path("socket"), folder.path("other")) == 0)
      let before = Self.connects(to: folder.path("other"))
      listener.close()
      return [before, Self.connects(to: folder.path("other"))]
    }
    #expect(results == [0, ECONNREFUSED])
    withExtendedLifetime(folder) {}
  }

  /// Connects and disconnects: 0 or the error.
  private static func connects(to path: String) -> Int32? {
    guard let address = SocketAddress(path: path), let socket = address.makeSocket() else { return nil }
    return address.withPointer { connect(socket.number, $0, $1) == 0 ? 0 : errno }
  }
}
