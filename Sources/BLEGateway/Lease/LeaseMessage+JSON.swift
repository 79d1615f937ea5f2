import BLEReports
import BLESession
import BLEText

/// Why a message on a topic of leases is ignored.
public struct LeaseMessageError: Error, Hashable, Sendable {
  /// What was expected and what was found; harmless for a terminal.
  public let message: String
}

extension LeaseMessage {
  /// Longer messages are not read.
  public static let longest = 8_192
  private static let format = "ble-gateway/1"

  /// Reads a message.
  /// - Parameter topic: where it was received: a message about another device or gateway than the topic's is refused.
  /// - Throws: if the payload is no message for this topic. Members that are not known are ignored.
  public init(_ payload: some Collection<UInt8>, on topic: LeaseTopic) throws(LeaseMessageError) {
    guard payload.count <= Self.longest else {
      throw LeaseMessageError(message: "expected at most \(Self.longest) octets, found \(payload.count)")
    }
    do throws(PositionedError) {
      let json = try PositionedJSONReader.read(octets: payload)
      var members = try ObjectReader(json, "a message of leases")
      let format = try members.required("format")
      guard format.content == .string(Self.format) else {
        throw PositionedError(
          format.position, "expected the format \"\(Self.format)\": another version has published this")
      }
      self = try Self.read(&members, on: topic)
    } catch {
      throw LeaseMessageError(message: "\(error.position.line):\(error.position.column): \(error.message)")
    }
  }

  private static func read(_ members: inout ObjectReader, on topic: LeaseTopic) throws(PositionedError) -> Self {
    switch topic {
    case .lease(let device):
      try require(device, "device", in: &members)
      return .lease(try lease(of: device, &members))
    case .offer(let device):
      try require(device, "device", in: &members)
      let candidate = try members.instance("gateway", "instance")
      let epoch = try members.integer("epoch", 2...Lease.greatestEpoch)
      guard let strength = try members.strength() else {
        throw PositionedError(TextPosition(), "an offer needs a strength")
      }
      return .offer(LeaseOffer(device: device, candidate: candidate, epoch: epoch, strength: strength))
    case .pulse(let gateway):
      try require(gateway, "gateway", in: &members)
      let sender = try members.instance("gateway", "instance")
      let number = try members.integer("number", 0...Lease.greatestEpoch)
      let isEnd = try members.required("end").boolean()
      return .pulse(GatewayPulse(sender: sender, number: number, isEnd: isEnd))
    }
  }

  private static func require(
    _ name: String, _ key: String, in members: inout ObjectReader
  ) throws(PositionedError) {
    let found = try members.required(key)
    guard found.content == .string(name) else {
      throw PositionedError(found.position, "expected the \(key) of the topic, \"\(name)\"")
    }
  }

  private static func lease(of device: String, _ members: inout ObjectReader) throws(PositionedError) -> Lease {
    var lease = Lease(
      device: device, holder: try members.instance("gateway", "instance"),
      epoch: try members.integer("epoch", 1...Lease.greatestEpoch),
      revision: try members.integer("revision", 1...Lease.greatestEpoch),
      phase: try members.required("phase").word("a phase of a lease"), expires: .zero)
    lease.expires = .milliseconds(Int64(try members.number("expires", 0.1...3_600) * 1_000))
    lease.strength = try members.strength()
    if let successor = try members.value("successor") {
      guard case .string(let text) = successor.content, let read = GatewayInstance(description: text) else {
        throw successor.expected("a gateway and its instance, such as \"hall/5f2c\"")
      }
      lease.successor = read
    }
    let subscriptions = try members.value("subscriptions")
    lease.subscriptions =
      try subscriptions?.list("a list of characteristics", 0...Lease.mostSubscriptions) {
        (entry) throws(PositionedError) in
        try entry.text(longest: Lease.longestSubscription, "a characteristic's path")
      } ?? []
    if try members.value("last") != nil { lease.last = try members.integer("last", 0...Lease.greatestEpoch) }
    return lease
  }

  /// The message as it is published, on one line.
  public var payload: String { json.text }

  package var json: JSONValue {
    switch self {
    case .lease(let lease):
      [
        "format": .string(Self.format), "device": .string(lease.device), "gateway": .string(lease.holder.gateway),
        "instance": .string(lease.holder.instance), "epoch": .integer(lease.epoch),
        "revision": .integer(lease.revision), "phase": .string(lease.phase.rawValue),
        "expires": .number(lease.expires.seconds), "strength": lease.strength.map(Self.decibels) ?? .null,
        "successor": .string(orNull: lease.successor?.description),
        "subscriptions": .array(lease.subscriptions.map(JSONValue.string)),
        "last": lease.last.map(JSONValue.integer) ?? .null,
      ]
    case .offer(let offer):
      [
        "format": .string(Self.format), "device": .string(offer.device),
        "gateway": .string(offer.candidate.gateway), "instance": .string(offer.candidate.instance),
        "epoch": .integer(offer.epoch), "strength": Self.decibels(offer.strength),
      ]
    case .pulse(let pulse):
      [
        "format": .string(Self.format), "gateway": .string(pulse.sender.gateway),
        "instance": .string(pulse.sender.instance), "number": .integer(pulse.number), "end": .bool(pulse.isEnd),
      ]
    }
  }

  /// With one decimal: smoothed values have many that mean nothing.
  private static func decibels(_ strength: Double) -> JSONValue { .number((strength * 10).rounded() / 10) }
}

extension GatewayInstance {
  /// Reads `hall/5f2c`.
  init?(description text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(gateway: String(parts[0]), instance: String(parts[1]))
  }
}
