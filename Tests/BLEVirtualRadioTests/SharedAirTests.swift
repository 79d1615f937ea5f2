import BLECore
import BLEHCI
import BLEVirtualRadio
import BLEWire
import Dispatch
import Foundation
import Glibc
import Testing

/// One process's part of a shared air: a loop of its own, a controller, a host. Two of these in one process communicate over
/// sockets, as two processes do.
///
/// `@unchecked Sendable`: everything but the loop is touched on the loop only.
final class LiveParty: @unchecked Sendable {
  let loop: DispatchStackLoop
  private(set) var air: SharedAir?
  private(set) var host: TestHost?
  private var waiters: [(condition: (TestHost) -> Bool, finish: (Bool) -> Void)] = []

  init(_ name: String, _ number: UInt64, folder: String, speed: Int = 1) async throws {
    loop = DispatchStackLoop(speed: speed)
    try await run { party in
      let air = try SharedAir(name: name, loop: party.loop, runtimeFolder: folder, seed: number)
      let host = try TestHost(air.air, loop: party.loop, number)
      host.onPacket = { [weak party] in party?.check() }
      party.air = air
      party.host = host
      host.start()
    }
  }

  /// What lives on the loop is released there: the loop may be delivering a packet while a test ends.
  deinit { loop.queue.async { [content = LoopBound((air, host))] in withExtendedLifetime(content) {} } }

  func run(_ body: @escaping @Sendable (LiveParty) throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      loop.submit(from: .common) { continuation.resume(with: Result { try body(self) }) }
    }
  }

  func withHost(_ body: @escaping @Sendable (TestHost) -> Void) async throws {
    try await run { party in if let host = party.host { body(host) } }
  }

  /// The same with its first link.
  func withLink(_ body: @escaping @Sendable (TestHost, ConnectionHandle) -> Void) async throws {
    try await withHost { host in
      if let handle = host.connections.first?.event.connectionHandle { body(host, handle) }
    }
  }

  func ask<Answer: Sendable>(_ body: @escaping @Sendable (LiveParty) -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      loop.submit(from: .common) { continuation.resume(returning: body(self)) }
    }
  }

  /// Waits until `condition` holds, checked after each packet that the host gets; false after a minute.
  func until(_ condition: @escaping @Sendable (TestHost) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      loop.submit(from: .common) {
        var isOver = false
        let finish = { (reached: Bool) in
          if isOver { return }
          isOver = true
          continuation.resume(returning: reached)
        }
        self.waiters.append((condition, finish))
        self.loop.schedule(after: .seconds(60) * Int64(self.loop.speed), .background) { finish(false) }
        self.check()
      }
    }
  }

  private func check() {
    guard let host else { return }
    waiters.removeAll { waiter in
      guard waiter.condition(host) else { return false }
      waiter.finish(true)
      return true
    }
  }

  func leave() async throws {
    try await run { party in
      party.air?.leave()
      party.host?.controller.close()
    }
  }
}

/// A folder of its own below the one for temporary files, removed at the end.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/radio-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SharedAirError(.folder, "mkdtemp failed") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}

@Suite("An air between processes", .serialized)
struct SharedAirTests {
  private func connectedPair(
    _ folder: TemporaryFolder, timeout: UInt16 = 300, speed: Int = 1
  ) async throws -> (central: LiveParty, peripheral: LiveParty) {
    let peripheral = try await LiveParty("test", 2, folder: folder.path, speed: speed)
    let central = try await LiveParty("test", 1, folder: folder.path, speed: speed)
    try await peripheral.withHost { $0.advertise(interval: 0x20, scanData: [2, 9, 0x41]) }
    try await central.withHost { $0.connect(to: TestHost.address(2), interval: 8, timeout: timeout) }
    #expect(await central.until { !$0.connections.isEmpty })
    #expect(await peripheral.until { !$0.connections.isEmpty })
    return (central, peripheral)
  }

  @Test("radios of two processes find each other, and the scan response arrives too")
  func discovery() async throws {
    let folder = try TemporaryFolder()
    let peripheral = try await LiveParty("test", 2, folder: folder.path)
    try await peripheral.withHost { $0.advertise(interval: 0x20, scanData: [2, 9, 0x41]) }
    let central = try await LiveParty("test", 1, folder: folder.path)
    try await central.withHost { $0.scan(type: .active, filtersDuplicates: true) }
    #expect(await central.until { $0.reports.count == 2 })
    let reports = await central.ask { $0.host?.reports.map(\.report.type) ?? [] }
    #expect(reports == [.connectable, .scanResponse])
    // Another air in the same folder receives nothing of it.
    let stranger = try await LiveParty("other", 3, folder: folder.path)
    try await stranger.withHost { $0.scan() }
    #expect(await stranger.ask { $0.air?.peerCount } == 0)
    for party in [central, peripheral, stranger] { try await party.leave() }
  }

  /// At a thousandfold speed an answer takes longer than an event, and the longest supervision time-out is 32 ms of real time.
  @Test(
    "data flows both ways between processes, whole and in order, and the connection ends properly",
    arguments: [1, 1000])
  func data(_ speed: Int) async throws {
    let folder = try TemporaryFolder()
    let (central, peripheral) = try await connectedPair(folder, timeout: speed == 1 ? 300 : 3_200, speed: speed)
    let count = 300 * min(10, speed)
    for party in [central, peripheral] {
      try await party.withLink { host, handle in ConnectionTests.stream(count, from: host, handle) }
    }
    let expected = (0..<count).flatMap { ConnectionTests.payload($0) }
    for party in [central, peripheral] {
      #expect(await party.until { $0.data.reduce(0) { $0 + $1.packet.payload.count } >= expected.count })
      #expect(await party.until { $0.completed == count })
      #expect(await party.ask { $0.host?.data.flatMap { $0.packet.payload } } == expected)
    }
    try await central.withLink { host, handle in
      host.send(HCIDisconnect(connectionHandle: handle, reason: .remoteUserTerminated))
    }
    #expect(await central.until { $0.disconnections.map(\.event.reason) == [.localHostTerminated] })
    #expect(await peripheral.until { $0.disconnections.map(\.event.reason) == [.remoteUserTerminated] })
    for party in [central, peripheral] { try await party.leave() }
  }

  @Test("a link between processes is encrypted: data passes with the right key, and a wrong key ends it")
  func encryption() async throws {
    for isRight in [true, false] {
      let folder = try TemporaryFolder()
      let (central, peripheral) = try await connectedPair(folder, timeout: 100)
      try await central.withLink { host, handle in
        host.send(
          LEEnableEncryption(connectionHandle: handle, randomNumber: 1, diversifier: 2, key: EncryptedPair.key))
      }
      #expect(await peripheral.until { !$0.keyRequests.isEmpty })
      let key = isRight ? EncryptedPair.key : EncryptedPair.otherKey
      try await peripheral.withLink { host, handle in
        host.send(LELongTermKeyRequestReply(connectionHandle: handle, key: key))
      }
      if isRight {
        for party in [central, peripheral] {
          #expect(await party.until { $0.encryptionChanges.map(\.status) == [.success] })
          try await party.withLink { host, handle in ConnectionTests.stream(100, from: host, handle) }
        }
        let expected = (0..<100).flatMap { ConnectionTests.payload($0) }
        for party in [central, peripheral] {
          #expect(await party.until { $0.data.reduce(0) { $0 + $1.packet.payload.count } >= expected.count })
          #expect(await party.ask { $0.host?.data.flatMap { $0.packet.payload } } == expected)
        }
      } else {
        #expect(await peripheral.until { $0.endReasons == [.messageIntegrityFailure] })
        #expect(await central.until { $0.endReasons == [.connectionTimeout] })
      }
      for party in [central, peripheral] { try await party.leave() }
    }
  }

  @Test("a disconnection by the peripheral's process is reported to the central")
  func peripheralDisconnects() async throws {
    let folder = try TemporaryFolder()
    let (central, peripheral) = try await connectedPair(folder)
    try await peripheral.withLink { host, handle in
      host.send(data: [1, 0, 4, 0, 9], to: handle)
      host.send(HCIDisconnect(connectionHandle: handle, reason: .remoteUserTerminated))
    }
    #expect(await central.until { $0.disconnections.map(\.event.reason) == [.remoteUserTerminated] })
    #expect(await peripheral.until { $0.disconnections.map(\.event.reason) == [.localHostTerminated] })
    #expect(await central.ask { $0.host?.data.count } == 1)
    for party in [central, peripheral] { try await party.leave() }
  }

  @Test("a killed process is a silent radio: supervision time-out")
  func deadProcess() async throws {
    let folder = try TemporaryFolder()
    let (central, peripheral) = try await connectedPair(folder, timeout: 50)
    try await peripheral.withLink { host, handle in host.send(data: [1, 0, 4, 0, 9], to: handle) }
    #expect(await central.until { $0.data.count == 1 })
    try await peripheral.run { $0.air?.leave() }
    #expect(await central.until { $0.disconnections.map(\.event.reason) == [.connectionTimeout] })
    #expect(await central.ask { $0.air?.peerCount } == 0)
    for party in [central, peripheral] { try await party.leave() }
  }

  @Test("a machine that is suspended for longer than the supervision time-out loses only links to dead processes")
  func standstill() async throws {
    let folder = try TemporaryFolder()
    let (central, peripheral) = try await connectedPair(folder, timeout: 50)
    for (first, second) in [(central, peripheral), (peripheral, central)] {
      // Meanwhile nothing else runs on a loop, and no timer fires. One of the two runs again first.
      let standstill = DispatchGroup()
      for (party, span) in [(first, 1_200_000), (second, 1_400_000)] as [(LiveParty, UInt32)] {
        standstill.enter()
        party.loop.submit(from: .common) {
          usleep(span)
          standstill.leave()
        }
      }
      await withCheckedContinuation { continuation in
        standstill.notify(queue: .global()) { continuation.resume() }
      }
      try await peripheral.withLink { host, handle in host.send(data: [1, 0, 4, 0, 9], to: handle) }
      let count = first === central ? 1 : 2
      #expect(await central.until { $0.data.count == count })
    }
    for party in [central, peripheral] { #expect(await party.ask { $0.host?.disconnections.count } == 0) }
    try await peripheral.run { $0.air?.leave() }
    try await central.run { _ in usleep(1_200_000) }
    #expect(await central.until { $0.disconnections.map(\.event.reason) == [.connectionTimeout] })
    for party in [central, peripheral] { try await party.leave() }
  }

  @Test("parameters, PHY and data length change between processes too")
  func updates() async throws {
    let folder = try TemporaryFolder()
    let (central, peripheral) = try await connectedPair(folder)
    try await central.withLink { host, handle in
      host.send(
        LESetPHY(connectionHandle: handle, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
      host.send(
        LEConnectionUpdate(
          connectionHandle: handle,
          parameters: ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: 16), intervalMaximum: ConnectionInterval(rawValue: 16),
            latency: 0, supervisionTimeout: SupervisionTimeout(rawValue: 400))))
    }
    for party in [central, peripheral] {
      let isUpdated = await party.until { host in
        let kinds = host.events.map { event -> Int in
          switch event.event {
          case .lePHYUpdateComplete(let event) where event.transmitPHY == .le2M: 1
          case .leConnectionUpdateComplete(let event) where event.interval.rawValue == 16: 2
          case .leDataLengthChange: 4
          default: 0
          }
        }
        return Set(kinds).isSuperset(of: [1, 2, 4])
      }
      #expect(isUpdated)
    }
    for party in [central, peripheral] { try await party.leave() }
  }

  @Test("the socket of a dead process is removed, and stray octets do no harm")
  func strangers() async throws {
    let folder = try TemporaryFolder()
    let first = try await LiveParty("test", 1, folder: folder.path)
    let airFolder = try #require(await first.ask { $0.air?.folder })
    // A name without a listener.
    let stale = airFolder + "/0123456789"
    close(Self.socket(bound: stale))
    #expect(access(stale, F_OK) == 0)
    // A process that sends only invalid octets, and one that never reads.
    let path = try #require(await first.ask { Self.firstSocket(in: $0.air?.folder ?? "", except: "0123456789") })
    let hostile = Self.socket(connected: path)
    let chance = SeededEntropy(seed: 4)
    for count in 1..<200 {
      var octets = chance.octets(count)
      if count > 3, count % 2 == 0 { octets.replaceSubrange(0..<3, with: [0xA1, 1, UInt8(count / 2 % 11)]) }
      send(hostile, octets, octets.count, CInt(MSG_NOSIGNAL))
    }
    let second = try await LiveParty("test", 2, folder: folder.path)
    #expect(access(stale, F_OK) != 0)
    try await second.withHost { $0.advertise(interval: 0x20) }
    try await first.withHost { $0.connect(to: TestHost.address(2), interval: 8, timeout: 300) }
    #expect(await first.until { !$0.connections.isEmpty })
    #expect(await first.ask { $0.air?.droppedMessageCount ?? 0 } > 100)
    close(hostile)
    for party in [first, second] { try await party.leave() }
  }

  @Test("I11.11 one process has a few places on an air, however often it connects, and the others are not affected")
  func flood() async throws {
    let folder = try TemporaryFolder()
    let (central, peripheral) = try await connectedPair(folder)
    let paths = await central.ask { Self.sockets(in: $0.air?.folder ?? "") }
    #expect(paths.count == 2)
    var hostile: [CInt] = []
    defer { for socket in hostile { close(socket) } }
    for number in 0..<400 {
      for path in paths {
        let socket = Self.socket(connected: path)
        var octets: [UInt8] = [
          0xA1, 1, 1, UInt8(number & 0xFF), UInt8(number >> 8), UInt8(hostile.count & 1), 0, 0, 0, 0, 7,
        ]
        octets += [1, 0]
        send(socket, octets, octets.count, CInt(MSG_NOSIGNAL))
        hostile.append(socket)
      }
      // Connections waiting at a socket are accepted before there are too many.
      for party in [central, peripheral] where number % 16 == 15 { _ = await party.ask { $0.air?.peerCount } }
    }
    for party in [central, peripheral] { #expect(await party.ask { $0.air?.peerCount ?? 0 } <= 17) }
    try await peripheral.withLink { host, handle in host.send(data: [1, 0, 4, 0, 9], to: handle) }
    #expect(await central.until { $0.data.count == 1 })
    for socket in hostile { close(socket) }
    hostile = []
    let third = try await LiveParty("test", 3, folder: folder.path)
    try await third.withHost { $0.advertise(interval: 0x20) }
    try await central.withHost { $0.scan() }
    #expect(await central.until { $0.reports.contains { $0.report.address.address == TestHost.address(3) } })
    for party in [central, peripheral, third] { try await party.leave() }
  }

  @Test("I11.11 where no more files can be opened an air waits and does not spin")
  func noDescriptors() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let party = try await LiveParty("test", 1, folder: folder.path)
      let path = await party.ask { Self.sockets(in: $0.air?.folder ?? "").first } ?? ""
      let (arrived, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      party.loop.submit(from: .common) {
        arrived.signal()
        release.wait()
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          arrived.wait()
          continuation.resume()
        }
      }
      let clients = (0..<4).map { _ in Self.socket(connected: path) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var restored = limit
      limit.rlim_cur = 3
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      func computed() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
          + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
      }
      let start = computed()
      release.signal()
      try await Task.sleep(for: .seconds(2))
      let spent = computed() - start
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
      // Each waiting connection is accepted as soon as there is a file for it, and is greeted.
      let greeted = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          var octet: UInt8 = 0
          continuation.resume(returning: clients.allSatisfy { recv($0, &octet, 1, 0) == 1 })
        }
      }
      exit(greeted && spent < 0.5 ? 0 : 1)
    }
  }

  static func sockets(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.contains(".") }.sorted().map { folder + "/" + $0 }
  }

  static func firstSocket(in folder: String, except name: String) -> String? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let found = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !found.hasPrefix("."), found != name { return folder + "/" + found }
    }
    return nil
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  private static func socket(bound path: String) -> CInt {
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0)
    withAddress(path) { _ = bind(descriptor, $0, $1) }
    return descriptor
  }

  private static func socket(connected path: String) -> CInt {
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0)
    withAddress(path) { _ = connect(descriptor, $0, $1) }
    return descriptor
  }

  @Test("a folder that is open to other users, or a link to one, is refused or closed")
  func folders() async throws {
    let folder = try TemporaryFolder()
    let loop = DispatchStackLoop()
    symlink("/tmp", folder.path + "/link")
    #expect(throws: SharedAirError.self) {
      _ = try SharedAir(name: "test", loop: loop, runtimeFolder: folder.path + "/link")
    }
    #expect(throws: SharedAirError.self) { _ = try SharedAir(name: "../x", loop: loop, runtimeFolder: folder.path) }
    #expect(throws: SharedAirError.self) { _ = try SharedAir(name: "", loop: loop, runtimeFolder: folder.path) }
  }

  @Test("a device keeps its address; two at the same time are two devices")
  func identity() throws {
    let folder = try TemporaryFolder()
    var first: RadioIdentity? = try RadioIdentity.acquire(air: "a", device: "lamp", stateFolder: folder.path)
    let address = try #require(first?.address)
    let second = try RadioIdentity.acquire(air: "a", device: "lamp", stateFolder: folder.path)
    #expect(second.device == "lamp-2" && second.address != address)
    let elsewhere = try RadioIdentity.acquire(air: "b", device: "lamp", stateFolder: folder.path)
    #expect(elsewhere.device == "lamp" && elsewhere.address != address)
    first = nil
    let again = try RadioIdentity.acquire(air: "a", device: "lamp", stateFolder: folder.path)
    #expect(again.device == "lamp" && again.address == address)
    #expect(throws: SharedAirError.self) {
      try RadioIdentity.acquire(air: "a", device: "a/b", stateFolder: folder.path)
    }
    #expect(!RadioIdentity.programName.isEmpty)
  }
}
