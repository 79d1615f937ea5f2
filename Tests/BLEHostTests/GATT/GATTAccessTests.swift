import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// Every way to access an attribute against every requirement and every state of a link.
@Suite struct GATTAccessTests {
  private static let links: [LinkSecurity] = [
    .open, LinkSecurity(isBonded: true),
    LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true), LinkSecurity(isEncrypted: true, keySize: 7),
    LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16),
    LinkSecurity(isEncrypted: true, isAuthenticated: true, usesSecureConnections: true, keySize: 16),
    LinkSecurity(
      isEncrypted: true, isAuthenticated: true, usesSecureConnections: true, keySize: 16, isAuthorized: true),
  ]

  private static let demands: [AccessRequirement?] = [
    nil, .open, AccessRequirement(.encryption), AccessRequirement(.encryption, minimumKeySize: 16),
    AccessRequirement(.authentication), AccessRequirement(.secureConnections),
    AccessRequirement(.none, needsAuthorization: true), AccessRequirement(.secureConnections, needsAuthorization: true),
  ]

  /// The specification's error for a requirement on a link (Core, Vol 3 Part C 10.3.1); 0: none.
  private static func expected(_ demand: AccessRequirement?, _ link: LinkSecurity, denied: UInt8) -> UInt8 {
    guard let demand else { return denied }
    if demand.security != .none, !link.isEncrypted { return link.isBonded ? 0x0F : 0x05 }
    if demand.security == .authentication, !link.isAuthenticated { return 0x05 }
    if demand.security == .secureConnections, !(link.isAuthenticated && link.usesSecureConnections) { return 0x05 }
    if demand.security != .none, link.keySize < demand.minimumKeySize { return 0x0C }
    if demand.needsAuthorization, !link.isAuthorized { return 0x08 }
    return 0
  }

  private static func makeServer(_ permissions: AttributePermissions) -> GATTServer {
    let server = GATTServer()
    server.database.place([
      Attribute(handle: .first, type: GATTType.deviceName, permissions: permissions, content: .value([1, 2])),
      Attribute(
        handle: AttributeHandle(2), type: GATTType.appearance,
        permissions: AttributePermissions(read: .open, write: .open), content: .value([3])),
    ])
    return server
  }

  @Test("A9 every way to read checks permission, security, key size and authorization")
  func everyWayToReadChecksPermission() {
    let ways = [
      ("0a", "0a0100"), ("0c", "0c01000000"), ("08", "080100ffff002a"), ("0e", "0e02000100"), ("20", "2002000100"),
    ]
    for demand in Self.demands {
      for security in Self.links {
        for (opcode, request) in ways {
          let client = RawClient(Self.makeServer(AttributePermissions(read: demand, write: .open)))
          client.link.security = security
          let code = Self.expected(demand, security, denied: 0x02)
          let answer = client.ask(request)
          if code == 0 {
            #expect(answer.first?.hasPrefix("01") == false, "\(request) \(String(describing: demand)) \(security)")
          } else {
            #expect(answer == ["01" + opcode + "0100" + [code].hexadecimal], "\(request) \(security)")
          }
        }
      }
    }
  }

  @Test("A9 every way to write checks permission, security, key size and authorization")
  func everyWayToWriteChecksPermission() {
    for demand in Self.demands {
      for security in Self.links {
        let code = Self.expected(demand, security, denied: 0x03)
        for (opcode, request) in [("12", "12010009"), ("16", "160100000009")] {
          let server = Self.makeServer(AttributePermissions(read: .open, write: demand))
          let client = RawClient(server)
          client.link.security = security
          let answer = client.ask(request)
          if code == 0 {
            #expect(answer.first?.hasPrefix("01") == false, "\(request) \(security)")
          } else {
            #expect(answer == ["01" + opcode + "0100" + [code].hexadecimal], "\(request) \(security)")
          }
          #expect(client.ask("1801") == ["19"])
          #expect(server.database[.first]?.isWritten == (code == 0), "\(request) \(security)")
        }
        let server = Self.makeServer(AttributePermissions(read: .open, write: demand))
        let client = RawClient(server)
        client.link.security = security
        #expect(client.ask("52010009") == [])
        #expect(server.database[.first]?.isWritten == (code == 0), "\(security)")
      }
    }
  }

  @Test("A9 a queue is checked again when it is executed")
  func aQueueIsCheckedAgainWhenItIsExecuted() {
    let server = Self.makeServer(AttributePermissions(read: .open, write: AccessRequirement(.encryption)))
    let client = RawClient(server)
    client.link.security = LinkSecurity(isEncrypted: true, keySize: 16)
    #expect(client.ask("160100000009") == ["170100000009"])
    client.link.security = .open
    #expect(client.ask("1801") == ["0118010005"])
    #expect(server.database[.first]?.isWritten == false)
  }

  enum Change: CaseIterable { case removed, replaced, unencrypted, storedAnew }

  /// A client writes a value of one service and subscribes in another one, in one queue. The other service changes while the program
  /// of the first is asked.
  @Test(
    "A9 I13.3 what a queue still has to write is checked again when the program has answered",
    arguments: Change.allCases)
  func aQueueIsCheckedAgainAfterTheProgramsAnswer(change: Change) throws {
    let server = GATTServer()
    let application = TestApplication()
    application.server = server
    application.answersAtOnce = false
    func publish(_ number: UInt32, _ properties: UInt8, _ subscription: SecurityDemand = .none) -> PublishedService? {
      let reliable = LocalDescriptor(uuid: GATTType.characteristicExtendedProperties, value: [1, 0])
      let characteristic = LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: number), uuid: BLEUUID(0xB000), properties: properties,
        permissions: LocalPermissions(write: SecurityDemand.none), subscription: subscription, value: nil,
        descriptors: [reliable])
      return server.publish(
        LocalService(uuid: BLEUUID(0xA000), isPrimary: true, characteristics: [characteristic]),
        application: application)
    }
    // 1 to 4: service, characteristic, value, extended properties. 5 to 9: another one, with a configuration at 8.
    _ = publish(1, 0x88)
    let other = try #require(publish(2, 0x90, change == .unencrypted ? .encryption : .none))
    let client = RawClient(server)
    client.link.security = LinkSecurity(isEncrypted: change == .unencrypted, keySize: 16)
    #expect(client.ask("1603000000aa") == ["1703000000aa"])
    #expect(client.ask("16080000000100") == ["17080000000100"])
    #expect(client.ask("1801") == [])
    switch change {
    case .removed: server.remove(other)
    case .replaced:
      server.remove(other)
      #expect(publish(3, 0x90, .encryption)?.handles == other.handles)
    case .unencrypted: client.link.security = .open
    case .storedAnew:
      server.remove(other)
      server.database.place([
        Attribute(
          handle: AttributeHandle(8), type: GATTType.clientCharacteristicConfiguration, permissions: .readable,
          content: .value([7]))
      ])
    }
    application.answer(try #require(application.writes.first))
    let code = [Change.removed: "01", .replaced: "05", .unencrypted: "05", .storedAnew: "03"][change] ?? ""
    #expect(client.channel.take().map(\.hexadecimal) == ["01180800" + code])
    #expect(client.link.configuration(of: AttributeHandle(7)) == [] && application.subscriptions.isEmpty)
    if change == .storedAnew { #expect(client.ask("0a0800") == ["0b07"]) }
  }

  @Test("A9 finding by value does not reveal values that may not be read")
  func findingByValueDoesNotRevealValues() {
    let client = RawClient(Self.makeServer(AttributePermissions(read: AccessRequirement(.encryption))))
    #expect(client.ask("060100ffff002a0102") == ["010601000a"])
    client.link.security = LinkSecurity(isEncrypted: true, keySize: 16)
    #expect(client.ask("060100ffff002a0102") == ["0701000100"])
  }

  @Test("A9 an attribute that may not be read ends a list, and is an error where it is the first")
  func anAttributeThatMayNotBeReadEndsAList() {
    let server = GATTServer()
    let hidden = AttributePermissions(read: AccessRequirement(.encryption))
    for (handle, permissions) in [(1, .readable), (2, hidden), (3, .readable)] as [(UInt16, AttributePermissions)] {
      server.database.place([
        Attribute(
          handle: AttributeHandle(handle), type: GATTType.deviceName, permissions: permissions,
          content: .value([UInt8(handle)]))
      ])
    }
    let client = RawClient(server)
    #expect(client.ask("080100ffff002a") == ["0903010001"])
    #expect(client.ask("080200ffff002a") == ["0108020005"])
    #expect(client.ask("080300ffff002a") == ["0903030003"])
  }

  @Test("A9 subscribing requires the service's security")
  func subscribingRequiresTheServicesSecurity() {
    let server = GATTServer()
    let application = TestApplication()
    let characteristic = LocalCharacteristic(
      identifier: LocalCharacteristicIdentifier(rawValue: 1), uuid: BLEUUID(0x2A37), properties: 0x10,
      permissions: LocalPermissions(), subscription: .encryption, value: nil)
    _ = server.publish(
      LocalService(uuid: BLEUUID(0x180D), isPrimary: true, characteristics: [characteristic]), application: application)
    let client = RawClient(server)
    #expect(client.ask("1204000100") == ["0112040005"])
    client.link.security = LinkSecurity(isEncrypted: true, keySize: 16)
    #expect(client.ask("1204000100") == ["13"])
  }

  @Test("accesses that the properties do not offer are refused without asking the program")
  func accessesThatThePropertiesDoNotOfferAreRefused() {
    let server = GATTServer()
    let application = TestApplication()
    application.server = server
    let permissions = LocalPermissions(read: SecurityDemand.none, write: SecurityDemand.none)
    let characteristics = [0x02, 0x04, 0x08].enumerated().map { index, properties in
      LocalCharacteristic(
        identifier: LocalCharacteristicIdentifier(rawValue: UInt32(index)), uuid: BLEUUID(0x2A37),
        properties: UInt8(properties), permissions: permissions, value: nil)
    }
    _ = server.publish(
      LocalService(uuid: BLEUUID(0x180D), isPrimary: true, characteristics: characteristics), application: application)
    let client = RawClient(server)
    #expect(client.ask("12030001") == ["0112030003"])
    #expect(client.ask("52030001") == [])
    #expect(client.ask("0a0500") == ["010a050002"])
    #expect(client.ask("12050001") == ["0112050003"])
    #expect(client.ask("160500000001") == ["0116050003"])
    #expect(client.ask("52070001") == [])
    #expect(application.writes.isEmpty && application.reads.isEmpty)
    #expect(client.ask("52050001") == [])
    #expect(client.ask("12070001") == ["13"])
    #expect(application.writes.count == 2)
  }
}

extension Attribute {
  /// Whether the value that the tests write has arrived.
  fileprivate var isWritten: Bool {
    if case .value([9]) = content { true } else { false }
  }
}
