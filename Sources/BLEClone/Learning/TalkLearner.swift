import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

/// Sorts what was read, written and said by attribute, and decides what each notification belongs to: to a write in front of it, or to the
/// subscription.
struct TalkLearner {
  /// A notification this long behind a write, or behind the one in front of it, may be the write's answer; in microseconds.
  private static let patience: Int64 = 1_000_000

  private struct Push {
    let handle: UInt16
    let link: Int
    let said: StreamLearner.Said
    /// The write that it may answer.
    var cause: (handle: UInt16, index: Int)?
  }

  private(set) var values: [UInt16: ValueLearner] = [:]
  private(set) var writes: [UInt16: [AnswerLearner.Instance]] = [:]
  private(set) var runs: [UInt16: [StreamLearner.Run]] = [:]
  private var pushes: [Push] = []
  private let table: ClonedTable

  // Of the link that is being read.
  private var last: (handle: UInt16, index: Int, time: Int64)?
  private var chain: [UInt16: Int64] = [:]
  private var configurations: [UInt16: UInt16] = [:]
  /// When the client has subscribed: what it wrote before that is not what is answered.
  private var subscribed: [UInt16: Int64] = [:]
  private var prepared: [(handle: UInt16, offset: Int, octets: Data)] = []

  init(_ talk: LoggedTalk, _ table: ClonedTable, pushing handles: Set<UInt16>) {
    self.table = table
    for (number, link) in talk.links.enumerated() {
      last = nil
      chain = [:]
      configurations = [:]
      subscribed = [:]
      prepared = []
      for handle in handles {
        runs[handle, default: []].append(
          StreamLearner.Run(beginning: .connection, began: link.began, ended: link.ended))
      }
      for step in link.steps {
        switch step {
        case .exchange(let index): add(talk.exchanges[index])
        case .command(let pdu, let time, _): command(pdu, time)
        case .push(let pdu, let time): push(pdu, number, time)
        case .confirmation: break
        }
      }
      for handle in handles { end(handle, at: link.ended) }
    }
    distribute()
  }

  // MARK: Reading

  private mutating func add(_ exchange: LoggedTalk.Exchange) {
    guard let response = exchange.response, let request = try? ATTClientPDU(exchange.request[...]),
      let answer = try? ATTServerPDU(response[...])
    else { return }
    let (time, room) = (exchange.time, exchange.mtu - 1)
    switch (request, answer) {
    case (.readRequest(let request), .readResponse(let answer)):
      let octets = Data(answer.attributeValue)
      read(request.attributeHandle.rawValue, octets, time, isWhole: octets.count < room)
    case (.readBlobRequest(let request), .readBlobResponse(let answer)):
      let octets = Data(answer.partAttributeValue)
      let handle = request.attributeHandle.rawValue
      if request.valueOffset == 0 {
        read(handle, octets, time, isWhole: octets.count < room)
      } else {
        values[handle]?.extend(octets, offset: Int(request.valueOffset), isWhole: octets.count < room)
      }
    case (.readByTypeRequest(let request), .readByTypeResponse(let answer)):
      guard request.attributeType != ClonedTable.characteristic, request.attributeType != ClonedTable.include else {
        return
      }
      let longest = min(exchange.mtu - 4, 253)
      for entry in (try? answer.entries()).map({ Array($0) }) ?? [] {
        let octets = Data(entry.attributeValue)
        read(entry.attributeHandle.rawValue, octets, time, isWhole: octets.count < longest)
      }
    case (.readMultipleVariableRequest(let request), .readMultipleVariableResponse(let answer)):
      var rest = answer.lengthValueTupleList
      for handle in request.setOfHandles {
        guard rest.count >= 2 else { return }
        let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
        rest = rest.dropFirst(2)
        read(handle.rawValue, Data(rest.prefix(length)), time, isWhole: rest.count >= length)
        rest = rest.dropFirst(length)
      }
    case (.writeRequest(let request), .writeResponse):
      wrote(request.attributeHandle.rawValue, Data(request.attributeValue), time)
    case (.prepareWriteRequest(let request), .prepareWriteResponse):
      if prepared.count < 64 {
        prepared.append(
          (request.attributeHandle.rawValue, Int(request.valueOffset), Data(request.partAttributeValue)))
      }
    case (.executeWriteRequest(let request), .executeWriteResponse):
      let parts = prepared
      prepared = []
      guard request.flags.rawValue == 1 else { return }
      for (handle, value) in ClonedServer.assembled(parts) { wrote(handle, value, time) }
    default: break
    }
  }

  private mutating func read(_ handle: UInt16, _ octets: Data, _ time: Int64, isWhole: Bool) {
    // What a configuration says is what this client has written.
    guard table.configured[handle] == nil, table[handle]?.declaration == nil else { return }
    let octets = Data(octets.prefix(RecordedValue.longest))
    values[handle, default: ValueLearner()].add(.read(octets, time: time, isWhole: isWhole))
  }

  // MARK: Writing

  private mutating func command(_ pdu: [UInt8], _ time: Int64) {
    switch try? ATTClientPDU(pdu[...]) {
    case .writeCommand(let command)?:
      wrote(command.attributeHandle.rawValue, Data(command.attributeValue), time)
    case .signedWriteCommand(let command)?:
      wrote(command.attributeHandle.rawValue, Data(command.attributeValue), time)
    default: break
    }
  }

  private mutating func wrote(_ handle: UInt16, _ whole: Data, _ time: Int64) {
    // Not a handle (Core, Vol 3 Part F 3.2.2): what a device says to it is kept as an exchange.
    guard handle > 0 else { return }
    let value = Data(whole.prefix(RecordedValue.longest))
    if let target = table.configured[handle] {
      guard value.count == 2 else { return }
      let bits = UInt16(value[value.startIndex]) & 3
      let before = configurations[target] ?? 0
      configurations[target] = bits
      guard runs[target] != nil else { return }
      if bits == 0 {
        end(target, at: time)
      } else if before == 0 {
        subscribed[target] = time
        end(target, at: time)
        runs[target]?.append(StreamLearner.Run(beginning: .subscription, began: time, ended: time))
      }
      return
    }
    values[handle, default: ValueLearner()].add(.written(value))
    last = (handle, writes[handle]?.count ?? 0, time)
    chain = [:]
    writes[handle, default: []].append(AnswerLearner.Instance(write: value, time: time))
  }

  private mutating func end(_ handle: UInt16, at time: Int64) {
    guard let count = runs[handle]?.count, count > 0, runs[handle]?[count - 1].isOpen == true else { return }
    runs[handle]?[count - 1].ended = time
    runs[handle]?[count - 1].isOpen = false
  }

  // MARK: What was said

  /// The attribute and the value of a notification or an indication.
  static func said(_ pdu: [UInt8]) -> [(handle: UInt16, octets: Data)] {
    switch try? ATTServerPDU(pdu[...]) {
    case .handleValueNotification(let packet)?: [(packet.attributeHandle.rawValue, Data(packet.attributeValue))]
    case .handleValueIndication(let packet)?: [(packet.attributeHandle.rawValue, Data(packet.attributeValue))]
    case .multipleHandleValueNotification(let packet)?:
      ((try? packet.tuples()) ?? []).map { ($0.attributeHandle.rawValue, Data($0.attributeValue)) }
    default: []
    }
  }

  private mutating func push(_ pdu: [UInt8], _ link: Int, _ time: Int64) {
    let isIndication = pdu.first == ATTOpcode.handleValueIndication.rawValue
    for (handle, whole) in Self.said(pdu) where runs[handle] != nil {
      let octets = Data(whole.prefix(RecordedValue.longest))
      values[handle, default: ValueLearner()].add(.notified(octets))
      var push = Push(
        handle: handle, link: link, said: StreamLearner.Said(time: time, octets: octets, isIndication: isIndication))
      if let last, last.time >= subscribed[handle] ?? 0, time - (chain[handle] ?? last.time) <= Self.patience {
        push.cause = (last.handle, last.index)
        chain[handle] = time
      }
      pushes.append(push)
    }
  }

  private mutating func distribute() {
    var byHandle: [UInt16: [Push]] = [:]
    for push in pushes { byHandle[push.handle, default: []].append(push) }
    let streaming = Set(byHandle.filter { isStream($0.value) }.keys)
    for push in pushes {
      if let cause = push.cause, !streaming.contains(push.handle) {
        writes[cause.handle]?[cause.index].said.append(
          AnswerLearner.Said(
            handle: push.handle, isIndication: push.said.isIndication, time: push.said.time, octets: push.said.octets))
      } else if let index = runs[push.handle]?.lastIndex(where: { $0.began <= push.said.time }) {
        var said = push.said
        // What was on its way when the central ended the subscription.
        said.time = min(said.time, runs[push.handle]?[index].ended ?? said.time)
        runs[push.handle]?[index].said.append(said)
      }
    }
    pushes = []
  }

  /// Whether an attribute is said at a pace of its own, whatever is written meanwhile.
  private func isStream(_ all: [Push]) -> Bool {
    guard all.contains(where: { $0.cause != nil }) else { return true }
    let gaps = zip(all, all.dropFirst()).compactMap { $0.link == $1.link ? $1.said.time - $0.said.time : nil }
    guard gaps.pace != nil else { return false }
    guard all.allSatisfy({ $0.cause != nil }) else { return true }
    // As regular as the central asks: each write of one value has as many answers as the others of that value.
    var counts: [UInt16: [Int: Int]] = [:]
    for push in all { if let cause = push.cause { counts[cause.handle, default: [:]][cause.index, default: 0] += 1 } }
    return counts.contains { handle, counts in
      var seen: [Data: Int] = [:]
      return (writes[handle] ?? []).enumerated().contains { index, instance in
        let count = counts[index] ?? 0
        defer { seen[instance.write] = count }
        return seen[instance.write].map { $0 != count } ?? false
      }
    }
  }
}
