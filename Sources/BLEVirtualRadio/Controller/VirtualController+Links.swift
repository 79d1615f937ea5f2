import BLECore
import BLEWire

/// Commands for existing connections.
extension VirtualController {
  func connection(_ handle: ConnectionHandle) throws -> Connection {
    guard let connection = connections[handle.rawValue] else { throw HCIErrorCode.unknownConnectionIdentifier }
    return connection
  }

  static func addLinkCommands(to table: inout CommandTable) {
    table.beginning(HCIDisconnect.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      guard [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B].contains(command.reason.rawValue) else {
        throw HCIErrorCode.invalidParameters
      }
      guard connection.terminationSent == nil else { throw HCIErrorCode.commandDisallowed }
      return { connection.terminate(reason: command.reason.rawValue) }
    }
    table.beginning(HCIReadRemoteVersionInformation.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      return {
        if connection.procedures.remoteVersion != nil {
          controller.reportRemoteVersion(of: connection, status: .success)
        } else {
          connection.start(.versionExchange)
        }
      }
    }
    table.beginning(LEReadRemoteFeatures.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      return {
        if connection.procedures.remoteFeatures != nil {
          controller.reportRemoteFeatures(of: connection, status: .success)
        } else {
          connection.start(.featureExchange)
        }
      }
    }
    table.values(HCIReadRSSI.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      return .init(connectionHandle: command.connectionHandle, rssi: connection.readSignal())
    }
    table.values(LEReadChannelMap.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      return .init(
        connectionHandle: command.connectionHandle, channels: LEChannelMap(rawValue: connection.channelMap))
    }
    table.values(HCIReadTransmitPowerLevel.self) { controller, command in
      _ = try controller.connection(command.connectionHandle)
      guard command.type.rawValue <= 1 else { throw HCIErrorCode.invalidParameters }
      return .init(
        connectionHandle: command.connectionHandle,
        transmitPower: command.type == .maximum ? 20 : controller.node.transmitPower)
    }
    addTimingCommands(to: &table)
    addDataLengthAndPHYCommands(to: &table)
  }

  private static func addTimingCommands(to table: inout CommandTable) {
    table.beginning(LEConnectionUpdate.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      let parameters = command.parameters
      guard isValid(parameters) else { throw HCIErrorCode.invalidParameters }
      let isBusy = connection.procedures.contains {
        switch $0 {
        case .connectionUpdate, .parameterRequest: true
        default: false
        }
      }
      if isBusy || connection.procedures.timingChange != nil { throw HCIErrorCode.commandDisallowed }
      connection.eventLengthLimit = .microseconds(Int64(parameters.eventLengthMaximum) * 625)
      return {
        if connection.isCentral {
          connection.start(.connectionUpdate(timing(parameters, interval: parameters.intervalMinimum)))
        } else {
          connection.start(
            .parameterRequest(
              ConnectionParameterRequest(
                intervalMinimum: parameters.intervalMinimum.rawValue,
                intervalMaximum: parameters.intervalMaximum.rawValue, latency: parameters.latency,
                timeout: parameters.supervisionTimeout.rawValue, preferredPeriodicity: 0, referenceEventCount: 0,
                offsets: [UInt8](repeating: 0xFF, count: 12))))
        }
      }
    }
    table.values(LERemoteConnectionParameterRequestReply.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      guard connection.procedures.openRequest != nil else { throw HCIErrorCode.commandDisallowed }
      guard isValid(command.parameters) else { throw HCIErrorCode.invalidParameters }
      connection.answerParameterRequest(timing(command.parameters, interval: command.parameters.intervalMaximum))
      return .init(connectionHandle: command.connectionHandle)
    }
    table.values(LERemoteConnectionParameterRequestNegativeReply.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      guard connection.procedures.openRequest != nil else { throw HCIErrorCode.commandDisallowed }
      connection.answerParameterRequest(nil, reason: command.reason.rawValue)
      return .init(connectionHandle: command.connectionHandle)
    }
  }

  private static func addDataLengthAndPHYCommands(to table: inout CommandTable) {
    table.values(LESetDataLength.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      guard (27...251).contains(command.transmitOctets), (328...17_040).contains(command.transmitTime) else {
        throw HCIErrorCode.invalidParameters
      }
      connection.preferredTransmit = DataLengthLimit(octets: command.transmitOctets, time: command.transmitTime)
      if connection.isEstablished { connection.announceDataLength() }
      return .init(connectionHandle: command.connectionHandle)
    }
    table.values(LEReadPHY.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      return .init(
        connectionHandle: command.connectionHandle, transmitPHY: connection.transmitPHY,
        receivePHY: connection.receivePHY)
    }
    table.beginning(LESetPHY.self) { controller, command in
      let connection = try controller.connection(command.connectionHandle)
      let all: LEPHYSet = [.le1M, .le2M, .leCoded]
      let transmit = command.preference.contains(.noTransmitPreference) ? all : command.transmitPHYs
      let receive = command.preference.contains(.noReceivePreference) ? all : command.receivePHYs
      guard !transmit.isEmpty, !receive.isEmpty, transmit.isSubset(of: all), receive.isSubset(of: all) else {
        throw HCIErrorCode.unsupportedFeatureOrParameter
      }
      let isBusy = connection.procedures.contains { if case .phyUpdate = $0 { true } else { false } }
      if isBusy { throw HCIErrorCode.commandDisallowed }
      return { connection.start(.phyUpdate(transmit: transmit, receive: receive, isFromHost: true)) }
    }
  }
}
