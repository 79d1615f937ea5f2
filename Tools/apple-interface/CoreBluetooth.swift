// Apple's Core Bluetooth API as declarations only: for type-checking that a source uses nothing but it. Never linked, never run.
@_exported import Foundation
@_exported import Dispatch
public typealias CFAbsoluteTime = Double
public typealias CFUUID = NSUUID
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { fatalError() }
public typealias CBL2CAPPSM = UInt16

public let CBCentralManagerOptionShowPowerAlertKey: String = "CBCentralManagerOptionShowPowerAlertKey"
public let CBCentralManagerOptionRestoreIdentifierKey: String = "CBCentralManagerOptionRestoreIdentifierKey"
public let CBCentralManagerOptionDeviceAccessForMedia: String = "CBCentralManagerOptionDeviceAccessForMedia"
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "CBCentralManagerScanOptionAllowDuplicatesKey"
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String =
  "CBCentralManagerScanOptionSolicitedServiceUUIDsKey"
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "CBConnectPeripheralOptionNotifyOnConnectionKey"
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String =
  "CBConnectPeripheralOptionNotifyOnDisconnectionKey"
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "CBConnectPeripheralOptionNotifyOnNotificationKey"
public let CBConnectPeripheralOptionStartDelayKey: String = "CBConnectPeripheralOptionStartDelayKey"
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String =
  "CBConnectPeripheralOptionEnableTransportBridgingKey"
public let CBConnectPeripheralOptionRequiresANCS: String = "CBConnectPeripheralOptionRequiresANCS"
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "CBConnectPeripheralOptionEnableAutoReconnect"
public let CBCentralManagerRestoredStatePeripheralsKey: String = "CBCentralManagerRestoredStatePeripheralsKey"
public let CBCentralManagerRestoredStateScanServicesKey: String = "CBCentralManagerRestoredStateScanServicesKey"
public let CBCentralManagerRestoredStateScanOptionsKey: String = "CBCentralManagerRestoredStateScanOptionsKey"
public let CBAdvertisementDataLocalNameKey: String = "CBAdvertisementDataLocalNameKey"
public let CBAdvertisementDataTxPowerLevelKey: String = "CBAdvertisementDataTxPowerLevelKey"
public let CBAdvertisementDataServiceUUIDsKey: String = "CBAdvertisementDataServiceUUIDsKey"
public let CBAdvertisementDataServiceDataKey: String = "CBAdvertisementDataServiceDataKey"
public let CBAdvertisementDataManufacturerDataKey: String = "CBAdvertisementDataManufacturerDataKey"
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "CBAdvertisementDataOverflowServiceUUIDsKey"
public let CBAdvertisementDataIsConnectable: String = "CBAdvertisementDataIsConnectable"
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "CBAdvertisementDataSolicitedServiceUUIDsKey"
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "CBPeripheralManagerOptionShowPowerAlertKey"
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "CBPeripheralManagerOptionRestoreIdentifierKey"
public let CBPeripheralManagerRestoredStateServicesKey: String = "CBPeripheralManagerRestoredStateServicesKey"
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String =
  "CBPeripheralManagerRestoredStateAdvertisementDataKey"
public let CBUUIDCharacteristicExtendedPropertiesString: String = "CBUUIDCharacteristicExtendedPropertiesString"
public let CBUUIDCharacteristicUserDescriptionString: String = "CBUUIDCharacteristicUserDescriptionString"
public let CBUUIDClientCharacteristicConfigurationString: String = "CBUUIDClientCharacteristicConfigurationString"
public let CBUUIDServerCharacteristicConfigurationString: String = "CBUUIDServerCharacteristicConfigurationString"
public let CBUUIDCharacteristicFormatString: String = "CBUUIDCharacteristicFormatString"
public let CBUUIDCharacteristicAggregateFormatString: String = "CBUUIDCharacteristicAggregateFormatString"
public let CBUUIDCharacteristicValidRangeString: String = "CBUUIDCharacteristicValidRangeString"
public let CBUUIDCharacteristicObservationScheduleString: String = "CBUUIDCharacteristicObservationScheduleString"
public let CBUUIDL2CAPPSMCharacteristicString: String = "CBUUIDL2CAPPSMCharacteristicString"
public let CBErrorDomain: String = "CBErrorDomain"
public let CBATTErrorDomain: String = "CBATTErrorDomain"
public enum CBManagerState: Int, @unchecked Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}
@available(*, deprecated)
public enum CBCentralManagerState: Int, @unchecked Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}
@available(*, deprecated)
public enum CBPeripheralManagerState: Int, @unchecked Sendable {
  case unknown = 0
  case resetting = 1
  case unsupported = 2
  case unauthorized = 3
  case poweredOff = 4
  case poweredOn = 5
}
public enum CBManagerAuthorization: Int, @unchecked Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case allowedAlways = 3
}
@available(*, deprecated)
public enum CBPeripheralManagerAuthorizationStatus: Int, @unchecked Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorized = 3
}
public enum CBPeripheralManagerConnectionLatency: Int, @unchecked Sendable {
  case low = 0
  case medium = 1
  case high = 2
}
public enum CBConnectionEvent: Int, @unchecked Sendable {
  case peerDisconnected = 0
  case peerConnected = 1
}
public enum CBPeripheralState: Int, @unchecked Sendable {
  case disconnected = 0
  case connecting = 1
  case connected = 2
  case disconnecting = 3
}
public enum CBCharacteristicWriteType: Int, @unchecked Sendable {
  case withResponse = 0
  case withoutResponse = 1
}
public struct CBCharacteristicProperties: OptionSet, @unchecked Sendable {
  public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
  public static var broadcast: CBCharacteristicProperties { .init(rawValue: 1) }
  public static var read: CBCharacteristicProperties { .init(rawValue: 2) }
  public static var writeWithoutResponse: CBCharacteristicProperties { .init(rawValue: 4) }
  public static var write: CBCharacteristicProperties { .init(rawValue: 8) }
  public static var notify: CBCharacteristicProperties { .init(rawValue: 16) }
  public static var indicate: CBCharacteristicProperties { .init(rawValue: 32) }
  public static var authenticatedSignedWrites: CBCharacteristicProperties { .init(rawValue: 64) }
  public static var extendedProperties: CBCharacteristicProperties { .init(rawValue: 128) }
  public static var notifyEncryptionRequired: CBCharacteristicProperties { .init(rawValue: 256) }
  public static var indicateEncryptionRequired: CBCharacteristicProperties { .init(rawValue: 512) }
}
public struct CBAttributePermissions: OptionSet, @unchecked Sendable {
  public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
  public static var readable: CBAttributePermissions { .init(rawValue: 1) }
  public static var writeable: CBAttributePermissions { .init(rawValue: 2) }
  public static var readEncryptionRequired: CBAttributePermissions { .init(rawValue: 4) }
  public static var writeEncryptionRequired: CBAttributePermissions { .init(rawValue: 8) }
}
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, @unchecked Sendable {
  public var rawValue: String; public init(rawValue: String) { self.rawValue = rawValue };
  public init(_ r: String) { rawValue = r }
  public static let serviceUUIDs = Self(rawValue: "s"); public static let peripheralUUIDs = Self(rawValue: "p")
}
public struct CBError: CustomNSError, Hashable, @unchecked Sendable {
  public let _nsError: NSError
  public init(_nsError: NSError) { self._nsError = _nsError }
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: CBErrorDomain, code: code.rawValue, userInfo: userInfo)
  }
  public var code: Code { Code(rawValue: _nsError.code)! }
  public var errorCode: Int { _nsError.code }
  public var errorUserInfo: [String: Any] { _nsError.userInfo }
  public var userInfo: [String: Any] { _nsError.userInfo }
  public var localizedDescription: String { _nsError.localizedDescription }
  public static var errorDomain: String { CBErrorDomain }
  public enum Code: Int, @unchecked Sendable {
    case unknown = 0
    case invalidParameters = 1
    case invalidHandle = 2
    case notConnected = 3
    case outOfSpace = 4
    case operationCancelled = 5
    case connectionTimeout = 6
    case peripheralDisconnected = 7
    case uuidNotAllowed = 8
    case alreadyAdvertising = 9
    case connectionFailed = 10
    case connectionLimitReached = 11
    case unknownDevice = 12
    case operationNotSupported = 13
    case peerRemovedPairingInformation = 14
    case encryptionTimedOut = 15
    case tooManyLEPairedDevices = 16
    case leGattExceededBackgroundNotificationLimit = 17
    case leGattNearBackgroundNotificationLimit = 18
    public static func ~= (p: Code, e: Error) -> Bool { (e as? CBError)?.code == p }
  }
  public static var unknown: CBError.Code { .unknown }
  public static var invalidParameters: CBError.Code { .invalidParameters }
  public static var invalidHandle: CBError.Code { .invalidHandle }
  public static var notConnected: CBError.Code { .notConnected }
  public static var outOfSpace: CBError.Code { .outOfSpace }
  public static var operationCancelled: CBError.Code { .operationCancelled }
  public static var connectionTimeout: CBError.Code { .connectionTimeout }
  public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
  public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
  public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
  public static var connectionFailed: CBError.Code { .connectionFailed }
  public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
  public static var unknownDevice: CBError.Code { .unknownDevice }
  public static var operationNotSupported: CBError.Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
  public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
    .leGattExceededBackgroundNotificationLimit
  }
  public static var leGattNearBackgroundNotificationLimit: CBError.Code { .leGattNearBackgroundNotificationLimit }
}
extension CBError { public static var unkownDevice: CBError.Code { .unknownDevice } }
extension CBError.Code { public static var unkownDevice: CBError.Code { .unknownDevice } }
public struct CBATTError: CustomNSError, Hashable, @unchecked Sendable {
  public let _nsError: NSError
  public init(_nsError: NSError) { self._nsError = _nsError }
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: CBATTErrorDomain, code: code.rawValue, userInfo: userInfo)
  }
  public var code: Code { Code(rawValue: _nsError.code)! }
  public var errorCode: Int { _nsError.code }
  public var errorUserInfo: [String: Any] { _nsError.userInfo }
  public var userInfo: [String: Any] { _nsError.userInfo }
  public var localizedDescription: String { _nsError.localizedDescription }
  public static var errorDomain: String { CBATTErrorDomain }
  public enum Code: Int, @unchecked Sendable {
    case success = 0
    case invalidHandle = 1
    case readNotPermitted = 2
    case writeNotPermitted = 3
    case invalidPdu = 4
    case insufficientAuthentication = 5
    case requestNotSupported = 6
    case invalidOffset = 7
    case insufficientAuthorization = 8
    case prepareQueueFull = 9
    case attributeNotFound = 10
    case attributeNotLong = 11
    case insufficientEncryptionKeySize = 12
    case invalidAttributeValueLength = 13
    case unlikelyError = 14
    case insufficientEncryption = 15
    case unsupportedGroupType = 16
    case insufficientResources = 17
    public static func ~= (p: Code, e: Error) -> Bool { (e as? CBATTError)?.code == p }
  }
  public static var success: CBATTError.Code { .success }
  public static var invalidHandle: CBATTError.Code { .invalidHandle }
  public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
  public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
  public static var invalidPdu: CBATTError.Code { .invalidPdu }
  public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
  public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
  public static var invalidOffset: CBATTError.Code { .invalidOffset }
  public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
  public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
  public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
  public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
  public static var unlikelyError: CBATTError.Code { .unlikelyError }
  public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
  public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
  public static var insufficientResources: CBATTError.Code { .insufficientResources }
}

open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  open var data: Data { fatalError() }
  open var uuidString: String { fatalError() }
  public init(string theString: String) {}
  public init(data theData: Data) {}
  public init(cfuuid theUUID: CFUUID) {}
  public init(nsuuid theUUID: UUID) {}
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
open class CBPeer: NSObject, NSCopying {
  internal init(_stub: ()) {}
  @available(*, unavailable) public override init() { fatalError() }
  open var identifier: UUID { fatalError() }
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
open class CBAttribute: NSObject {
  internal init(_stub: ()) {}
  @available(*, unavailable) public override init() { fatalError() }
  open var uuid: CBUUID { fatalError() }
}
open class CBManager: NSObject {
  open var state: CBManagerState { fatalError() }
  @available(*, deprecated) open var authorization: CBManagerAuthorization { fatalError() }
  open class var authorization: CBManagerAuthorization { fatalError() }
}
open class CBService: CBAttribute {
  open internal(set) weak var peripheral: CBPeripheral?
  open var isPrimary: Bool { fatalError() }
  open var includedServices: [CBService]? {
    get { fatalError() }
    set {}
  }
  open var characteristics: [CBCharacteristic]? {
    get { fatalError() }
    set {}
  }
}
open class CBMutableService: CBService {
  public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(_stub: ()) }
  open override var includedServices: [CBService]? {
    get { fatalError() }
    set {}
  }
  open override var characteristics: [CBCharacteristic]? {
    get { fatalError() }
    set {}
  }
}
open class CBCharacteristic: CBAttribute {
  open internal(set) weak var service: CBService?
  open var properties: CBCharacteristicProperties {
    get { fatalError() }
    set {}
  }
  open var value: Data? {
    get { fatalError() }
    set {}
  }
  open var descriptors: [CBDescriptor]? {
    get { fatalError() }
    set {}
  }
  @available(*, deprecated) open var isBroadcasted: Bool { fatalError() }
  open var isNotifying: Bool { fatalError() }
}
open class CBMutableCharacteristic: CBCharacteristic {
  open var permissions: CBAttributePermissions {
    get { fatalError() }
    set {}
  }
  open var subscribedCentrals: [CBCentral]? { fatalError() }
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) { super.init(_stub: ()) }
  open override var properties: CBCharacteristicProperties {
    get { fatalError() }
    set {}
  }
  open override var value: Data? {
    get { fatalError() }
    set {}
  }
  open override var descriptors: [CBDescriptor]? {
    get { fatalError() }
    set {}
  }
}
open class CBDescriptor: CBAttribute {
  open internal(set) weak var characteristic: CBCharacteristic?
  open var value: Any? { fatalError() }
}
open class CBMutableDescriptor: CBDescriptor {
  public init(type UUID: CBUUID, value: Any?) { super.init(_stub: ()) }
}
open class CBCentral: CBPeer { open var maximumUpdateValueLength: Int { fatalError() } }
open class CBATTRequest: NSObject {
  open var central: CBCentral { fatalError() }
  open var characteristic: CBCharacteristic { fatalError() }
  open var offset: Int { fatalError() }
  open var value: Data?
}
open class CBL2CAPChannel: NSObject {
  open var peer: CBPeer! { fatalError() }
  open var inputStream: InputStream! { fatalError() }
  open var outputStream: OutputStream! { fatalError() }
  open var psm: CBL2CAPPSM { fatalError() }
}
open class CBPeripheral: CBPeer {
  open weak var delegate: CBPeripheralDelegate?
  open var name: String? { fatalError() }
  @available(*, deprecated) open var rssi: NSNumber? { fatalError() }
  open var state: CBPeripheralState { fatalError() }
  open var services: [CBService]? { fatalError() }
  open var canSendWriteWithoutResponse: Bool { fatalError() }
  open var ancsAuthorized: Bool { fatalError() }
  open func readRSSI() {}
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {}
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {}
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {}
  open func readValue(for characteristic: CBCharacteristic) {}
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { 0 }
  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {}
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {}
  open func discoverDescriptors(for characteristic: CBCharacteristic) {}
  open func readValue(for descriptor: CBDescriptor) {}
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {}
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}
open class CBCentralManager: CBManager {
  public struct Feature: OptionSet, @unchecked Sendable {
    public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var extendedScanAndConnect: Feature { .init(rawValue: 1) }
  }
  open class func supports(_ features: CBCentralManager.Feature) -> Bool { false }
  open weak var delegate: CBCentralManagerDelegate?
  open var isScanning: Bool { fatalError() }
  public override convenience init() { self.init(delegate: nil, queue: nil, options: nil) }
  public convenience init(delegate: CBCentralManagerDelegate?, queue: DispatchQueue?) {
    self.init(delegate: nil, queue: nil, options: nil)
  }
  public init(delegate: CBCentralManagerDelegate?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    super.init()
  }
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] { [] }
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] { [] }
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {}
  open func stopScan() {}
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {}
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {}
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {}
}
open class CBPeripheralManager: CBManager {
  open weak var delegate: CBPeripheralManagerDelegate?
  open var isAdvertising: Bool { fatalError() }
  @available(*, deprecated) open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
    .authorized
  }
  public override convenience init() { self.init(delegate: nil, queue: nil, options: nil) }
  public convenience init(delegate: CBPeripheralManagerDelegate?, queue: DispatchQueue?) {
    self.init(delegate: nil, queue: nil, options: nil)
  }
  public init(delegate: CBPeripheralManagerDelegate?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    super.init()
  }
  open func startAdvertising(_ advertisementData: [String: Any]?) {}
  open func stopAdvertising() {}
  open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {}
  open func add(_ service: CBMutableService) {}
  open func remove(_ service: CBMutableService) {}
  open func removeAllServices() {}
  open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {}
  open func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool { false }
  open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {}
  open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}

public protocol CBCentralManagerDelegate: NSObjectProtocol {
  func centralManagerDidUpdateState(_ central: CBCentralManager)
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?)
  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?)
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: Error?)
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}
extension CBCentralManagerDelegate {
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
  public func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {}
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {}
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: Error?
  ) {}
  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}
  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
public protocol CBPeripheralDelegate: NSObjectProtocol {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?)
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?)
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: Error?)
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?)
}
extension CBPeripheralDelegate {
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: Error?) {}
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {}
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {}
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: Error?) {
  }
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {}
  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?)
  {}
  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
  }
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?
  ) {}
  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {}
  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: Error?) {}
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {}
}
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
  func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?)
}
extension CBPeripheralManagerDelegate {
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {}
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?
  ) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?) {}
}
extension CBPeer: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension CBAttribute: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension CBUUID: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension CBManager: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension CBATTRequest: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
extension CBL2CAPChannel: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
