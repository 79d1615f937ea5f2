import BLEGateway
import BLEText
import Foundation

extension Fuzzer {
  /// A configuration of `ble gateway`. No device file is on the disk.
  static let gatewayConfiguration = Fuzzer(name: "gateway-configuration") { octets in
    do throws(FileMistakes) {
      let configuration = try GatewayConfigurationReader.read(octets: octets, folder: "/f") { _ in
        throw CancellationError()
      }
      require(configuration.outbox.hasPrefix("/"), "an outbox without a folder")
      require(configuration.devices.count <= 256, "more devices than a gateway keeps")
      let topics = configuration.devices.compactMap(\.commands?.topic)
      require(Set(topics).count == topics.count, "two devices take commands from one topic")
      for topic in topics { require(!topic.contains { "+#".contains($0) }, "commands from a topic with a wildcard") }
    } catch {
      require(!error.all.isEmpty && error.all.allSatisfy { !$0.message.isEmpty }, "an error that says nothing")
      for line in error.lines(in: "f") { requireInert(line) }
    }
  } seeds: {
    [
      #"{"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1", "port": 1883}, "devices": [{"name": "owenli", "match": {"names": ["Owenli"]}, "values": ["FFF0/FFF1"], "read": ["180F/2A19"], "read_every": 5, "rssi_every": 2, "commands": {"write": ["FFF0/FFF2"]}}], "listen": [{"every": 30}]}"#,
      #"{"format": "ble-gateway/1", "gateway": "hall", "prefix": "site/ble", "broker": {"host": "b.example", "tls": {"ca": "ca.pem", "certificate": "c.pem", "key": "k.pem"}, "user": "hall", "password_credential": "password", "mqtt": "3.1.1", "largest_message": 4096, "wait_for_subscriber": true}, "outbox": {"file": "o", "rows": 100, "octets": 100000, "when_full": "refuse_newest"}, "listen": [{"match": {"services": ["180F"]}, "on_change": false, "at_most_every": 2, "every": 9, "devices": 7, "topic": "beacon", "beacon_masks": {"major": 65280, "minor": 0}, "home_assistant": true}], "home_assistant": true, "sensor_keys": {"file": "k"}, "identity_keys": {"credential": "i"}, "collect": {"file": "house.sqlite"}}"#,
      #"{"format": "ble-gateway/1", "gateway": "p", "broker": {"host": "h"}, "rooms": {"attic": "Under the roof"}, "presence": {"silence": 5, "absence": 30, "hysteresis": 9, "dwell": 2, "devices": 7, "track": {"owenli": "Owenli"}}, "merge": {"window": 2}}"#,
      #"{"format": "ble-gateway/1", "gateway": "g", "broker": {"host": "h", "password": "x"}, "devices": [{"name": "a", "device_file": "lamp.json"}, {"name": "a", "identifier": "5"}]}"#,
    ].map { Array($0.utf8) }
  }

  /// A message on a topic of commands.
  static let gatewayCommand = Fuzzer(name: "gateway-command") { octets in
    do throws(CommandRequest.Refusal) {
      let request = try CommandRequest(Data(octets))
      require(octets.count <= CommandRequest.longest, "a message that is too long was read")
      let length = request.identifier.unicodeScalars.count
      require((1...CommandRequest.longestIdentifier).contains(length), "an identifier without limits")
      requireInert(request.identifier)
      if case .write(_, let value, _) = request.action { require(value.count <= 4 * 512, "a value without limits") }
    } catch {
      require(!error.reason.isEmpty, "a refusal that says nothing")
      requireInert(error.reason)
      requireInert(error.identifier ?? "")
    }
  } seeds: {
    [
      #"{"id": "1", "write": "FFF0/FFF2", "value": {"utf8": "hello"}, "deadline": "2026-11-22T10:30:05.250Z"}"#,
      #"{"id": "x-9", "command": "open", "values": {"door": 1, "mode": "slow", "key": "0011"}, "reply": "ble/attic/reply/panel"}"#,
      #"{"id": "2", "write": "180F/2A19", "value": {"hex": "4f77"}, "with_response": false}"#,
      #"{"key": "attic/1/2", "event": "answer", "id": "1", "outcome": "done"}"#,
    ].map { Array($0.utf8) }
  }

  /// A message about leases, on the topic that the first octet chooses.
  static let gatewayLease = Fuzzer(name: "gateway-lease") { octets in
    guard let choice = octets.first else { return }
    let topics: [LeaseTopic] = [.lease(device: "C0:FF"), .offer(device: "C0:FF"), .pulse(gateway: "hall")]
    let topic = topics[Int(choice) % topics.count]
    do throws(LeaseMessageError) {
      let message = try LeaseMessage(octets.dropFirst(), on: topic)
      require(message.topic == topic, "a message of another topic")
      // Times and strengths are rounded when they are written.
      let written = Array(message.payload.utf8)
      guard written.count <= LeaseMessage.longest else { return }
      require((try? LeaseMessage(written, on: topic))?.topic == topic, "a message that cannot be read again")
    } catch {
      require(!error.message.isEmpty, "an error that says nothing")
      requireInert(error.message)
    }
  } seeds: {
    [
      "\u{0}"
        + #"{"format":"ble-gateway/1","device":"C0:FF","gateway":"hall","instance":"5f2c","epoch":7,"revision":3,"phase":"released","expires":3.0,"strength":-61.5,"successor":"attic/9","subscriptions":["180F/2A19"],"last":12}"#,
      "\u{0}"
        + #"{"format":"ble-gateway/1","device":"C0:FF","gateway":"hall","instance":"5f2c","epoch":7,"revision":3,"phase":"held","expires":3.0,"strength":null,"successor":null,"subscriptions":[],"last":null}"#,
      "\u{1}"
        + #"{"format":"ble-gateway/1","device":"C0:FF","gateway":"attic","instance":"9","epoch":8,"strength":-50}"#,
      "\u{2}" + #"{"format":"ble-gateway/1","gateway":"hall","instance":"5f2c","number":41,"end":false}"#,
    ].map { Array($0.utf8) }
  }

  /// A message that is stored with `collect`.
  static let gatewayHistory = Fuzzer(name: "gateway-history") { octets in
    guard let entry = CollectedFile.Entry(BrokerMessage(topic: "ble/attic/event", payload: Data(octets))) else {
      return
    }
    let parts = entry.key.split(separator: "/", omittingEmptySubsequences: false)
    require(parts.count == 3 && String(parts[0]) == entry.gateway, "a key of another gateway")
    require(entry.sequence > 0 && Int64(parts[2]) == entry.sequence, "a key with another number")
    require(entry.device.map { $0.count <= 64 } ?? true, "a name without limits")
  } seeds: {
    [
      #"{"key":"attic/9f/12","event":"value","time":"2026-11-22T10:30:05.250Z","gateway":"attic","device":"owenli","value":{"hex":"01"}}"#,
      #"{"key":"attic/9f/13","event":"dropped","time":"2026-11-22T10:30:05Z","device":null}"#,
      #"{"key":"a/b","event":1}"#,
    ].map { Array($0.utf8) }
  }

  /// What a terminal does not act on.
  static func requireInert(_ text: String) {
    let acts = text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    require(!acts, "a message that acts on a terminal")
  }
}
