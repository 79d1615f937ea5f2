import BLEAdapter
import BLECore
import Dispatch
import Synchronization
import Testing

@testable import BLEBlueZ

/// Records the callbacks of a central and its links, a line each, and lets a test wait for a line.
///
/// `@unchecked Sendable`: `links` is touched on the loop only, the rest is behind its mutex.
final class CentralRecorder: CentralEvents, PeerLinkEvents, @unchecked Sendable {
  private struct State {
    var lines: [String] = []
    var waiters: [(number: Int, isMet: ([String]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = []
    var next = 0
  }

  /// A test that waits longer than this fails: it is a guard, and no measurement.
  private static let limit = DispatchTimeInterval.seconds(120)

  private let state = Mutex(State())
  private(set) var links: [PeerIdentifier: any PeerLink] = [:]
  private(set) var discoveries: [DiscoveryEvent] = []
  /// Called with each line, on the loop.
  var reaction: ((String) -> Void)?

  var lines: [String] { state.withLock { $0.lines } }

  func note(_ line: String) {
    let met = state.withLock { state in
      state.lines.append(line)
      let met = state.waiters.filter { $0.isMet(state.lines) }
      state.waiters.removeAll { waiter in met.contains { $0.number == waiter.number } }
      return met.map(\.continuation)
    }
    for continuation in met { continuation.resume(returning: true) }
    reaction?(line)
  }

  /// Waits until `line` was recorded `count` times.
  func wait(for line: String, count: Int = 1, _ location: SourceLocation = #_sourceLocation) async {
    let isMet: @Sendable ([String]) -> Bool = { lines in lines.filter { $0 == line }.count >= count }
    let isThere = await withCheckedContinuation { continuation in
      let number: Int? = state.withLock { state in
        if isMet(state.lines) { return nil }
        state.next += 1
        state.waiters.append((state.next, isMet, continuation))
        return state.next
      }
      guard let number else { return continuation.resume(returning: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { [self] in giveUp(number) }
    }
    if !isThere { Issue.record("'\(line)' was not told \(count) times: \(lines)", sourceLocation: location) }
  }

  private func giveUp(_ number: Int) {
    let late = state.withLock { state in
      let late = state.waiters.first { $0.number == number }
      state.waiters.removeAll { $0.number == number }
      return late
    }
    late?.continuation.resume(returning: false)
  }

  func central(didUpdateState state: AdapterState) { note("state \(state)") }
  func central(didDiscover discovery: DiscoveryEvent) {
    discoveries.append(discovery)
    note("found \(discovery.name ?? "-") \(discovery.rssi)")
  }
  func central(didConnect peer: KnownPeer, link: any PeerLink) {
    links[peer.identifier] = link
    link.events = self
    note("connected \(peer.address)")
  }
  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason) { note("failed \(reason)") }
  func central(didDisconnect peer: PeerIdentifier, reason: EndReason) { note("disconnected \(reason)") }
  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID]) {
    note("link \(isConnected ? "up" : "down") \(services.map(\.description).joined(separator: ","))")
  }

  func link(_ link: any PeerLink, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool {
    note("value \(handle) \(value.hexadecimal)")
    return true
  }
  func link(_ link: any PeerLink, didInvalidateServicesIn handles: ClosedRange<AttributeHandle>) {
    note("invalidated \(handles.lowerBound)...\(handles.upperBound)")
  }
  func link(_ link: any PeerLink, didUpdateName name: String) { note("name \(name)") }
  func link(_ link: any PeerLink, didUpdateMaximumTransmissionUnit octets: Int) { note("mtu \(octets)") }
}
