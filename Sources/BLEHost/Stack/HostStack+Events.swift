import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

extension HostStack {
  public func controller(_ controller: HCIController, didReceive event: HCIEvent) {
    switch event {
    case .leAdvertisingReport(let event): for report in event.reports { receive(report) }
    case .leExtendedAdvertisingReport(let event): event.reports.forEach { receive($0) }
    case .leConnectionComplete(let event):
      connectionCompleted(event.status, event.connectionHandle, event.role, event.peerAddress)
    case .leEnhancedConnectionComplete(let event):
      connectionCompleted(
        event.status, event.connectionHandle, event.role, event.peerAddress, local: event.localResolvableAddress,
        remote: event.peerResolvableAddress)
    case .leEnhancedConnectionCompleteV2(let event):
      connectionCompleted(
        event.status, event.connectionHandle, event.role, event.peerAddress, local: event.localResolvableAddress,
        remote: event.peerResolvableAddress)
    case .encryptionChange(let event):
      connections[event.connectionHandle]?.encryptionChanged(event.status, isOn: event.state != .off)
    case .encryptionChangeV2(let event):
      connections[event.connectionHandle]?.encryptionChanged(event.status, isOn: event.state != .off)
    case .encryptionKeyRefreshComplete(let event):
      connections[event.connectionHandle]?.encryptionChanged(event.status, isOn: true)
    case .leLongTermKeyRequest(let event): longTermKeyRequested(event)
    case .disconnectionComplete(let event):
      disconnectionCompleted(event.status, event.connectionHandle, event.reason)
    case .leAdvertisingSetTerminated(let event): advertisingInput(.stoppedByController(event.advertisingHandle))
    case .leReadRemoteFeaturesComplete(let event):
      connections[event.connectionHandle]?.didReceiveFeatures(event.status.isSuccess ? event.features : [])
    case .lePHYUpdateComplete(let event):
      if event.status.isSuccess { connections[event.connectionHandle]?.phyDidChange(event.transmitPHY) }
    case .leRemoteConnectionParameterRequest(let event): answer(event)
    default: break
    }
  }

  private func receive(_ report: LEAdvertisingReportEvent.Report) {
    scanner.receive(
      AdvertisingReport(
        address: resolve(report.address.address),
        isConnectable: report.type == .connectable || report.type == .directed,
        isScanResponse: report.type == .scanResponse, isLegacy: true, rssi: report.rssi, data: report.data))
  }

  private func receive(_ report: LEExtendedAdvertisingReportEvent.Report) {
    let type = report.type
    // Without an address, a device cannot be identified.
    if report.address.type == .anonymous { return }
    scanner.receive(
      part: AdvertisingReport(
        address: resolve(report.address.address), isConnectable: type.contains(.connectable),
        isScanResponse: type.contains(.scanResponse), isLegacy: type.contains(.legacy), rssi: report.rssi,
        data: report.data),
      set: report.setIdentifier,
      type.contains(.incomplete) ? .moreToCome : type.contains(.truncated) ? .truncated : .complete)
  }

  /// Answers a link-layer request of the peer for other parameters (Core, Vol 6 Part B 5.1.7).
  private func answer(_ request: LERemoteConnectionParameterRequestEvent) {
    let parameters = L2CAPConnectionParameterUpdateRequest(
      intervalMin: request.intervalMinimum.rawValue, intervalMax: request.intervalMaximum.rawValue,
      latency: request.latency, timeout: request.supervisionTimeout.rawValue)
    guard connections[request.connectionHandle] != nil, parameters.isAcceptable else {
      controller.send(
        LERemoteConnectionParameterRequestNegativeReply(
          connectionHandle: request.connectionHandle, reason: .unacceptableConnectionParameters))
      return
    }
    controller.send(
      LERemoteConnectionParameterRequestReply(
        connectionHandle: request.connectionHandle,
        parameters: ConnectionParameters(
          intervalMinimum: request.intervalMinimum, intervalMaximum: request.intervalMaximum, latency: request.latency,
          supervisionTimeout: request.supervisionTimeout)))
  }
}
