import CKernelBluetooth
import Testing

@testable import BLETransports

@Suite("The kernel's counters of an adapter")
struct KernelAdapterStatisticsTests {
  @Test("I12.5 is read where Linux has it in struct hci_dev_info")
  func layout() {
    #expect(MemoryLayout<KernelBluetoothDeviceInformation>.size == 92)
    var information = KernelBluetoothDeviceInformation()
    withUnsafeMutableBytes(of: &information) { octets in
      for index in octets.indices { octets[index] = UInt8(index) }
    }
    #expect(information.device == 0x0100)
    // The last ten numbers of 32 bits: err_rx, err_tx, cmd_tx, evt_rx, acl_tx, acl_rx, sco_tx, sco_rx, byte_rx, byte_tx.
    let statistics = KernelAdapterStatistics(information)
    #expect(statistics.receiveErrors == 0x3736_3534 && statistics.sendErrors == 0x3B3A_3938)
    #expect(statistics.receivedOctets == 0x5756_5554 && statistics.sentOctets == 0x5B5A_5958)
  }

  @Test("I12.5 a missing adapter has none")
  func missing() { #expect(KernelAdapterStatistics(of: 65_000) == nil) }
}
