import BLECore
import BLESession
import BLETransports

/// Where the controller listens: `tcp-server:127.0.0.1:0` or `unix-server:/run/ble`.
struct ControllerEndpoint: Equatable, Sendable {
  enum Place: Equatable, Sendable {
    case tcp(host: String, port: UInt16)
    case unix(path: String)
  }

  let place: Place

  /// Whether only programs of this machine can connect.
  var isLocal: Bool {
    switch place {
    case .unix: true
    case .tcp(let host, _): host == "localhost" || host == "::1" || Self.isLoopback(host)
    }
  }

  /// 127.0.0.0/8, written in full.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
  }

  func server(allowsRemote: Bool) -> H4Server.Endpoint {
    switch place {
    case .tcp(let host, let port): .tcp(host: host, port: port, allowsRemote: allowsRemote)
    case .unix(let path): .unix(path: path)
    }
  }

  /// The endpoint's name for listening and for connecting, with the port that the system assigned.
  func names(port given: UInt16?) -> (listen: String, connect: String) {
    switch place {
    case .tcp(let host, let port):
      let rest = "\(host):\(given ?? port)"
      return ("tcp-server:\(rest)", "tcp-client:\(rest)")
    case .unix(let path): return ("unix-server:\(path)", "unix-client:\(path)")
    }
  }
}

extension ControllerEndpoint: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count == 2 ? String(parts[1]) : ""
    switch parts.first {
    case "tcp-server":
      guard let colon = rest.lastIndex(of: ":"), let port = UInt16(rest[rest.index(after: colon)...]) else {
        throw ArgumentValueError("expected tcp-server:<host>:<port>")
      }
      // An IPv6 address may be in brackets.
      let host = rest[..<colon].trimmingPrefix("[")
      let plain = host.hasSuffix("]") ? host.dropLast() : host
      guard !plain.isEmpty else { throw ArgumentValueError("expected tcp-server:<host>:<port>") }
      place = .tcp(host: String(plain), port: port)
    case "unix-server":
      guard !rest.isEmpty else { throw ArgumentValueError("expected unix-server:<path>") }
      place = .unix(path: rest)
    default:
      let suggestion = Suggestion.sentence(
        for: parts.first.map(String.init) ?? "", among: ["tcp-server", "unix-server"])
      throw ArgumentValueError("expected tcp-server:<host>:<port> or unix-server:<path>\(suggestion)")
    }
  }
}
