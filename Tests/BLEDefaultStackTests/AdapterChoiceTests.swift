import BLEAdapter
import BLEHCI
import BLETransports
import Dispatch
import Testing

@testable import BLEDefaultStack

@Suite("Which adapter a program gets")
struct AdapterChoiceTests {
  private let daemon = ScriptedProbe(.usable(.bluez("hci0")))

  @Test("I12.3 a configured adapter takes precedence, in the given order, and the machine's own is not queried")
  func named() throws {
    let file = [configurationPath: #"{ "adapter": "tcp-client:localhost:9000" }"#]
    var surroundings = Surroundings.made(
      ["HOME": "/home/me", "BLE_ADAPTER": "radio:lab"], files: file, adapters: ["hci0"], probes: [daemon])
    #expect(AdapterChoice(in: surroundings).source == .environment)
    #expect(try AdapterChoice(in: surroundings).name.get() == .radio(air: "lab", device: nil))
    surroundings.option = .hci("1")
    #expect(AdapterChoice(in: surroundings).source == .option)
    #expect(try AdapterChoice(in: surroundings).name.get() == .hci("1"))
    surroundings = .made(files: file, adapters: ["hci0"], probes: [daemon])
    #expect(AdapterChoice(in: surroundings).source == .configuration(path: configurationPath))
    #expect(AdapterChoice(in: surroundings).remark == nil)
    #expect(daemon.count == 0)
  }

  @Test("I12.3 where none is configured it is the machine's own, of the first kind that finds one")
  func ownAdapter() throws {
    let kernel = ScriptedProbe(.usable(.hci("0")))
    let choice = AdapterChoice(in: .made(adapters: ["hci0", "hci0:64"], probes: [daemon, kernel]))
    #expect(choice.source == .machine && choice.isRemarkable)
    #expect(try choice.name.get() == .bluez("hci0"))
    #expect(choice.reason == "no adapter is named, and it is this machine's own")
    #expect(daemon.count == 1 && kernel.count == 0)
    let absent = ScriptedProbe(.absent("BlueZ's daemon does not run"))
    #expect(try AdapterChoice(in: .made(adapters: ["hci0"], probes: [absent, kernel])).name.get() == .hci("0"))
  }

  @Test("I12.3 an adapter that is switched off, or whose daemon is silent, is not used: the radio, and why")
  func withheld() throws {
    let kernel = ScriptedProbe(.usable(.hci("0")))
    for (finding, remark) in [
      (AdapterFinding.withheld("hci0 is switched off"), "hci0 is switched off"), (nil, "the daemon does not answer"),
    ] {
      var surroundings = Surroundings.made(adapters: ["hci0"], probes: [ScriptedProbe(finding), kernel])
      surroundings.probeLimit = .milliseconds(1)
      let choice = AdapterChoice(in: surroundings)
      #expect(try choice.name.get() == .standard)
      #expect(choice.source == .standard && choice.remark == remark && choice.isRemarkable)
    }
    #expect(kernel.count == 0)
    let none = [
      ScriptedProbe(.absent("BlueZ's daemon does not run")), ScriptedProbe(.absent("this program may not")),
    ]
    #expect(
      AdapterChoice(in: .made(adapters: ["hci0"], probes: none)).remark
        == "BlueZ's daemon does not run, and this program may not")
  }

  @Test("I12.3 a machine without an adapter makes no query")
  func noAdapter() throws {
    let choice = AdapterChoice(in: .made(probes: [daemon]))
    #expect(try choice.name.get() == .standard)
    #expect(!choice.isRemarkable && choice.source == .standard)
    #expect(daemon.count == 0)
  }

  @Test(
    "I12.3 a bundle of tests is on the radio whatever is present and configured, unless its environment names another")
  func inTests() throws {
    var surroundings = Surroundings.made(
      files: [configurationPath: #"{ "adapter": "hci" }"#], adapters: ["hci0"], probes: [daemon])
    surroundings.isTest = true
    #expect(try AdapterChoice(in: surroundings).name.get() == .standard)
    #expect(daemon.count == 0)
    surroundings.environment = { $0 == "BLE_ADAPTER" ? "hci:1" : nil }
    #expect(try AdapterChoice(in: surroundings).name.get() == .hci("1"))
    #expect(Surroundings.ofThisProcess.isTest)
  }

  @Test(
    "I12.3 the user channel only uses an adapter that is free, in a program with the privilege",
    arguments: [
      (true, false, false, AdapterFinding.usable(.hci("2"))),
      (false, false, false, .absent("this program is not permitted to take an adapter (CAP_NET_ADMIN)")),
      (true, true, false, .withheld("hci2 is in use")),
      (true, false, true, .withheld("hci2 is blocked by a switch (rfkill)")),
    ])
  func userChannel(_ isPermitted: Bool, _ isPowered: Bool, _ isBlocked: Bool, _ expected: AdapterFinding) async {
    var probe = KernelAdapterProbe()
    probe.isPermitted = { isPermitted }
    probe.isBlocked = { _ in isBlocked }
    probe.candidates = { () throws(TransportError) in
      [
        .init(index: 0, supportsLowEnergy: false, isPowered: false),
        .init(index: 2, supportsLowEnergy: true, isPowered: isPowered),
      ]
    }
    let finding = await withCheckedContinuation { continuation in
      probe.look(among: ["hci0", "hci2"]) { continuation.resume(returning: $0) }
    }
    #expect(finding == expected)
  }

  @Test("I12.3 switches and capabilities are read as the kernel writes them")
  func readings() throws {
    let files = [
      "/sys/class/rfkill/rfkill0/type": "bluetooth\n", "/sys/class/rfkill/rfkill0/name": "hci0\n",
      "/sys/class/rfkill/rfkill0/soft": "1\n", "/sys/class/rfkill/rfkill0/hard": "0\n",
      "/sys/class/rfkill/rfkill1/type": "wlan\n", "/sys/class/rfkill/rfkill1/soft": "1\n",
    ]
    let system = SystemView(
      names: { $0 == "/sys/class/rfkill" ? ["rfkill0", "rfkill1", "rfkill2"] : [] }, text: { files[$0] })
    #expect(RadioSwitch.all(in: system).map(\.name) == ["hci0"])
    #expect(RadioSwitch.blocks("hci0", in: system) && !RadioSwitch.blocks("hci1", in: system))
    let status =
      "Name:\tble\nCapPrm:\t0000000000001000\nCapEff:\t0000000000001000\nCapBnd:\t00000000a80425fb\nNoNewPrivs:\t1\n"
    let capabilities = try #require(ProcessCapabilities(status: status))
    #expect(capabilities.has(.networkAdministration) && !capabilities.has(.rawNetwork))
    #expect(!capabilities.couldHave(.networkAdministration) && capabilities.couldHave(.rawNetwork))
    #expect(capabilities.takesNoNewPrivileges)
    for hostile in ["", "CapEff:", "CapEff:\tzz", "CapEff\t1", "\u{1B}[2J"] {
      #expect(ProcessCapabilities(status: hostile) == nil)
    }
  }
}
