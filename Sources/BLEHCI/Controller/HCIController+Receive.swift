import BLECore
import BLEWire

extension HCIController {
  func receiveData(_ data: consuming HCIPacket) {
    let packet: HCIACLPacket
    do throws(DecodeError) {
      packet = try HCIACLPacket(data)
    } catch {
      tally.malformedData += 1
      log.log(.warning, "\(error)")
      return
    }
    guard let link = self.data.link(packet.connectionHandle), let receiver = link.receiver else {
      tally.droppedData += 1
      if isReady, self.data.link(packet.connectionHandle) == nil { earlyData.hold(packet, at: loop.now) }
      log.log(.debug, "data for link \(packet.connectionHandle), which has no receiver")
      return
    }
    receiver.link(link, didReceive: packet)
  }

  func receiveEvent(_ octets: [UInt8]) {
    do throws(DecodeError) {
      let packet = try HCIEventPacket(octets)
      if packet.code == NumberOfCompletedPacketsEvent.code {
        completed(try packet.decode(NumberOfCompletedPacketsEvent.self).counts)
      } else {
        receive(try HCIEvent(packet))
      }
    } catch {
      tally.malformedEvents += 1
      log.log(.warning, "\(error)")
    }
  }

  private func receive(_ event: HCIEvent) {
    switch event {
    case .commandComplete(let answer): receiveAnswer(answer)
    case .commandStatus(let answer): receiveAnswer(answer)
    case .hardwareError(let error): if isReset { fail(.hardwareError(code: error.hardwareCode)) } else { ignore(event) }
    case .dataBufferOverflow: if isReady { fail(.dataBufferOverflow) } else { ignore(event) }
    case .leConnectionComplete, .leEnhancedConnectionComplete, .leEnhancedConnectionCompleteV2: connected(event)
    case .disconnectionComplete(let end): disconnected(end)
    default: tell(event)
    }
  }

  private func tell(_ event: HCIEvent) {
    // Events before the end of the start-up were caused by the previous user of the controller.
    if isReady { delegate?.controller(self, didReceive: event) } else { ignore(event) }
  }

  private func ignore(_ event: HCIEvent) {
    tally.ignoredEvents += 1
    log.log(.debug, "ignored: \(event)")
  }

  private func connected(_ event: HCIEvent) {
    guard isReady, let complete = event.connectionComplete else { return ignore(event) }
    if complete.status.isSuccess {
      // A handle that is in use or invalid: the existing link must not receive another's data.
      guard complete.connectionHandle.rawValue <= 0x0EFF, data.open(complete.connectionHandle) != nil else {
        return ignore(event)
      }
    }
    tell(event)
    guard complete.status.isSuccess else { return }
    for packet in earlyData.take(for: complete.connectionHandle, at: loop.now) {
      guard let link = data.link(complete.connectionHandle), let receiver = link.receiver else { return }
      tally.droppedData -= 1
      receiver.link(link, didReceive: packet)
    }
  }

  private func disconnected(_ event: DisconnectionCompleteEvent) {
    if event.status.isSuccess {
      guard let link = data.link(event.connectionHandle) else { return ignore(.disconnectionComplete(event)) }
      data.close(link)
      earlyData.linkEnded(event.connectionHandle, at: loop.now)
    }
    tell(.disconnectionComplete(event))
  }

  private func completed(_ counts: HCICompletedPackets) {
    for entry in counts {
      guard let link = data.link(entry.connectionHandle) else {
        tally.ignoredEvents += 1
        continue
      }
      if !data.complete(Int(entry.count), of: link) { return fail(.tooManyCompletedPackets(entry.connectionHandle)) }
    }
    data.pump()
  }
}
