import BLEAdapter
import Testing

@Suite("The name of an adapter")
struct AdapterNameTests {
  @Test(
    "is parsed, and printed in the same form",
    arguments: [
      ("radio:default", AdapterName.standard),
      ("radio:lab", .radio(air: "lab", device: nil)),
      ("radio:lab/desk-1", .radio(air: "lab", device: "desk-1")),
      ("tcp-client:localhost:9000", .tcpClient(host: "localhost", port: 9000)),
      ("tcp-client:::1:9000", .tcpClient(host: "::1", port: 9000)),
      ("tcp-server:0.0.0.0:65535", .tcpServer(host: "0.0.0.0", port: 65_535)),
      ("unix-client:/run/a b", .unixClient(path: "/run/a b")),
      ("unix-server:/run/x:y", .unixServer(path: "/run/x:y")),
      ("serial:/dev/ttyUSB0,1000000", .serial(path: "/dev/ttyUSB0", speed: 1_000_000)),
      ("hci", .hci(nil)),
      ("hci:1", .hci("1")),
      ("hci:00:1A:7D:DA:71:13", .hci("00:1A:7D:DA:71:13")),
      ("bluez", .bluez(nil)),
      ("bluez:hci0", .bluez("hci0")),
      ("bluez:00:1A:7D:DA:71:13", .bluez("00:1A:7D:DA:71:13")),
    ])
  func names(_ text: String, _ name: AdapterName) throws {
    #expect(try AdapterName(text) == name)
    #expect(name.description == text)
  }

  @Test("has defaults")
  func defaults() throws {
    #expect(try AdapterName("radio") == .standard)
    #expect(try AdapterName("bluez:00:1a:7d:da:71:13") == .bluez("00:1A:7D:DA:71:13"))
    #expect(try AdapterName("serial:/dev/ttyS0") == .serial(path: "/dev/ttyS0", speed: 115_200))
  }

  @Test(
    "that is invalid is refused with a reason",
    arguments: [
      "", "wifi", "radio:", "radio:../etc", "radio:a/", "radio:a/b/c", "radio:.hidden", "tcp-client", "tcp-client:host",
      "tcp-client:host:0", "tcp-client:host:65536", "tcp-client::9000", "unix-client", "unix-server:", "serial",
      "hci:", "hci:-1", "hci:65536", "hci:+1", "hci:01", "hci:00:1A:7D", "hci0", "bluez:", "bluez:0", "bluez:hci",
      "bluez:hci65536", "bluez:hci+1", "bluez:00:1A:7D", "serial:,9600", "serial:/dev/x,fast", "serial:/dev/x,0",
      "radio:" + String(repeating: "a", count: 65),
    ])
  func mistakes(_ text: String) throws {
    let error = try #require(throws: AdapterNameError.self) { try AdapterName(text) }
    #expect(error.name == text)
    #expect(!error.reason.isEmpty)
    #expect(error.description.contains("adapter '\(text)'"))
  }
}
