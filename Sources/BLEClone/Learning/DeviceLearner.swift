import BLECapture
import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

/// A clone: the recording of a device, and how much of its log it explains by what.
public struct LearnedDevice: Sendable {
  /// What the device is called: its advertised name, its Device Name, or its address.
  public var name: String
  public var recording: RecordedDevice
  /// The rules and what else there is, counted.
  public internal(set) var counts = Counts()

  public struct Counts: Sendable, Hashable {
    public internal(set) var attributes = 0
    /// Attributes that were used without being discovered in the log.
    public internal(set) var undiscovered = 0
    /// Rules for the answers to writes.
    public internal(set) var rules = 0
    /// Streams of notifications.
    public internal(set) var streams = 0
    /// Values, answers and streams that no rule makes: they are played in their order.
    public internal(set) var sequences = 0
    /// Requests that are answered as they were in the log, against what the attributes say.
    public internal(set) var exchanges = 0
  }
}

/// Makes a clone of what a log says of a device. The same log makes the same clone.
public struct DeviceLearner {
  private let device: LoggedDevice
  let talk: LoggedTalk
  var learned: LearnedDevice
  /// The number of entries that have no room in the file.
  var leftOut = 0

  public static func learn(_ device: LoggedDevice) -> LearnedDevice {
    var learner = DeviceLearner(device)
    learner.learn()
    return learner.learned
  }

  private init(_ device: LoggedDevice) {
    self.device = device
    talk = LoggedTalk(device)
    learned = LearnedDevice(name: device.address.description, recording: RecordedDevice())
  }

  private mutating func learn() {
    learnAir()
    let (table, handles) = learnTable()
    learnTalk(table, handles)
    learnName()
    note()
    learnExchanges()
  }

  // MARK: The air and the links

  private mutating func learnAir() {
    let heard = device.advertisements.enumerated().sorted { left, right in
      left.element.count != right.element.count
        ? left.element.count > right.element.count : left.offset < right.offset
    }.map(\.element)
    learned.recording.advertisements = heard.prefix(LearningBudget.advertisements).map { advertisement in
      RecordedAdvertisement(
        data: Data(advertisement.content.data), isScanResponse: advertisement.content.isScanResponse,
        isConnectable: advertisement.content.isConnectable,
        interval: advertisement.shortestGap.map { min($0 / 1_000, LearningBudget.longestTime) })
    }
    var seen: Set<LinkParameters> = []
    for parameters in device.links.flatMap(\.parameters) where seen.count < 64 && seen.insert(parameters).inserted {
      learned.recording.connections.append(
        RecordedConnection(
          interval: parameters.interval, latency: parameters.latency,
          supervisionTimeout: parameters.supervisionTimeout))
    }
    // Of the link on which it asked most often: each link hears the same.
    if let link = device.links.max(by: { $0.asked.count < $1.asked.count }) {
      learned.recording.parameterRequests = link.asked.map { asked in
        let delay = max(0, asked.time.nanoseconds &- link.began.nanoseconds) / 1_000
        return RecordedParameterRequest(
          delay: min(delay, LearningBudget.longestTime), minimumInterval: asked.intervalMin,
          maximumInterval: asked.intervalMax, latency: asked.latency, supervisionTimeout: asked.timeout)
      }
    }
    learned.recording.security.isDemanded = device.links.contains(where: \.demandsSecurity)
    learned.recording.security.isPaired = device.links.contains(where: \.isPaired)
    learned.recording.security.isEncrypted = device.links.contains(where: \.isEncrypted)
  }

  // MARK: The database

  private mutating func learnTable() -> (ClonedTable, Set<UInt16>) {
    var table = TableLearner()
    var pushing: Set<UInt16> = []
    var configurations: [UInt16] = []
    func used(_ pdu: [UInt8], _ isEncrypted: Bool) {
      switch try? ATTClientPDU(pdu[...]) {
      case .writeRequest(let packet)?:
        if packet.attributeValue.count == 2, packet.attributeValue.dropFirst().first == 0,
          packet.attributeValue.first.map({ $0 <= 3 }) == true
        {
          configurations.append(packet.attributeHandle.rawValue)
        }
      case .writeCommand(let packet)?: table.wrote(packet.attributeHandle.rawValue, isEncrypted)
      case .signedWriteCommand(let packet)?: table.wrote(packet.attributeHandle.rawValue, isEncrypted)
      default: break
      }
    }
    for link in talk.links {
      for step in link.steps {
        switch step {
        case .exchange(let index):
          table.add(talk.exchanges[index])
          used(talk.exchanges[index].request, talk.exchanges[index].isEncrypted)
        case .command(let pdu, _, let isEncrypted): used(pdu, isEncrypted)
        case .push(let pdu, _): pushing.formUnion(TalkLearner.said(pdu).map(\.handle).filter { $0 > 0 })
        case .confirmation: break
        }
      }
    }
    for handle in pushing.sorted() { table.uses(handle) }
    leftOut += max(0, pushing.count - LearningBudget.pushing)
    for handle in configurations { assumeConfiguration(handle, &table, pushing) }
    let recorded = table.recorded
    learned.recording.attributes = Array(recorded.prefix(LearningBudget.attributes))
    leftOut += recorded.count - learned.recording.attributes.count
    learned.recording.maximumTransmissionUnit = table.maximumTransmissionUnit
    learned.counts.attributes = learned.recording.attributes.count
    learned.counts.undiscovered = learned.recording.attributes.count { $0.kind == .value(type: nil) }
    return (ClonedTable(learned.recording), Set(pushing.sorted().prefix(LearningBudget.pushing)))
  }

  /// An attribute without a type that is written like a Client Characteristic Configuration, close behind one that notifies, is one.
  private func assumeConfiguration(_ handle: UInt16, _ table: inout TableLearner, _ pushing: Set<UInt16>) {
    guard let attribute = table.attributes[handle], attribute.type == nil, attribute.kind == nil,
      let value = (1...4).lazy.compactMap({ handle > $0 ? handle - $0 : nil }).first(where: pushing.contains),
      // The server makes it the configuration of the characteristic in front of it.
      handle == value + 1
    else { return }
    table.assume(ClonedTable.clientConfiguration, at: handle)
  }

  private mutating func learnName() {
    let table = ClonedTable(learned.recording)
    let names = table.entries.compactMap { entry -> String? in
      guard entry.type == BLEUUID(0x2A00), case .parts(let parts)? = entry.recorded.value,
        case .constant(let octets)? = parts.first, !octets.isEmpty
      else { return nil }
      return String(decoding: octets, as: UTF8.self)
    }
    let name = learned.recording.advertisedName ?? names.first
    // The file's longest name.
    if let name, !name.isEmpty, name.utf8.count <= 248 { learned.name = name }
  }

  // MARK: Exchanges

  /// Plays the log's client against what was learned so far: what is answered otherwise is kept as it was recorded.
  private mutating func learnExchanges() {
    let wrong = CloneReplay(device, learned.recording).run().wrongRequests
    guard !wrong.isEmpty else { return }
    var responses: [[UInt8]: [Data]] = [:]
    var order: [[UInt8]] = []
    for exchange in talk.exchanges where wrong.contains(exchange.request) {
      guard let response = exchange.response else { continue }
      if responses[exchange.request] == nil { order.append(exchange.request) }
      responses[exchange.request, default: []].append(Data(response))
    }
    var budget = LearningBudget()
    var exchanges: [RecordedExchange] = []
    for request in order {
      var kept = budget.keep(responses[request] ?? []) { 2 * $0.count + 4 }
      // The last one stays: that it stays need not be written.
      while kept.count > 1, kept[kept.count - 1] == kept[kept.count - 2] { kept.removeLast() }
      if !kept.isEmpty { exchanges.append(RecordedExchange(request: Data(request), responses: kept)) }
    }
    learned.recording.exchanges = exchanges
    learned.counts.exchanges = exchanges.count
    if !exchanges.isEmpty {
      learned.recording.notes.append(
        "\(exchanges.count) requests are answered as they were, because the attributes would say something else.")
    }
    if budget.leftOut > 0 {
      learned.recording.notes.append("\(budget.leftOut) responses were left out, to keep the file short.")
    }
  }

  // MARK: Notes

  private mutating func note() {
    func add(_ count: Int, _ sentence: String) {
      if count > 0 { learned.recording.notes.append("\(count) \(sentence)") }
    }
    add(
      learned.counts.undiscovered,
      "attributes have no type: the log's client knew their handles from before and did not discover them.")
    add(talk.strayResponses, "responses have no request in the log.")
    add(talk.unanswered, "requests have no response in the log.")
    add(device.damagedFrames, "pieces of frames have no rest in the log.")
    add(device.leftOutPDUs, "PDUs were left out, because the conversation is longer than what is kept.")
    add(device.leftOutLinks, "links were left out, because there are more than are kept.")
    add(device.otherDatabasePDUs, "PDUs belong to the database of the log's host, which the device used.")
    add(device.otherFrames, "frames of other L2CAP channels are not part of the clone.")
    add(leftOut, "entries were left out, to keep the file short.")
    if device.links.contains(where: { $0.isEncrypted }), device.pdus.isEmpty {
      learned.recording.notes.append("Links were encrypted, and nothing that was said on them is in the log.")
    }
    learned.recording.notes = Array(learned.recording.notes.prefix(1_000))
  }
}
