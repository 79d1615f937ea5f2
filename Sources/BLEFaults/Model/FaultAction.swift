import BLECore
import BLEWire

/// What a fault does.
///
/// Where the event is a request (a read, a write, a subscription, a request of a phase), what changes octets or time concerns its answer;
/// otherwise it concerns the packet itself. Octets of an operation are counted in the value, octets of a packet or a phase from its first.
public enum FaultAction: Hashable, Sendable {
  /// The packet is lost: above the link layer, which repeats what the air loses. A lost request is not carried out.
  case drop
  /// It arrives this much later. What comes after it does not wait.
  case delay(Duration)
  /// It arrives this many times more.
  case repeated(Int)
  /// It arrives after the next packet of the same channel and direction; after a second, if there is none.
  case swapWithNext
  /// Only its first octets arrive.
  case cut(to: Int)
  /// This many zero octets follow it.
  case lengthen(by: Int)
  /// The bits of `mask` are inverted in one octet, counted from 0.
  case flip(octet: Int, mask: UInt8)
  /// Other octets arrive in its place: the whole PDU.
  case replace(with: [UInt8])
  /// The request is not carried out, and is answered with an error (Core, Vol 3 Part F 3.4.1.1).
  case error(ATTErrorCode)
  /// The request is carried out, and its answer is lost. An indication arrives, and its confirmation is lost.
  case noAnswer
  /// The device sends a PDU besides, on a channel; in front of a packet that is the event, and of an answer to it.
  case send(FaultChannel, [UInt8])
  /// The device ends the link, with a reason that HCI_Disconnect allows (Core, Vol 4 Part E 7.1.6). The packet is lost.
  case disconnect(HCIErrorCode)
  /// The device's controller fails and is reset: its links are gone without a word.
  case resetController
  /// The device's controller has another trouble. Simulated devices only.
  case controller(FaultControllerTrouble)
  /// The device closes its links, is switched off, and on again after a second.
  case restart
  /// The device's attribute table changes, with a Service Changed indication.
  case changeTable(FaultTableChange)
  /// The device forgets the keys of all its bonds.
  case forgetBond
  /// The device's radio sends and receives nothing for this long.
  case silence(Duration)
  /// The device declares another MTU than it uses, in octets, in its half of the exchange.
  case declareMTU(Int)
  /// The device's queue to the peer does not move for this long: what it sends waits there, and arrives in order after that.
  case fillQueue(Duration)
}

/// A fixed channel of L2CAP.
public enum FaultChannel: Hashable, Sendable, CaseIterable {
  /// The Attribute Protocol.
  case attributeProtocol
  /// The Security Manager Protocol.
  case securityManager
  /// L2CAP's signaling channel.
  case signaling
}

/// What can be wrong inside a controller, below what a host sees of packets.
public enum FaultControllerTrouble: Hashable, Sendable {
  /// The next packets of data for the host are lost, although the peer has their acknowledgement.
  case loseDataToHost(packets: Int)
  /// The next packets of data from the host are lost, although they are reported as completed.
  case loseDataFromHost(packets: Int)
  /// The next commands are neither carried out nor answered.
  case ignoreCommands(Int)
  /// The next encrypted packets are changed on the air, as by an attacker.
  case spoilEncryptedPackets(Int)
  /// It sends nothing more to its host, while its radio continues.
  case hang
}

/// A change of a device's attribute table.
public enum FaultTableChange: Hashable, Sendable {
  /// The service is removed.
  case removeService(BLEUUID)
  /// A service is added, with one readable characteristic of the same UUID and the value 00.
  case addService(BLEUUID)
  /// The services of the application move to handles that are higher by this many.
  case shiftHandles(by: Int)
}

extension FaultAction {
  /// The kinds of actions, by their names in JSON.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// `FaultAction.drop`.
    case drop
    /// `FaultAction.delay`.
    case delay
    /// `FaultAction.repeated`.
    case repeated = "repeat"
    /// `FaultAction.swapWithNext`.
    case swapWithNext = "swap_with_next"
    /// `FaultAction.cut`.
    case cut = "cut_to"
    /// `FaultAction.lengthen`.
    case lengthen = "lengthen_by"
    /// `FaultAction.flip`.
    case flip
    /// `FaultAction.replace`.
    case replace
    /// `FaultAction.error`.
    case error
    /// `FaultAction.noAnswer`.
    case noAnswer = "no_answer"
    /// `FaultAction.send` on the Attribute Protocol's channel.
    case sendAttributeProtocol = "send_att"
    /// `FaultAction.send` on the Security Manager Protocol's channel.
    case sendSecurityManager = "send_smp"
    /// `FaultAction.send` on L2CAP's signaling channel.
    case sendSignaling = "send_signaling"
    /// `FaultAction.disconnect`.
    case disconnect
    /// `FaultAction.resetController`.
    case resetController = "reset_controller"
    /// `FaultControllerTrouble.loseDataToHost`.
    case loseDataToHost = "lose_data_to_host"
    /// `FaultControllerTrouble.loseDataFromHost`.
    case loseDataFromHost = "lose_data_from_host"
    /// `FaultControllerTrouble.ignoreCommands`.
    case ignoreCommands = "ignore_commands"
    /// `FaultControllerTrouble.spoilEncryptedPackets`.
    case spoilEncryptedPackets = "spoil_encrypted_packets"
    /// `FaultControllerTrouble.hang`.
    case hangController = "hang_controller"
    /// `FaultAction.restart`.
    case restart
    /// `FaultTableChange.removeService`.
    case removeService = "remove_service"
    /// `FaultTableChange.addService`.
    case addService = "add_service"
    /// `FaultTableChange.shiftHandles`.
    case shiftHandles = "shift_handles_by"
    /// `FaultAction.forgetBond`.
    case forgetBond = "forget_bond"
    /// `FaultAction.silence`.
    case silence
    /// `FaultAction.declareMTU`.
    case declareMTU = "declare_mtu"
    /// `FaultAction.fillQueue`.
    case fillQueue = "fill_queue"

    /// Whether it is written without a value.
    var isPlain: Bool {
      switch self {
      case .drop, .swapWithNext, .noAnswer, .resetController, .hangController, .restart, .forgetBond: true
      default: false
      }
    }
  }

  /// Its kind.
  public var kind: Kind {
    switch self {
    case .drop: .drop
    case .delay: .delay
    case .repeated: .repeated
    case .swapWithNext: .swapWithNext
    case .cut: .cut
    case .lengthen: .lengthen
    case .flip: .flip
    case .replace: .replace
    case .error: .error
    case .noAnswer: .noAnswer
    case .send(.attributeProtocol, _): .sendAttributeProtocol
    case .send(.securityManager, _): .sendSecurityManager
    case .send(.signaling, _): .sendSignaling
    case .disconnect: .disconnect
    case .resetController: .resetController
    case .controller(.loseDataToHost): .loseDataToHost
    case .controller(.loseDataFromHost): .loseDataFromHost
    case .controller(.ignoreCommands): .ignoreCommands
    case .controller(.spoilEncryptedPackets): .spoilEncryptedPackets
    case .controller(.hang): .hangController
    case .restart: .restart
    case .changeTable(.removeService): .removeService
    case .changeTable(.addService): .addService
    case .changeTable(.shiftHandles): .shiftHandles
    case .forgetBond: .forgetBond
    case .silence: .silence
    case .declareMTU: .declareMTU
    case .fillQueue: .fillQueue
    }
  }

  /// Whether it needs a packet: what is done to a device can begin at any time.
  public var needsPacket: Bool {
    switch kind {
    case .drop, .delay, .repeated, .swapWithNext, .cut, .lengthen, .flip, .replace, .error, .noAnswer, .declareMTU:
      true
    case .sendAttributeProtocol, .sendSecurityManager, .sendSignaling, .disconnect, .resetController, .loseDataToHost,
      .loseDataFromHost, .ignoreCommands, .spoilEncryptedPackets, .hangController, .restart,
      .removeService, .addService, .shiftHandles, .forgetBond, .silence,
      .fillQueue:
      false
    }
  }
}
