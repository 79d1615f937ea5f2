import BLEAdapter
import BLECore
import BLEProfileFiles
import BLEText

extension Fuzzer {
  /// A profile file of `ble serve`.
  static let profile = Fuzzer(name: "profile") { octets in
    do throws(FileMistakes) {
      let profile = try ProfileReader.read(String(decoding: octets, as: UTF8.self))
      require(!profile.services.isEmpty, "a profile without a service was accepted")
      for service in profile.services {
        for characteristic in service.characteristics {
          require(characteristic.value.count <= 4_096, "a value longer than any file of one")
        }
      }
    } catch {
      require(!error.all.isEmpty && error.all.allSatisfy { !$0.message.isEmpty }, "an error that says nothing")
    }
  } seeds: {
    [
      #"{"name": "A", "services": [{"uuid": "180F", "characteristics": [{"uuid": "2A19", "value": "64"}]}]}"#,
      #"{"services": [{"uuid": "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "primary": true, "characteristics": [{"uuid": "FFF1", "properties": ["read", "write", "notify"], "value": {"text": "a\u0041 {n}"}, "notify": {"every": 1.5, "value": {"hex": "0102"}}, "descriptors": [{"uuid": "2901", "value": "name"}]}]}], "advertise": ["180F"]}"#,
      #"{"a": [1, -2.5e3, true, false, null, "\ud83d\ude00\n"]}"#,
    ].map { Array($0.utf8) }
  }

  /// What people type: UUIDs, addresses, names of adapters.
  static let texts = Fuzzer(name: "texts") { octets in
    let text = String(decoding: octets, as: UTF8.self)
    if let uuid = BLEUUID(text) { require(BLEUUID(uuid.description) == uuid, "a UUID is not what it says") }
    if let address = DeviceAddress(text, kind: .random) {
      require(DeviceAddress(address.description, kind: .random) == address, "an address is not what it says")
    }
    if let octets = [UInt8](hexadecimal: text) { require(octets.hexadecimal == text.lowercased(), "other digits") }
    _ = try? AdapterName(text)
  } seeds: {
    [
      "2A37", "0000180F", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "C0:12:34:56:78:9A", "radio:home/owenli",
      "tcp-client:127.0.0.1:9000", "unix-server:/tmp/a", "serial:/dev/ttyACM0,1000000", "hci-socket:0",
    ].map { Array($0.utf8) }
  }
}
