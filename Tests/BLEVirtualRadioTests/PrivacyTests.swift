import BLECore
import BLECrypto
import BLEVirtualRadio
import BLEWire
import Testing

@Suite("Privacy")
struct PrivacyTests {
  private static let centralKey = HCISecret((1...16).map { UInt8($0) })
  private static let peripheralKey = HCISecret((101...116).map { UInt8($0) })
  private static let noKey = HCISecret([UInt8](repeating: 0, count: 16))

  private static func resolver(_ key: HCISecret) -> IdentityResolver {
    IdentityResolver(irk: SecretKey(leastSignificantFirst: key.octets))
  }

  /// Two devices that have each other's keys.
  private static func acquainted(seed: UInt64 = 1) throws -> TestPair {
    let pair = try TestPair(seed: seed)
    for host in [pair.central, pair.peripheral] { host.send(LESetRandomAddress(address: host.address)) }
    pair.central.addToResolvingList(pair.peripheral.address, peerKey: peripheralKey, localKey: centralKey)
    pair.peripheral.addToResolvingList(pair.central.address, peerKey: centralKey, localKey: peripheralKey)
    pair.central.resolve()
    pair.peripheral.resolve()
    return pair
  }

  private static func identity(_ host: TestHost) -> HCIAddress {
    HCIAddress(type: .randomIdentity, value: host.address.value)
  }

  @Test(
    "a private advertiser is reported under its identity to hosts with its key, otherwise under its private address",
    arguments: [false, true])
  func reports(isExtended: Bool) async throws {
    let pair = try Self.acquainted()
    let stranger = try TestHost(pair.air, loop: pair.loop, 3)
    stranger.start()
    pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: isExtended)
    pair.central.startScan(isExtended: isExtended)
    stranger.startScan(isExtended: isExtended)
    await pair.run(.seconds(1))
    let known = Set(pair.central.reportedAddresses)
    #expect(known == [Self.identity(pair.peripheral)])
    let unknown = Set(stranger.reportedAddresses)
    let seen = try #require(unknown.first)
    #expect(unknown.count == 1 && seen.type == .random)
    #expect(Self.resolver(Self.peripheralKey).resolves(seen.address))
    // Without resolution the address is reported as it is.
    pair.central.stopScan(isExtended: isExtended)
    pair.central.resolve(false)
    pair.central.forget()
    pair.central.startScan(isExtended: isExtended)
    await pair.run(.seconds(1))
    #expect(Set(pair.central.reportedAddresses) == [seen])
  }

  @Test("private addresses change with time, and stay resolvable", arguments: [false, true])
  func rotation(isExtended: Bool) async throws {
    let pair = try Self.acquainted()
    let tap = AdvertiserTap()
    pair.air.tap = tap
    pair.peripheral.send(LESetResolvablePrivateAddressTimeout(seconds: 10))
    pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: isExtended)
    pair.central.startScan(isExtended: isExtended)
    await pair.run(.seconds(35))
    var order: [DeviceAddress] = []
    for address in tap.advertisers where order.last != address { order.append(address) }
    #expect(order.count == 4 && Set(order).count == 4)
    #expect(order.allSatisfy { Self.resolver(Self.peripheralKey).resolves($0) })
    #expect(Set(pair.central.reportedAddresses) == [Self.identity(pair.peripheral)])
    // Both sides report the address that is in use.
    pair.peripheral.send(LEReadLocalResolvableAddress(peerIdentity: HCIAddress(pair.central.address)))
    pair.central.send(LEReadPeerResolvableAddress(peerIdentity: HCIAddress(pair.peripheral.address)))
    await pair.run(.milliseconds(1))
    #expect(try Self.returned(LEReadLocalResolvableAddress.self, pair.peripheral).address == order.last)
    #expect(try Self.returned(LEReadPeerResolvableAddress.self, pair.central).address == order.last)
  }

  private static func returned<Command: HCICommand>(
    _ type: Command.Type, _ host: TestHost
  ) throws -> Command.ReturnParameters {
    let octets = host.events.compactMap { _, event -> ArraySlice<UInt8>? in
      if case .commandComplete(let event) = event, event.opcode == Command.opcode {
        event.returnParameters
      } else {
        nil
      }
    }
    var reader = ByteReader(Array(try #require(octets.last)), layer: "test")
    return try Command.ReturnParameters(from: &reader)
  }

  @Test(
    "a connection between private devices is reported with identities and with the addresses used",
    arguments: [false, true], [false, true])
  func connection(isExtended: Bool, usesAcceptList: Bool) async throws {
    let pair = try Self.acquainted()
    if usesAcceptList {
      pair.central.send(LEAddDeviceToFilterAcceptList(address: HCIAddress(pair.peripheral.address)))
      pair.peripheral.send(LEAddDeviceToFilterAcceptList(address: HCIAddress(pair.central.address)))
    }
    pair.peripheral.advertisePrivately(
      for: pair.central.address, isExtended: isExtended, filterPolicy: usesAcceptList ? .listOnly : .all)
    pair.central.connectPrivately(to: usesAcceptList ? nil : pair.peripheral.address, isExtended: isExtended)
    await pair.run(.seconds(2))
    let central = try #require(pair.central.connections.first?.event)
    let peripheral = try #require(pair.peripheral.connections.first?.event)
    #expect(central.peerAddress == Self.identity(pair.peripheral))
    #expect(peripheral.peerAddress == Self.identity(pair.central))
    #expect(Self.resolver(Self.centralKey).resolves(central.localResolvableAddress))
    #expect(Self.resolver(Self.peripheralKey).resolves(central.peerResolvableAddress))
    #expect(peripheral.localResolvableAddress == central.peerResolvableAddress)
    #expect(peripheral.peerResolvableAddress == central.localResolvableAddress)
    pair.central.send(data: [1, 0, 4, 0, 7], to: central.connectionHandle)
    await pair.run(.seconds(1))
    #expect(pair.peripheral.data.count == 1)
    // The device is connected, whatever its present address.
    pair.central.connectPrivately(to: pair.peripheral.address, isExtended: isExtended)
    await pair.run(.milliseconds(1))
    let last = isExtended ? LEExtendedCreateConnection.opcode : LECreateConnection.opcode
    #expect(pair.central.statuses.last { $0.opcode == last }?.status == .connectionAlreadyExists)
  }

  @Test("a host that supports only the first form of the event gets the identity as a plain address")
  func firstForm() async throws {
    let pair = try Self.acquainted()
    pair.central.send(LESetEventMask(mask: LEEventMask(rawValue: 0x1F)))
    pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: false)
    pair.central.connectPrivately(to: pair.peripheral.address, isExtended: false)
    await pair.run(.seconds(2))
    let event = pair.central.events.lazy.compactMap { _, event -> LEConnectionCompleteEvent? in
      if case .leConnectionComplete(let event) = event { event } else { nil }
    }.first
    #expect(event?.peerAddress == HCIAddress(pair.peripheral.address))
  }

  @Test("a device that is not on the accept list is refused, whatever its private address", arguments: [false, true])
  func strangers(isExtended: Bool) async throws {
    let pair = try Self.acquainted()
    let stranger = try TestHost(pair.air, loop: pair.loop, 3)
    stranger.start()
    stranger.send(LESetRandomAddress(address: stranger.address))
    // It has the peripheral's key, and a key of its own that the others lack.
    stranger.addToResolvingList(
      pair.peripheral.address, peerKey: Self.peripheralKey, localKey: HCISecret((201...216).map { UInt8($0) }))
    stranger.resolve()
    pair.peripheral.send(LEAddDeviceToFilterAcceptList(address: HCIAddress(pair.central.address)))
    pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: isExtended, filterPolicy: .listOnly)
    stranger.connectPrivately(to: pair.peripheral.address, isExtended: isExtended)
    await pair.run(.seconds(2))
    #expect(pair.peripheral.connections.isEmpty)
    pair.central.connectPrivately(to: pair.peripheral.address, isExtended: isExtended)
    await pair.run(.seconds(2))
    #expect(pair.peripheral.connections.count == 1)
  }

  @Test(
    "a peer with a key is ignored under its identity address, unless device privacy mode allows it",
    arguments: [false, true])
  func privacyMode(isExtended: Bool) async throws {
    for mode in [LEPrivacyMode.network, .device] {
      let pair = try Self.acquainted()
      pair.central.resolve(false)
      pair.central.send(LESetPrivacyMode(peerIdentity: HCIAddress(pair.peripheral.address), mode: mode))
      pair.central.resolve()
      pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: isExtended, ownAddressType: .random)
      pair.central.startScan(isExtended: isExtended)
      await pair.run(.seconds(1))
      let isHeard = mode == .device
      #expect(pair.central.reportedAddresses.isEmpty != isHeard)
      #expect(Set(pair.central.reportedAddresses).subtracting([HCIAddress(pair.peripheral.address)]).isEmpty)
      pair.central.stopScan(isExtended: isExtended)
      pair.central.connectPrivately(to: pair.peripheral.address, isExtended: isExtended)
      await pair.run(.seconds(1))
      #expect(pair.central.connections.isEmpty != isHeard)
    }
  }

  @Test("a directed advertisement shows private addresses only, and reaches its target", arguments: [false, true])
  func directed(isExtended: Bool) async throws {
    let pair = try Self.acquainted()
    let tap = AdvertiserTap()
    pair.air.tap = tap
    let stranger = try TestHost(pair.air, loop: pair.loop, 3)
    stranger.start()
    stranger.startScan(isExtended: isExtended, filterPolicy: .allAndUnresolvedDirected)
    pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: isExtended, isDirected: true)
    pair.central.startScan(isExtended: isExtended)
    await pair.run(.seconds(1))
    #expect(!tap.targets.isEmpty)
    #expect(tap.targets.allSatisfy { Self.resolver(Self.centralKey).resolves($0) })
    #expect(tap.advertisers.allSatisfy { Self.resolver(Self.peripheralKey).resolves($0) })
    #expect(Set(pair.central.reportedAddresses) == [Self.identity(pair.peripheral)])
    #expect(Self.directAddresses(pair.central).allSatisfy { $0 == Self.identity(pair.central) })
    let unresolved = Self.directAddresses(stranger)
    #expect(!unresolved.isEmpty)
    #expect(unresolved.allSatisfy { $0.type == (isExtended ? .unresolved : .random) })
    pair.central.stopScan(isExtended: isExtended)
    pair.central.connectPrivately(to: pair.peripheral.address, isExtended: isExtended)
    await pair.run(.seconds(1))
    #expect(pair.central.connections.count == 1 && pair.peripheral.connections.count == 1)
  }

  private static func directAddresses(_ host: TestHost) -> [HCIAddress] {
    host.events.flatMap { _, event -> [HCIAddress] in
      switch event {
      case .leDirectedAdvertisingReport(let event): event.reports.map(\.directAddress)
      case .leExtendedAdvertisingReport(let event): event.reports.map(\.directAddress)
      default: []
      }
    }
  }

  @Test("a key of zeros resolves nothing and makes no addresses")
  func zeroKeys() async throws {
    let pair = try TestPair()
    for host in [pair.central, pair.peripheral] { host.send(LESetRandomAddress(address: host.address)) }
    pair.peripheral.addToResolvingList(pair.central.address, peerKey: Self.noKey, localKey: Self.noKey)
    pair.peripheral.resolve()
    pair.peripheral.advertisePrivately(for: pair.central.address, isExtended: false)
    pair.peripheral.send(LEReadLocalResolvableAddress(peerIdentity: HCIAddress(pair.central.address)))
    pair.central.startScan(isExtended: false)
    await pair.run(.seconds(1))
    #expect(Set(pair.central.reportedAddresses) == [HCIAddress(pair.peripheral.address)])
    #expect(try Self.returned(LEReadLocalResolvableAddress.self, pair.peripheral).address.value == 0)
  }

  @Test("the resolving list is bounded, and is neither changed nor switched off while in use")
  func rules() async throws {
    var configuration = ControllerConfiguration()
    configuration.resolvingListSize = 2
    let pair = try TestPair(configuration: configuration)
    let host = pair.central
    func status<Command: HCICommand>(_ command: Command) async -> HCIErrorCode? {
      host.send(command)
      await pair.run(.milliseconds(1))
      return host.status(of: Command.self)
    }
    func add(_ number: UInt64) -> LEAddDeviceToResolvingList {
      LEAddDeviceToResolvingList(
        peerIdentity: HCIAddress(TestHost.address(number)), peerIdentityResolvingKey: Self.peripheralKey,
        localIdentityResolvingKey: Self.centralKey)
    }
    let nobody = HCIAddress(TestHost.address(9))
    #expect(await status(add(2)) == .success)
    #expect(await status(add(2)) == .invalidParameters)
    #expect(await status(add(3)) == .success)
    #expect(await status(add(4)) == .memoryCapacityExceeded)
    #expect(await status(LERemoveDeviceFromResolvingList(peerIdentity: nobody)) == .unknownConnectionIdentifier)
    #expect(await status(LESetPrivacyMode(peerIdentity: nobody, mode: .device)) == .unknownConnectionIdentifier)
    #expect(await status(LEReadPeerResolvableAddress(peerIdentity: nobody)) == .unknownConnectionIdentifier)
    #expect(await status(LEReadLocalResolvableAddress(peerIdentity: nobody)) == .unknownConnectionIdentifier)
    for (seconds, expected) in [(0, HCIErrorCode.invalidParameters), (3_601, .invalidParameters), (1, .success)] {
      #expect(await status(LESetResolvablePrivateAddressTimeout(seconds: UInt16(seconds))) == expected)
    }
    #expect(await status(LESetAddressResolutionEnable(isEnabled: true)) == .success)
    host.send(LESetRandomAddress(address: host.address))
    host.startScan(isExtended: false)
    #expect(await status(LESetAddressResolutionEnable(isEnabled: false)) == .commandDisallowed)
    #expect(await status(add(5)) == .commandDisallowed)
    #expect(await status(LEClearResolvingList()) == .commandDisallowed)
    #expect(
      await status(LERemoveDeviceFromResolvingList(peerIdentity: HCIAddress(TestHost.address(2)))) == .commandDisallowed
    )
    #expect(
      await status(LESetPrivacyMode(peerIdentity: HCIAddress(TestHost.address(2)), mode: .device)) == .commandDisallowed
    )
    host.stopScan(isExtended: false)
    #expect(await status(LERemoveDeviceFromResolvingList(peerIdentity: HCIAddress(TestHost.address(2)))) == .success)
    #expect(await status(LEClearResolvingList()) == .success)
    #expect(await status(add(5)) == .success)
  }
}
