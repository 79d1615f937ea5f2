import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// Every way to access an attribute, every requirement, every state of a link: the exact error, or none (Core, Vol 3 Part C 10.3.1).
@Suite("Access matrix")
struct AccessMatrix {
  private static let requirements: [AccessRequirement?] =
    [nil]
    + [AccessRequirement.Security.none, .encryption, .authentication, .secureConnections].flatMap { security in
      [false, true].flatMap { needsAuthorization in
        [7, 16].map { size in
          AccessRequirement(security, needsAuthorization: needsAuthorization, minimumKeySize: UInt8(size))
        }
      }
    }

  private static let links: [LinkSecurity] =
    [LinkSecurity(), LinkSecurity(isBonded: true), LinkSecurity(isAuthorized: true)]
    + [false, true].flatMap { isAuthenticated in
      [false, true].flatMap { usesSecureConnections in
        [7, 16].flatMap { size in
          [false, true].map { isAuthorized in
            LinkSecurity(
              isEncrypted: true, isAuthenticated: isAuthenticated, usesSecureConnections: usesSecureConnections,
              keySize: UInt8(size), isBonded: true, isAuthorized: isAuthorized)
          }
        }
      }
    }

  /// The specification's requirements, in its order.
  private static func expected(_ requirement: AccessRequirement?, _ link: LinkSecurity, isRead: Bool) -> UInt8? {
    guard let requirement else { return isRead ? 0x02 : 0x03 }
    if requirement.security != .none {
      if !link.isEncrypted { return link.isBonded ? 0x0F : 0x05 }
      if requirement.security != .encryption && !link.isAuthenticated { return 0x05 }
      if requirement.security == .secureConnections && !link.usesSecureConnections { return 0x05 }
      if link.keySize < requirement.minimumKeySize { return 0x0C }
    }
    return requirement.needsAuthorization && !link.isAuthorized ? 0x08 : nil
  }

  private static let value = AttributeHandle(0x0003)
  private static let configuration = AttributeHandle(0x0004)

  private final class Channel: ATTChannel {
    let headroom = 0
    let isCongested = false
    var sent: [[UInt8]] = []
    func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) {
      self.sent.append(pdu.octets)
      sent?()
    }
  }

  /// A client, and the server that it talks to.
  private struct Client {
    let channel: Channel
    let bearer: ATTBearer
    let link: GATTServerLink
    let server: GATTServer

    /// The value that the server holds.
    var value: [UInt8]? {
      guard case .value(let value)? = server.database[AccessMatrix.value]?.content else { return nil }
      return value
    }
  }

  private static func client(_ requirement: AccessRequirement?, _ link: LinkSecurity) -> Client {
    let server = GATTServer()
    server.database.place([
      Attribute(
        handle: .first, type: BLEUUID(0x2800), permissions: .readable, content: .value([0x30, 0xFF]),
        groupEnd: configuration),
      Attribute(
        handle: AttributeHandle(2), type: BLEUUID(0x2803), permissions: .readable,
        content: .value([0x5E, 3, 0, 0x31, 0xFF])),
      Attribute(
        handle: value, type: BLEUUID(0xFF31),
        permissions: AttributePermissions(read: requirement, write: requirement), content: .value(Array("secret".utf8))),
      Attribute(
        handle: configuration, type: BLEUUID(0x2902),
        permissions: AttributePermissions(read: .open, write: requirement),
        content: .clientConfiguration(of: value, offers: [.notification, .indication])),
    ])
    let channel = Channel()
    let bearer = ATTBearer(loop: VirtualLoop(), channel: channel)
    let serverLink = server.makeLink(on: bearer)
    serverLink.security = link
    return Client(channel: channel, bearer: bearer, link: serverLink, server: server)
  }

  @Test(
    "A9 each request is refused with exactly the right error, or served",
    arguments: [
      ("0a0300", true), ("0c03000000", true), ("0e03000300", true), ("2003000300", true), ("080100ffff31ff", true),
      ("12030061", false), ("1603000000" + "61", false), ("1204000100", false),
    ])
  func requests(_ pdu: String, isRead: Bool) throws {
    var served = 0
    var refused: [UInt8: Int] = [:]
    let octets = try #require([UInt8](hexadecimal: pdu))
    for requirement in Self.requirements {
      for link in Self.links {
        let client = Self.client(requirement, link)
        client.bearer.receive(octets[...])
        let answer = try #require(client.channel.sent.last)
        if let code = Self.expected(requirement, link, isRead: isRead) {
          let handle = pdu.hasPrefix("1204") ? Self.configuration : Self.value
          #expect(
            answer == [0x01, octets[0], UInt8(handle.rawValue), 0, code], "\(String(describing: requirement)) \(link)")
          #expect(client.channel.sent.count == 1)
          refused[code, default: 0] += 1
        } else {
          #expect(answer.first == octets[0] + 1, "\(String(describing: requirement)) \(link)")
          served += 1
        }
      }
    }
    #expect(served > 0)
    #expect(Set(refused.keys) == [isRead ? 0x02 : 0x03, 0x05, 0x08, 0x0C, 0x0F])
  }

  @Test("A9 an execute is refused where the link has lost the security that the prepared write had")
  func execute() {
    for requirement in Self.requirements {
      for link in Self.links {
        guard Self.expected(requirement, link, isRead: false) == nil else { continue }
        let client = Self.client(requirement, link)
        client.bearer.receive([0x16, 3, 0, 0, 0, 0x61])
        client.link.security = .open
        client.bearer.receive([0x18, 0x01])
        if let code = Self.expected(requirement, .open, isRead: false) {
          #expect(client.channel.sent.last == [0x01, 0x18, 3, 0, code])
          #expect(client.value == Array("secret".utf8))
        } else {
          #expect(client.channel.sent.last == [0x19])
        }
      }
    }
  }

  @Test(
    "A9 commands that are not allowed change nothing and get no answer, whether unsigned or badly signed"
  )
  func commands() {
    for requirement in Self.requirements {
      for link in Self.links {
        let isAllowed = Self.expected(requirement, link, isRead: false) == nil
        for command in [[0x52, 3, 0, 0x61], [0xD2, 3, 0, 0x61] + [UInt8](repeating: 0, count: 12)] as [[UInt8]] {
          let client = Self.client(requirement, link)
          client.bearer.receive(command[...])
          #expect(client.channel.sent.isEmpty)
          let isChanged = client.value != Array("secret".utf8)
          #expect(isChanged == (isAllowed && command[0] == 0x52))
        }
      }
    }
  }

  @Test("A9 a value is notified and indicated only over a link that may subscribe to it now")
  func updates() {
    for requirement in Self.requirements {
      for link in Self.links {
        guard requirement != nil, Self.expected(requirement, link, isRead: false) == nil else { continue }
        for (bits, opcode) in [(1, 0x1B), (2, 0x1D)] as [(UInt8, UInt8)] {
          let client = Self.client(requirement, link)
          client.bearer.receive([0x12, 4, 0, bits, 0])
          #expect(client.channel.sent.last == [0x13])
          #expect(client.link.update(Self.value, [0x61]))
          #expect(client.channel.sent.last == [opcode, 3, 0, 0x61])
          client.channel.sent = []
          client.link.security = .open
          let isOpen = Self.expected(requirement, .open, isRead: false) == nil
          #expect(client.link.update(Self.value, [0x62]) == isOpen)
          #expect(client.channel.sent.contains { $0.first == 0x1B } == (isOpen && bits == 1))
        }
      }
    }
  }

  @Test("A9 a search by type reveals nothing of a value that may not be read")
  func comparison() {
    // Find By Type Value for the value itself.
    let client = Self.client(AccessRequirement(.encryption), .open)
    client.bearer.receive([0x06, 1, 0, 0xFF, 0xFF, 0x31, 0xFF] + Array("secret".utf8)[...])
    #expect(client.channel.sent.last == [0x01, 0x06, 1, 0, 0x0A])
  }
}
