import BLEAdapter
import BLECore
import Foundation
import Measurements
import Testing

@testable import BLEHost
@testable import BLEState

private final class PeerFolder: TestFolder {
  var state: String { path + "/state" }
  var peersPath: String { state + "/peers" }

  func open(_ seed: UInt64 = 1) -> PeerDirectory {
    PeerDirectory(store: FilePeerStore(folder: state, entropy: SeededEntropy(seed: seed), log: .silent))
  }
  func read() -> String { String(decoding: read(peersPath), as: UTF8.self) }
  func write(_ text: String) {
    try? FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    write(Array(text.utf8), to: peersPath)
  }
}

@Suite struct PeerDirectoryTests {
  private let device = DeviceAddress(0xC012_3456_789A, kind: .random)

  private func address(_ number: Int) -> DeviceAddress { DeviceAddress(UInt64(number), kind: .public) }

  @Test("a device keeps its identifier across processes")
  func aDeviceKeepsItsIdentifierAcrossProcesses() {
    let folder = PeerFolder()
    let first = folder.open(1)
    let peer = first.peer(at: device)
    first.setName("Owenli", of: peer.identifier, from: .advertised)
    first.flush()
    // Another seed: the identifier comes from the file, not from this process's random numbers.
    let second = folder.open(2)
    #expect(
      second.peers([peer.identifier]) == [KnownPeer(identifier: peer.identifier, address: device, name: "Owenli")])
    #expect(second.peer(at: device).identifier == peer.identifier)
  }

  @Test("identifiers differ between devices and between machines")
  func identifiersDifferBetweenDevicesAndBetweenMachines() {
    let here = PeerDirectory(store: MemoryPeerStore(entropy: SeededEntropy(seed: 1)))
    let there = PeerDirectory(store: MemoryPeerStore(entropy: SeededEntropy(seed: 2)))
    #expect(here.peer(at: device).identifier != there.peer(at: device).identifier)
    #expect(here.peer(at: device).identifier != here.peer(at: DeviceAddress(device.value, kind: .public)).identifier)
    let again = PeerDirectory(store: MemoryPeerStore(entropy: SeededEntropy(seed: 1)))
    #expect(here.peer(at: device).identifier == again.peer(at: device).identifier)
  }

  @Test("folder and file are for this user only")
  func folderAndFileAreForThisUserOnly() {
    let folder = PeerFolder()
    let directory = folder.open()
    _ = directory.peer(at: device)
    directory.flush()
    #expect(folder.mode(folder.state) == 0o700)
    #expect(folder.mode(folder.peersPath) == 0o600)
  }

  @Test("a line that a crash truncated is ignored, and no other is lost")
  func aLineThatACrashCutShortIsPassedOverAndLosesNoOther() {
    let folder = PeerFolder()
    let first = folder.open()
    let kept = first.peer(at: device)
    let torn = first.peer(at: address(7))
    first.flush()
    for cut in 1..<60 {
      let text = folder.read()
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let last = lines.last(where: { $0.contains(" 000000000007 ") }) else { break }
      let others = lines.filter { $0 != last && !$0.isEmpty }.joined(separator: "\n")
      folder.write(others + "\n" + last.dropLast(min(cut, last.count)))
      let second = folder.open()
      #expect(second.peers([kept.identifier]).map(\.address) == [device])
      #expect(second.peers([torn.identifier]).isEmpty)
      let new = second.peer(at: address(1000 + cut))
      second.flush()
      let third = folder.open()
      #expect(third.peers([kept.identifier, new.identifier]).count == 2)
      folder.write(text)
    }
  }

  @Test("two processes that find the same device simultaneously agree on its identifier")
  func twoProcessesMeetTheSameDeviceAtOnceAndLearnFromEachOther() {
    let folder = PeerFolder()
    let first = folder.open(1)
    let second = folder.open(2)
    let peer = first.peer(at: device)
    #expect(second.peer(at: device).identifier == peer.identifier)
    let other = second.peer(at: address(5))
    second.setName("five", of: other.identifier, from: .read)
    #expect(first.peers([other.identifier]).isEmpty)
    second.flush()
    #expect(first.peers([other.identifier]).map(\.name) == ["five"])
    first.flush()
    for number in 100..<400 {
      let peer = (number % 2 == 0 ? first : second).peer(at: address(number))
      if number % 50 == 0 { first.flush() }
      if number % 70 == 0 { second.flush() }
      _ = peer
    }
    first.flush()
    second.flush()
    let third = folder.open(3)
    for number in 100..<400 {
      let identifier = first.peer(at: address(number)).identifier
      #expect(third.peers([identifier]).map(\.address) == [address(number)])
    }
  }

  @Test("a file of another kind is left unchanged")
  func aFileOfAnotherKindIsLeftAlone() {
    let folder = PeerFolder()
    folder.write("my shopping list\nmilk\n")
    let directory = folder.open()
    let peer = directory.peer(at: device)
    directory.flush()
    #expect(directory.peers([peer.identifier]).count == 1)
    #expect(folder.read() == "my shopping list\nmilk\n")
  }

  @Test("private addresses are not stored")
  func privateAddressesAreNotKept() {
    let folder = PeerFolder()
    let directory = folder.open()
    let nonResolvable = directory.peer(at: DeviceAddress(0x0012_3456_789A, kind: .random))
    let resolvable = directory.peer(at: DeviceAddress(0x4012_3456_789A, kind: .random))
    directory.flush()
    #expect(directory.peers([nonResolvable.identifier, resolvable.identifier]).count == 2)
    #expect(folder.open().peers([nonResolvable.identifier, resolvable.identifier]).isEmpty)
  }

  @Test("names with control characters or line breaks stay names")
  func namesThatAreAttacksStayNames() {
    let folder = PeerFolder()
    let names = [
      "", "-", "a b", "line\nbreak", "\u{1B}[2J", "100%", "张三", "<script>", String(repeating: "x", count: 240),
    ]
    for (number, name) in names.enumerated() {
      let directory = folder.open()
      directory.setName(name, of: directory.peer(at: address(number)).identifier, from: .advertised)
      directory.flush()
    }
    let directory = folder.open()
    for (number, name) in names.enumerated() { #expect(directory.peer(at: address(number)).name == name) }
  }

  @Test("a thousand renames do not let the file grow")
  func aThousandRenamesDoNotLetTheFileGrow() {
    let folder = PeerFolder()
    let directory = folder.open()
    let peer = directory.peer(at: device)
    for number in 0..<3_000 {
      directory.setName("name \(number)", of: peer.identifier, from: .advertised)
      directory.flush()
    }
    #expect(folder.read().utf8.count < 150_000)
    #expect(folder.open().peers([peer.identifier]).map(\.name) == ["name 2999"])
  }

  @Test("ten thousand devices are found without waiting for the file")
  func tenThousandDevicesAreMetWithoutWaitingForTheFile() {
    let folder = PeerFolder()
    let directory = folder.open()
    let time = ComputedTime.of { for number in 0..<10_000 { _ = directory.peer(at: address(number)) } }
    #expect(time < .seconds(2))
    directory.flush()
    let identifier = directory.peer(at: address(9_999)).identifier
    #expect(folder.open().peers([identifier]).count == 1)
  }

  @Test("a device's GAP name takes precedence over the advertised one")
  func theNameThatADeviceGivesItselfBeatsTheOneItAdvertises() {
    let directory = PeerDirectory(store: MemoryPeerStore(entropy: SeededEntropy(seed: 1)))
    let peer = directory.peer(at: device).identifier
    #expect(directory.setName("Owe", of: peer, from: .advertised) == "Owe")
    #expect(directory.setName("Owenli", of: peer, from: .read) == "Owenli")
    #expect(directory.setName("Owe", of: peer, from: .advertised) == "Owenli")
    #expect(directory.peers([peer]).map(\.name) == ["Owenli"])
  }

  @Test("I13.1 a device's advertised and its read name are both kept, also across processes")
  func bothNames() {
    let folder = PeerFolder()
    let directory = folder.open()
    let peer = directory.peer(at: privateAddress(1)).identifier
    directory.setName("Owenli", of: peer, from: .read)
    directory.setName("Owe", of: peer, from: .advertised)
    let identified = directory.identify(directory.peer(at: privateAddress(1)), as: device)
    #expect(identified.names == ["Owenli", "Owe"])
    directory.flush()
    let next = folder.open()
    #expect(next.peers([peer]) == [identified])
    #expect(next.setName("Ow", of: peer, from: .advertised) == "Owenli")
    next.flush()
    #expect(folder.open().knownPeer(at: device)?.names == ["Owenli", "Ow"])
    #expect(next.setName("Ow", of: peer, from: .read) == "Ow")
    #expect(next.knownPeer(at: device)?.names == ["Ow"])
  }

  private func privateAddress(_ number: Int) -> DeviceAddress {
    DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random)
  }

  private func directory(limit: Int) -> PeerDirectory {
    PeerDirectory(store: MemoryPeerStore(entropy: SeededEntropy(seed: 1)), limit: limit)
  }

  @Test("I11.1 a peer that claims one identity after the other is known by the last, and nothing is kept of the others")
  func manyClaimsOfOnePeer() {
    let directory = directory(limit: 64)
    let first = directory.peer(at: privateAddress(1))
    var peer = first
    for number in 1...5_000 { peer = directory.identify(peer, as: address(number)) }
    #expect(peer == KnownPeer(identifier: first.identifier, address: address(5_000), name: nil))
    #expect(directory.counts == (1, 1))
    #expect(directory.knownPeer(at: privateAddress(1)) == peer, "the address that it was met at names it still")
    // An identity that it claimed in between is another device: that one is not taken for it.
    #expect(directory.knownPeer(at: address(17)) == nil)
    #expect(directory.peer(at: address(17)).identifier != first.identifier)
  }

  @Test("I11.1 the addresses of many peers with claimed identities are removed with the peers")
  func claimsOfManyPeers() {
    let directory = directory(limit: 64)
    for number in 1...5_000 {
      _ = directory.identify(directory.peer(at: privateAddress(number)), as: address(number))
      let counts = directory.counts
      #expect(counts.peers <= 64 && counts.addresses <= 64)
      if counts.peers > 64 || counts.addresses > 64 { break }
    }
    #expect(directory.knownPeer(at: privateAddress(5_000))?.address == address(5_000))
    #expect(directory.knownPeer(at: privateAddress(1)) == nil)
  }

  @Test("I11.1 names of maximum length do not let the file grow, and a file that is already too long is read")
  func longNames() {
    let folder = PeerFolder()
    let limit = 128 << 10
    func open(_ seed: UInt64) -> PeerDirectory {
      PeerDirectory(
        store: FilePeerStore(
          folder: folder.state, entropy: SeededEntropy(seed: seed), log: .silent, sizeLimit: limit))
    }
    let directory = open(1)
    let name = String(repeating: "\u{1F4A3}", count: 62)
    for number in 1...1_000 {
      directory.setName(name, of: directory.peer(at: address(number)).identifier, from: .advertised)
      if number % 20 == 0 { directory.flush() }
    }
    var status = stat()
    #expect(stat(folder.peersPath, &status) == 0 && status.st_size <= limit)
    #expect(open(2).knownPeer(at: address(1_000))?.name == name)
    #expect(truncate(folder.peersPath, 1 << 30) == 0)
    let next = open(3)
    #expect(next.peer(at: address(7)).identifier == directory.peer(at: address(7)).identifier, "the secret is the same")
    next.flush()
    #expect(stat(folder.peersPath, &status) == 0 && status.st_size <= limit)
    #expect(open(4).knownPeer(at: address(7)) != nil)
  }

  @Test("I11.1 bonded devices keep their identifiers, in memory and in the file, however many others are met")
  func bondedDevicesStay() {
    let folder = PeerFolder()
    let recordLimit = PeerDirectory.storedBetweenBonded + 100
    let store = FilePeerStore(
      folder: folder.state, entropy: SeededEntropy(seed: 1), log: .silent, recordLimit: recordLimit, sizeLimit: 1 << 24)
    let directory = PeerDirectory(store: store, limit: 64)
    let bonded = directory.identify(directory.peer(at: privateAddress(1)), as: device)
    let other = directory.peer(at: address(1_000_000))
    directory.setBonded([device])
    for number in 1...(3 * recordLimit) {
      _ = directory.peer(at: address(number))
      if number % 4_000 == 0 { directory.flush() }
    }
    #expect(directory.counts.peers <= 65)
    #expect(directory.knownPeer(at: device) == bonded)
    #expect(directory.knownPeer(at: address(1_000_000)) == nil)
    directory.flush()
    let next = folder.open(2)
    #expect(next.knownPeer(at: device) == bonded && next.peer(other.identifier) == nil)
    #expect(next.counts.peers <= 2 * recordLimit + 1)
  }
}
