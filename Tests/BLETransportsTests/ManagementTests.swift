import BLECore
import Testing

@testable import BLETransports

/// The kernel's description of adapters.
@Suite("The management interface")
struct ManagementTests {
  /// The return parameters of Read Controller Information for an adapter of LE that is on.
  private static let information: [UInt8] =
    [0x13, 0x71, 0xDA, 0x7D, 0x1A, 0x00, 0x0A, 0x0F, 0x00, 0xFF, 0xFF, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0, 0, 0]
    + Array("desk".utf8) + [UInt8](repeating: 0, count: 245) + [UInt8](repeating: 0, count: 11)

  @Test("a message is written and read the same way")
  func message() throws {
    let message = ManagementMessage(.setPowered, index: 3, parameters: [1])
    #expect(message.octets == [0x05, 0x00, 0x03, 0x00, 0x01, 0x00, 0x01])
    #expect(try ManagementMessage(message.octets) == message)
  }

  @Test("an adapter is read with its address, name and settings")
  func adapter() throws {
    let adapter = try KernelAdapter(index: 2, information: Self.information[...])
    #expect(adapter.name == "hci2" && adapter.address.description == "00:1A:7D:DA:71:13")
    #expect(adapter.systemName == "desk" && adapter.manufacturer == 15 && adapter.version == 10)
    #expect(adapter.isPowered && adapter.supportsLowEnergy)
    #expect(KernelAdapterSelector("2")?.matches(adapter) == true)
    #expect(KernelAdapterSelector("00:1A:7D:DA:71:13")?.matches(adapter) == true)
    #expect(KernelAdapterSelector("1")?.matches(adapter) == false)
    #expect(KernelAdapterSelector("desk") == nil)
  }

  @Test("truncated messages are an error, and are never read beyond their end")
  func cut() {
    for count in 0..<269 {
      #expect(throws: DecodeError.self) { try KernelAdapter(index: 0, information: Self.information.prefix(count)) }
    }
    let list = ManagementMessage(.readIndexList, parameters: [0xFF, 0xFF, 1, 0, 0, 0, 9])
    for count in 0..<list.octets.count {
      #expect(throws: DecodeError.self) { try ManagementMessage(Array(list.octets.prefix(count))) }
    }
    #expect(KernelAdapter.indices(list.parameters) == [0, 1])
    #expect(KernelAdapter.indices([]) == [] && KernelAdapter.indices([1]) == [])
  }

  @Test("the sockets of other programs are found by the last column but one")
  func sockets() {
    let lines = [
      "sk               RefCnt Rmem   Wmem   User   Inode  Parent",
      "0000000000000000 2      0      0      0      9126   0",
      "x",
    ]
    #expect(UserChannelHolder.inodes(lines) == ["9126"])
  }
}
