import BLEDeviceFiles
import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Both sides of a device description file, over the radio.
@Suite("A4: described devices", .keepsCapture)
struct DeviceFileTests {
  @Test("R4.4 of two similar locks the one with the requested address is taken, whatever the case of its name")
  func address() async throws {
    let world = World()
    let lock = try DescribedScene.description("lock.json")
    let wanted = lock.recognition.rule(address: "c0:ff:ee:01:02:03")
    let twin = world.makeDevice("twin")
    var plan = lock
    plan.simulation?.advertisedName = "ILOCK"
    let like = try SimulatedDevice(plan, options: twin.options, clock: world.clock)
    twin.setManufacturerData([0x4B, 0x4C, 0x01, 0xC0, 0xFF, 0xEE, 0x01, 0x02, 0x04])
    try await world.perform { try await like.start() }
    let scene = try await DescribedScene.make(in: world, "lock.json", target: .first(wanted))
    try await scene.connect()
    try await scene.perform("unlock", ["pin": "123456"])
    #expect(scene.played.state["bolt"] == 1)
    #expect(like.state["bolt"] == .text("locked") || like.state["bolt"] == 0)
  }

  @Test("R4.5 a device that sleeps causes the file's hint, and is waited for")
  func sleeping() async throws {
    let world = World()
    let scene = try await DescribedScene.make(in: world, "lock.json", policy: ReconnectPolicy())
    scene.other.moveAway()
    let device = scene.device
    let task = world.start { try await device.connect() }
    await world.advance(by: .seconds(6))
    let hints = scene.diary.all.compactMap { if case .hint(let text) = $0.event { text } else { nil } }
    #expect(hints == ["Touch the lock's keypad: it sleeps after ten seconds."])
    scene.other.comeBack()
    try await world.wait(within: .seconds(30)) { task.isOver }
    #expect(task.error(as: SessionError.self) == nil)
  }

  @Test("R4.6 commands and answers over one characteristic, and over two")
  func characteristics() async throws {
    for (file, count) in [("lock.json", 1), ("smart-band.json", 2)] {
      let conversation = try #require(try DescribedScene.description(file).conversation)
      #expect(Set([conversation.commandPath, conversation.answerPath]).count == count)
      let scene = try await DescribedScene.make(in: World(), file)
      try await scene.connect()
      let answer = try await scene.perform(file == "lock.json" ? "status" : "steps")
      #expect(!answer.isEmpty)
    }
  }

  @Test("R4.7 the device is ready after the file's handshake, and reports what it is")
  func handshake() async throws {
    let scene = try await DescribedScene.make(in: World(), "smart-band.json")
    try await scene.connect()
    #expect(scene.reports.value.first == .handshakeTold)
    guard case .handshakeAnswered(let readings)? = scene.reports.value.last else {
      Issue.record("no answer was reported")
      return
    }
    #expect(readings.map(\.description) == ["SB-2", "260"])
  }

  @Test("R4.7 a lock that does not know the key refuses, and no command is sent")
  func wrongKey() async throws {
    var other = try DescribedScene.description("lock.json")
    other.simulation?.state["key"] = .octets(Data([9, 9, 9, 9]))
    let scene = try await DescribedScene.make(in: World(), "lock.json", played: other)
    let device = scene.device
    let task = scene.world.start { try await device.connect() }
    try await scene.world.wait(within: .seconds(30)) { task.isOver }
    let error = task.error(as: SessionError.self)
    #expect(
      error?.code == .notVerified && error?.message.contains("unknown-key") == true, "\(String(describing: error))")
    #expect(scene.diary.state == .stopped(.notVerified))
  }

  @Test("R4.7 a device that does not answer is asked as often as the file says, at its times")
  func silence() async throws {
    let text = try DescribedScene.text("lock.json").replacing(
      #""simulated": { "requires": ["key"], "otherwise": { "reason": "unknown-key" } }"#,
      with: #""simulated": { "silent": true }"#)
    let mute = try DeviceDescription(text: text, file: "mute.json")
    let scene = try await DescribedScene.make(
      in: World(), "lock.json", played: mute, policy: ReconnectPolicy(maximumAttempts: 1))
    let device = scene.device
    let task = scene.world.start { try await device.connect() }
    try await scene.world.wait(within: .seconds(30)) { task.isOver }
    let verifying = try #require(scene.diary.time(of: .verifying))
    let repeats = scene.diary.times { if case .openingRepeated = $0 { true } else { false } }
    #expect(repeats.map { $0 - verifying }.allSatisfy { $0 >= .milliseconds(1_500) } && repeats.count == 2)
    let told = scene.events.value.filter { if case .command("login", _, .silent) = $0 { true } else { false } }
    #expect(told.count == 3)
  }

  @Test("R4.7 messages before the handshake are ignored")
  func early() async throws {
    var careless = try DescribedScene.description("lock.json")
    careless.conversation?.handshake = nil
    let scene = try await DescribedScene.make(in: World(), "lock.json")
    let device = try DescribedDevice(careless, in: scene.central)
    try await scene.world.perform { try await device.connect() }
    let task = scene.world.start { try await device.perform("status") }
    try await scene.world.wait(within: .seconds(30)) { task.isOver }
    #expect(task.error(as: SessionError.self)?.code == .timedOut)
    #expect(scene.events.value.contains(.command("status", [], .untrusted)))
  }

  @Test("R4.8 a command is done when the file's answer has come, and a refusal has its reason")
  func answers() async throws {
    let scene = try await DescribedScene.make(in: World(), "lock.json")
    try await scene.connect()
    let begin = scene.world.now
    let answer = try await scene.perform("unlock", ["pin": "123456", "seconds": 20])
    #expect(answer == ["bolt": "open", "seconds": "20 s"])
    #expect(scene.world.now - begin >= .milliseconds(300))
    let refusal = try await scene.failure("unlock", ["pin": "654321"])
    #expect(refusal?.code == .refused)
    #expect(refusal?.message == #"the device refused "unlock" (reason wrong-pin)"#)
  }

  @Test("R4.8 a value that one command changes is read by another one")
  func state() async throws {
    let lock = try await DescribedScene.make(in: World(), "lock.json")
    try await lock.connect()
    #expect(
      try await lock.perform("status") == ["bolt": "locked", "charge": "64 %", "temperature": "-45 tenths of °C"])
    try await lock.perform("unlock", ["pin": "123456"])
    #expect(try await lock.perform("status")["bolt"] == "open")
    try await lock.perform("set-pin", ["pin": "000000"])
    #expect(try await lock.failure("unlock", ["pin": "123456"])?.code == .refused)
    #expect(try await lock.perform("unlock", ["pin": "000000"])["bolt"] == "open")
    let band = try await DescribedScene.make(in: World(), "smart-band.json")
    try await band.connect()
    try await band.perform("set-alarm", ["hour": 6, "minute": "45", "alarm": "daily", "label": "起きて"])
    #expect(try await band.perform("alarm") == ["hour": "6", "minute": "45", "alarm": "daily", "label": "起きて"])
  }

  @Test("R4.8 an unsolicited message of the device is reported by name, and is no answer")
  func notifications() async throws {
    let scene = try await DescribedScene.make(in: World(), "smart-band.json")
    try await scene.connect()
    let heard = Locked<[DescribedNotification]>([])
    let stream = scene.device.notifications()
    _ = scene.world.start { for await said in stream { heard.change { $0.append(said) } } }
    await scene.world.settle()
    for _ in 0..<3 {
      await scene.world.advance(by: .seconds(2))
      #expect(try await scene.perform("steps") == ["steps": "8421", "goal": "10000"])
    }
    try scene.played.set("pulse", to: "140")
    try scene.played.sendNotification("key")
    await scene.world.advance(by: .seconds(2))
    try await scene.world.wait(within: .seconds(5)) { heard.value.count >= 5 }
    let texts = heard.value.map { "\($0.name) \($0.readings.map(\.description).joined())" }
    #expect(texts.contains("heart-rate 72 beats/min") && texts.contains("key short"))
    #expect(texts.last == "heart-rate 140 beats/min")
  }

  @Test("R4.6 the tag's characteristics are read, written and subscribed to by the file's names")
  func tag() async throws {
    let scene = try await DescribedScene.make(in: World(), "itag.json")
    try await scene.connect()
    #expect(try await scene.perform("battery") == ["charge": "87 %"])
    try await scene.perform("alert")
    try await scene.perform("link-loss", ["loss-level": "off"])
    await scene.world.settle()
    #expect(scene.played.state["level"] == 2)
    #expect(try await scene.perform("link-loss-level") == ["loss-level": "off"])
    let heard = Locked<[String]>([])
    let stream = scene.device.notifications()
    _ = scene.world.start { for await said in stream { heard.change { $0.append(said.name) } } }
    await scene.world.advance(by: .seconds(1))
    try scene.played.sendNotification("button")
    try await scene.world.wait(within: .seconds(5)) { heard.value == ["button"] }
  }

  @Test(
    "R4.6 a tag of another vendor: its alert is written without response, and missing characteristics are not found")
  func otherTag() async throws {
    let world = World()
    let alert = CBMutableCharacteristic("2A06", .writeWithoutResponse, .writeable)
    let service = CBMutableService("1802", [alert])
    let tag = PeripheralApp("itag", on: world.makeDevice("tag"), services: [service], advertises: [])
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    await world.settle()
    let device = try DescribedDevice(try DescribedScene.description("itag.json"), in: central)
    try await world.perform { try await device.connect() }
    try await world.perform { _ = try await device.perform("alert", ["level": "mild"]) }
    try await world.wait(within: .seconds(5)) { tag.values[alert.uuid] == Data([1]) }
    #expect(try await world.failure(within: .seconds(5)) { try await device.perform("battery") }?.code == .notFound)
  }

  @Test("R4.9 after a loss the handshake comes first, then the commands continue")
  func losses() async throws {
    let scene = try await DescribedScene.make(in: World(), "lock.json", policy: ReconnectPolicy())
    try await scene.connect()
    for round in 1...5 {
      scene.other.moveAway()
      try await scene.world.wait(within: .seconds(60)) { scene.diary.losses.count == round }
      scene.other.comeBack()
      try await scene.world.wait(within: .seconds(60)) { scene.diary.readies.count == round + 1 }
      #expect(try await scene.perform("status")["charge"] == "64 %")
    }
    let handshakes = scene.reports.value.count { $0 == .handshakeTold }
    #expect(handshakes >= 6)
  }

  @Test(
    "R4.8 R4.9 a device that answers everything late: each answer is matched to its own command, stale ones to none")
  func late() async throws {
    var slow = try DescribedScene.description("lock.json")
    for index in slow.commands.indices where slow.commands[index].name != "login" {
      slow.commands[index].behaviour.delay = 3
    }
    let scene = try await DescribedScene.make(in: World(), "lock.json", played: slow)
    try await scene.connect()
    for _ in 0..<5 {
      let begin = scene.world.now
      #expect(try await scene.perform("status")["charge"] == "64 %")
      #expect(scene.world.now - begin < .seconds(4))
      #expect(try await scene.perform("lock") == ["bolt": "locked"])
      #expect(try await scene.failure("unlock", ["pin": "999999"])?.code == .refused)
    }
    #expect(scene.reports.value.contains(.told(command: "status", attempt: 2)))
  }

  @Test("R4.8 answers to commands that were never sent belong to no command")
  func unasked() async throws {
    var chatty = try DescribedScene.description("lock.json")
    let status = try #require(chatty.command(named: "status"))
    guard case .conversation(_, let answer?, _) = status.kind else { return }
    chatty.notifications.append(
      DeviceNotification(name: "chatter", summary: nil, path: nil, layout: answer, interval: 0.05))
    let scene = try await DescribedScene.make(in: World(), "lock.json", played: chatty)
    try await scene.connect()
    await scene.world.advance(by: .seconds(2))
    #expect(try await scene.perform("unlock", ["pin": "123456"]) == ["bolt": "open", "seconds": "5 s"])
    #expect(try await scene.failure("unlock", ["pin": "1"])?.code == .refused)
    #expect(scene.diary.state == .ready)
  }

  @Test("R4.10 damaged, cut and unknown frames are treated as the file says, and nothing stops")
  func damaged() async throws {
    let scene = try await DescribedScene.make(in: World(), "smart-band.json")
    try await scene.connect()
    let (session, path) = (scene.device.session, CharacteristicPath("FFF1", in: "FFF0"))
    let values = [
      "", "00", "AB", "AB0002", "AB00020099 5A", "AB000200025B", "FFFFFFFF", "AB00990099" + "5A",
      String(repeating: "AB", count: 100),
    ]
    for text in values {
      let value = try Hexadecimal.decode(text)
      try await scene.world.perform { try await session.write(value, to: path) }
    }
    await scene.world.advance(by: .seconds(1))
    #expect(scene.events.value.contains { if case .damaged = $0 { true } else { false } })
    // The rest of a frame that was cut is read with the first command after it, which is sent again.
    #expect(try await scene.perform("steps")["steps"] == "8421")
    #expect(try await scene.perform("steps")["goal"] == "10000")
  }

  @Test("R4.8 a command, a field or a value that the file does not define is an error that names it")
  func unknown() async throws {
    let scene = try await DescribedScene.make(in: World(), "lock.json")
    try await scene.connect()
    #expect(try await scene.failure("unlok")?.message.contains("Did you mean 'unlock'?") == true)
    #expect(try await scene.failure("unlock", ["pni": 1])?.message.contains("Did you mean 'pin'?") == true)
    #expect(try await scene.failure("unlock")?.message.contains("a value is missing") == true)
    let long = try await scene.failure("unlock", ["pin": "123456", "seconds": 61])
    #expect(long?.message == #""seconds": expected a whole number from 1 to 60, found 61"#)
  }
}
