import BLECapture
import BLECore
import BLEWire

/// The conversations of a logged device, link by link: requests with their responses, commands, and what the device said unasked.
///
/// Times are microseconds since the first link began; they never decrease.
struct LoggedTalk {
  struct Exchange {
    let request: [UInt8]
    var response: [UInt8]?
    let time: Int64
    let isEncrypted: Bool
    /// The MTU when the request was sent.
    let mtu: Int
  }

  enum Step {
    /// An index of `exchanges`.
    case exchange(Int)
    case command([UInt8], time: Int64, isEncrypted: Bool)
    case confirmation(time: Int64)
    case push([UInt8], time: Int64)
  }

  struct Link {
    let began: Int64
    /// When it ended, or when the log says something of it for the last time.
    var ended: Int64
    let encrypted: Int64?
    var steps: [Step] = []
  }

  private(set) var links: [Link] = []
  private(set) var exchanges: [Exchange] = []
  /// The number of responses to requests that the log does not contain.
  private(set) var strayResponses = 0
  /// The number of requests without a response.
  private(set) var unanswered = 0

  init(_ device: LoggedDevice) {
    let origin = device.links.first?.began.nanoseconds ?? 0
    func time(_ stamp: CaptureTimestamp, after earlier: Int64) -> Int64 {
      let (difference, overflow) = stamp.nanoseconds.subtractingReportingOverflow(origin)
      return max(earlier, overflow ? earlier : difference / 1_000)
    }
    var places: [Int: Int] = [:]
    var last: Int64 = 0
    for link in device.links {
      last = time(link.began, after: last)
      places[link.number] = links.count
      links.append(
        Link(began: last, ended: last, encrypted: link.encryptedAt.map { time($0, after: last) }))
    }
    var open: [Int?] = Array(repeating: nil, count: links.count)
    var mtus = Array(repeating: ClonedServer.leastMTU, count: links.count)
    for pdu in device.pdus {
      guard let place = places[pdu.link], let code = pdu.octets.first else { continue }
      let now = time(pdu.time, after: links[place].ended)
      links[place].ended = now
      let opcode = ATTOpcode(code)
      let isEncrypted = links[place].encrypted.map { $0 <= now } ?? false
      switch opcode.role {
      case .request:
        if open[place] != nil { unanswered += 1 }
        open[place] = exchanges.count
        links[place].steps.append(.exchange(exchanges.count))
        exchanges.append(Exchange(request: pdu.octets, time: now, isEncrypted: isEncrypted, mtu: mtus[place]))
      case .response:
        guard let index = open[place] else {
          strayResponses += 1
          continue
        }
        open[place] = nil
        exchanges[index].response = pdu.octets
        mtus[place] = Self.mtu(exchanges[index]) ?? mtus[place]
      case .command where !pdu.isFromDevice:
        links[place].steps.append(.command(pdu.octets, time: now, isEncrypted: isEncrypted))
      case .notification, .indication: links[place].steps.append(.push(pdu.octets, time: now))
      case .confirmation: links[place].steps.append(.confirmation(time: now))
      default: break
      }
    }
    unanswered += open.count { $0 != nil }
    for link in device.links {
      guard let ended = link.ended, let place = places[link.number] else { continue }
      links[place].ended = time(ended, after: links[place].ended)
    }
  }

  private static func mtu(_ exchange: Exchange) -> Int? {
    guard let response = exchange.response,
      case .exchangeMTURequest(let request)? = try? ATTClientPDU(exchange.request[...]),
      case .exchangeMTUResponse(let answer)? = try? ATTServerPDU(response[...])
    else { return nil }
    return max(ClonedServer.leastMTU, Int(min(request.clientRxMTU, answer.serverRxMTU)))
  }
}
